package dev.loom.cli.input;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.cli.console.Interruption;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TextLinesTest {
    private static final int LINE_BYTES_MAX = 100;

    /** Of an input that goes on; an interruption ends the wait for the rest. */
    @Test
    void shouldTellWhichLinesAreWholeWhenInterrupted() throws IOException {
        Interruption interruption = new Interruption();
        try (PipedOutputStream pipe = new PipedOutputStream();
                PipedInputStream in = new PipedInputStream(pipe)) {
            pipe.write("a\nb\r\nhalf".getBytes(StandardCharsets.UTF_8));
            try (InputWindow window = new InputWindow(in, interruption)) {
                TextLines lines = new TextLines(window, 100);
                assertTrue(lines.next() && lines.whole());
                interruption.request();
                assertTrue(lines.next() && lines.whole());
                assertTrue(lines.next());
                assertFalse(lines.whole());
            }
        }
        try (InputWindow ended = new InputWindow(new ByteArrayInputStream(new byte[] {'a'}), new Interruption())) {
            TextLines lines = new TextLines(ended, 100);
            assertTrue(lines.next() && lines.whole(), "the last line needs no end");
        }
    }

    /** After an interruption what was read by then is there, but an input that never ends does not go on. */
    @Test
    void shouldEndAnInputThatNeverEndsWhenInterrupted() throws IOException {
        Interruption interruption = new Interruption();
        InputStream endless = new InputStream() {
            @Override
            public int read() {
                return '\n';
            }

            @Override
            public int read(byte[] bytes, int offset, int length) {
                Arrays.fill(bytes, offset, offset + length, (byte) '\n');
                return length;
            }
        };
        try (InputWindow window = new InputWindow(endless, interruption)) {
            TextLines lines = new TextLines(window, 100);
            assertTrue(lines.next());
            interruption.request();
            long found = 0;
            while (lines.next()) {
                found++;
            }
            assertTrue(found < 4L << 20, "lines=" + found);
        }
    }

    @Test
    void shouldCutLinesAsTheJdkDoes() throws IOException {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        Random random = new Random(seed);
        String[] pieces = {"\n", "\r\n", "a", "é", "some text", "\n\n", " "};
        for (int round = 0; round < 2_000; round++) {
            StringBuilder text = new StringBuilder();
            for (int i = random.nextInt(12); i > 0; i--) {
                text.append(pieces[random.nextInt(pieces.length)]);
            }
            List<String> expected = text.toString().lines().toList();
            assertEquals(expected, read(text.toString(), random), "seed=" + seed + ", round=" + round);
        }
    }

    @Test
    void shouldTellALineThatIsTooLongAndGoOn() throws IOException {
        String tooLong = "x".repeat(LINE_BYTES_MAX + 1);
        String far = "y".repeat(50 * LINE_BYTES_MAX);
        String text = "a\n" + tooLong + "\nb\n" + far + "\r\nc\n" + far;
        assertEquals(List.of("a", "!2", "b", "!4", "c", "!6"), read(text, new Random(1)));
    }

    @Test
    void shouldNotWaitForAReaderThatFailed() {
        InputStream failing = new InputStream() {
            @Override
            public int read() {
                throw new OutOfMemoryError("for a moment");
            }

            @Override
            public int read(byte[] into, int offset, int length) {
                throw new OutOfMemoryError("for a moment");
            }
        };
        try (InputWindow window = new InputWindow(failing, new Interruption())) {
            IOException failure = assertTimeoutPreemptively(
                    Duration.ofMinutes(1), () -> assertThrows(IOException.class, () -> window.require(1)));
            assertEquals("input can't be read: java.lang.OutOfMemoryError: for a moment", failure.getMessage());
        }
    }

    private static List<String> read(String text, Random random) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        List<String> lines = new ArrayList<>();
        try (InputWindow window =
                new InputWindow(new TrickleStream(bytes, random, 1 + random.nextInt(30)), new Interruption())) {
            TextLines input = new TextLines(window, LINE_BYTES_MAX);
            while (input.next()) {
                lines.add(
                        input.tooLong()
                                ? "!" + input.line()
                                : new String(input.array(), input.offset(), input.length(), StandardCharsets.UTF_8));
            }
        }
        return lines;
    }
}
