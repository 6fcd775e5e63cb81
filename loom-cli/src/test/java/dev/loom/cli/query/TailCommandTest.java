package dev.loom.cli.query;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.cli.Cli;
import dev.loom.cli.Main;
import dev.loom.cli.console.Console;
import dev.loom.format.Formats;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class TailCommandTest {
    /** The message of length 0. */
    private static final byte[] ARROW_END = {-1, -1, -1, -1, 0, 0, 0, 0};

    @TempDir
    Path directory;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private Cli cli = new Cli();
    private int pushed;

    @BeforeEach
    void open() {
        cli = Cli.onSmallStore(directory);
    }

    private Loom writer() {
        return Loom.open(LoomConfig.at(directory).build());
    }

    private static int source(Loom loom) {
        return loom.source("s").map(source -> source.id()).orElseGet(() -> loom.defineSource("s", Formats.text()));
    }

    private void push(Loom loom, int count) {
        int source = source(loom);
        int other = loom.source("other")
                .map(found -> found.id())
                .orElseGet(() -> loom.defineSource("other", Formats.bytes()));
        for (int i = 0; i < count; i++) {
            loom.push(source, Integer.toString(pushed++).getBytes(StandardCharsets.UTF_8));
            loom.push(other, new byte[100]);
        }
    }

    private static String lines(int from, int to) {
        return IntStream.range(from, to).mapToObj(i -> i + "\n").collect(Collectors.joining());
    }

    private void awaitOutput(String expected) {
        while (!out.toString(StandardCharsets.UTF_8).equals(expected)) {
            assertTrue(expected.startsWith(out.toString(StandardCharsets.UTF_8)), out.toString(StandardCharsets.UTF_8));
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }

    private CompletableFuture<Integer> running(Console console, String... arguments) {
        return CompletableFuture.supplyAsync(() -> Main.run(console, arguments));
    }

    @Test
    void shouldPrintTheLastRecordsOldestFirst() {
        try (Loom loom = writer()) {
            push(loom, 50);
        }
        assertEquals(lines(30, 50), cli.run("tail", "s", "-o", "raw").ok().out());
        assertEquals(
                lines(47, 50), cli.run("tail", "s", "-o", "raw", "-n", "3").ok().out());
        assertEquals(
                lines(0, 50),
                cli.run("tail", "s", "-o", "raw", "-n", "1000").ok().out());
        assertEquals("", cli.run("tail", "s", "-o", "raw", "-n", "0").ok().out());
        assertEquals(
                "19\n29\n",
                cli.run("tail", "s", "-o", "raw", "-n", "2", "--where", "line in (\"9\", \"19\", \"29\")")
                        .ok()
                        .out());
        assertEquals(
                "",
                cli.run("tail", "s", "-o", "raw", "--where", "line == \"x\"")
                        .ok()
                        .out());
        cli.run("tail", "s", "-n", "-1").exit(2).says("-n is negative: -1");
        cli.run("tail", "none").exit(2).says("no such source: none; sources: s, other");
    }

    @Test
    void shouldFollowWithoutGapOrRepeatAlsoWhenTheWriterRestarts() {
        Console console = cli.console(out, err);
        CompletableFuture<Integer> tail;
        try (Loom loom = writer()) {
            push(loom, 5);
            tail = running(console, "tail", "s", "-f", "-n", "3", "-o", "raw");
            awaitOutput(lines(2, 5));
            for (int round = 0; round < 20; round++) {
                push(loom, 500);
                awaitOutput(lines(2, pushed));
            }
            push(loom, 100_000);
        }
        for (int restart = 0; restart < 3; restart++) {
            try (Loom loom = writer()) {
                push(loom, 1000);
                awaitOutput(lines(2, pushed));
            }
        }
        console.interruption().request();
        assertEquals(130, tail.join());
        assertEquals(lines(2, pushed), out.toString(StandardCharsets.UTF_8));
        assertEquals("", err.toString(StandardCharsets.UTF_8));
    }

    @Test
    void shouldEndFollowingWhenTheSourceIsClosed() throws Exception {
        Console console = cli.console(out, err);
        try (Loom loom = writer()) {
            push(loom, 5);
            CompletableFuture<Integer> tail = running(console, "tail", "s", "-f", "-n", "3", "-o", "raw");
            awaitOutput(lines(2, 5));
            push(loom, 5);
            loom.closeSource(source(loom));
            loom.push(loom.defineSource("s", Formats.text()), "of another one".getBytes(StandardCharsets.UTF_8));
            assertEquals(0, tail.get());
        }
        assertEquals(lines(2, 10), out.toString(StandardCharsets.UTF_8));
        assertEquals(
                "loom: the source is closed, so nothing more arrives: source=s\n",
                err.toString(StandardCharsets.UTF_8));
        cli.run("tail", "#1", "-f", "-o", "raw", "-n", "1")
                .ok()
                .prints("9\n")
                .says("the source is closed, so nothing more arrives: source=s");
    }

    /** Whoever reads what it prints stops for a while, until records are gone that it has not printed. */
    @Test
    void shouldSayAtOnceWhatWasDeletedBeforeItWasPrinted() {
        CompletableFuture<Void> stopped = new CompletableFuture<>();
        CompletableFuture<Void> goesOn = new CompletableFuture<>();
        Console console = cli.console(
                new OutputStream() {
                    @Override
                    public void write(int value) {
                        write(new byte[] {(byte) value}, 0, 1);
                    }

                    @Override
                    public void write(byte[] bytes, int offset, int length) {
                        out.write(bytes, offset, length);
                        stopped.complete(null);
                        goesOn.join();
                    }
                },
                err);
        Path small = directory.resolve("small");
        try (Loom loom = Loom.open(LoomConfig.at(small)
                .recordRingBytes(LoomConfig.RING_BYTES_MIN)
                .segmentBytes(1 << 20)
                .maxBytes(8 << 20)
                .minFreeBytes(0)
                .build())) {
            push(loom, 1);
            CompletableFuture<Integer> tail =
                    running(console, "tail", "s", "-f", "-o", "raw", "--dir", small.toString());
            stopped.join();
            push(loom, 100_000);
            loom.force();
            goesOn.complete(null);
            String last = "\n" + (pushed - 1) + "\n";
            awaitPart(last);
            String missing =
                    "{\"complete\":false,\"lost\":0,\"damaged_pages\":0,\"expired\":true,\"limit\":\"none\"}\n";
            assertEquals(
                    "loom: missing before the next record: " + missing,
                    err.toString(StandardCharsets.UTF_8),
                    "while it follows");
            console.interruption().request();
            assertEquals(130, tail.join());
            assertEquals(
                    "loom: missing before the next record: " + missing + "loom: incomplete answer: " + missing,
                    err.toString(StandardCharsets.UTF_8));
        }
        String printed = out.toString(StandardCharsets.UTF_8);
        int first = Integer.parseInt(printed.substring(2, printed.indexOf('\n', 2)));
        assertTrue(first > 1, printed.substring(0, 20));
        assertEquals("0\n" + lines(first, pushed), printed);
    }

    @Test
    void shouldFollowWhatIsYetEmpty() {
        Console console = cli.console(out, err);
        try (Loom loom = writer()) {
            source(loom);
            CompletableFuture<Integer> tail =
                    running(console, "tail", "s", "-f", "-o", "raw", "--where", "line contains \"1\"");
            push(loom, 20);
            awaitOutput("1\n" + lines(10, 20));
            console.interruption().request();
            assertEquals(130, tail.join());
        }
    }

    /** Columns come at once, rows as they arrive, and the end when it is interrupted. */
    @Test
    void shouldFollowInColumns() {
        for (String form : List.of("csv", "csv-safe", "arrow")) {
            out.reset();
            Console console = cli.console(out, err);
            try (Loom loom = writer()) {
                source(loom);
                CompletableFuture<Integer> tail = running(console, "tail", "s", "-f", "-n", "0", "-o", form);
                awaitPart("addr");
                int seen = out.size();
                for (int i = 0; i < 3; i++) {
                    String line = "<" + form + ' ' + i + '>';
                    loom.push(source(loom), line.getBytes(StandardCharsets.UTF_8));
                    awaitPart(line);
                    assertTrue(out.size() > seen);
                    seen = out.size();
                }
                console.interruption().request();
                assertEquals(130, tail.join());
                assertEquals(form.equals("arrow"), out.size() > seen, form + " has no end, or one");
                assertEquals("", err.toString(StandardCharsets.UTF_8));
            }
        }
        byte[] arrow = out.toByteArray();
        assertArrayEquals(ARROW_END, Arrays.copyOfRange(arrow, arrow.length - ARROW_END.length, arrow.length));
        String text = out.toString(StandardCharsets.ISO_8859_1);
        assertTrue(text.contains("loom.complete") && text.contains("loom.limit"), text);
    }

    private void awaitPart(String expected) {
        while (!out.toString(StandardCharsets.ISO_8859_1).contains(expected)) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }

    @Test
    void shouldEndFollowingWhenItsTimeIsOver() {
        try (Loom loom = writer()) {
            push(loom, 1);
            Cli.Result result =
                    cli.run("tail", "s", "-f", "-o", "raw", "--timeout", "3s").exit(4);
            assertEquals("0\n", result.out());
            assertTrue(result.err().contains("\"limit\":\"time\""), result.err());
        }
    }
}
