package dev.loom.cli.input;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.loom.cli.console.Interruption;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TextLinesTest {
    private static final int LINE_BYTES_MAX = 100;

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
