package dev.loom.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.loom.Loom;
import dev.loom.format.Formats;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What only a process of its own shows: signals, closed pipes, death, and stores shared between processes. */
@Timeout(180)
class ProcessTest {
    @TempDir
    Path directory;

    private static void write(LoomProcess process, String text) throws IOException {
        process.in().write(text.getBytes(StandardCharsets.UTF_8));
        process.in().flush();
    }

    private List<String> awaitRecords(int count) {
        Cli cli = Cli.on(directory);
        while (true) {
            if (Files.exists(directory.resolve("loom.mark"))) {
                List<String> lines = cli.run("scan", "s", "--asc", "-o", "raw").lines();
                if (lines.size() >= count) {
                    return lines;
                }
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }

    @Test
    void shouldShowRowsToOtherProcessesAsTheyComeAndKeepThemThroughDeath() throws Exception {
        try (LoomProcess importing =
                LoomProcess.start(directory, "import", "--source", "s", "--format", "lines", "-")) {
            write(importing, "a\nb\n");
            assertEquals(List.of("a", "b"), awaitRecords(2));
            try (LoomProcess tail = LoomProcess.start(directory, "tail", "s", "-f", "-o", "raw")) {
                assertEquals("a", tail.line());
                assertEquals("b", tail.line());
                write(importing, "c\n");
                assertEquals("c", tail.line());
                importing.signal("KILL");
                assertEquals(137, importing.exitCode());
                assertEquals(List.of("a", "b", "c"), awaitRecords(3));
                try (LoomProcess again =
                        LoomProcess.start(directory, "import", "--source", "s", "--format", "lines", "-")) {
                    write(again, "d\n");
                    assertEquals("d", tail.line());
                    again.in().close();
                    assertEquals(0, again.exitCode(), again.err());
                }
                tail.signal("INT");
                assertEquals(List.of(), tail.lines());
                assertEquals(130, tail.exitCode(), tail.err());
                assertEquals("", tail.err());
            }
        }
        assertEquals(List.of("a", "b", "c", "d"), awaitRecords(4));
    }

    @Test
    void shouldReportALimitWhenGroupsTakeMoreMemoryThanTheJvmHas() throws Exception {
        try (Loom loom = Loom.open(directory)) {
            int source = loom.defineSource("s", Formats.parse("struct:k:i64"));
            UnsafeBuffer payload = new UnsafeBuffer(new byte[Long.BYTES]);
            for (long key = 0; key < 400_000; key++) {
                payload.putLong(0, key, ByteOrder.LITTLE_ENDIAN);
                loom.push(source, payload, 0, Long.BYTES);
            }
        }
        String[] values = {"values", "s", "k", "--groups-max", "4000000", "--limit", "2"};
        try (LoomProcess process = LoomProcess.start(List.of("-Xmx32m"), directory, values)) {
            assertEquals(List.of(), process.lines());
            assertEquals(4, process.exitCode(), process.err());
            assertTrue(process.err().startsWith("loom: query memory is exhausted: needed="), process.err());
            assertTrue(process.err().endsWith("; LOOM_JAVA_OPTS=-Xmx2g, for example, allows more\n"), process.err());
        }
        try (LoomProcess process =
                LoomProcess.start(List.of("-Xmx512m", "-XX:MaxDirectMemorySize=16m"), directory, values)) {
            assertEquals(List.of(), process.lines());
            assertEquals(4, process.exitCode(), process.err());
            assertTrue(
                    process.err().startsWith("loom: the JVM has no memory left for the query: needed="), process.err());
        }
    }

    @Test
    void shouldCloseTheStoreAtCtrlC() throws Exception {
        try (LoomProcess importing =
                LoomProcess.start(directory, "import", "--source", "s", "--format", "lines", "-")) {
            write(importing, "a\nb\nhalf");
            awaitRecords(2);
            importing.signal("INT");
            assertEquals(130, importing.exitCode());
            assertTrue(importing.err().endsWith("; interrupted\n"), importing.err());
        }
        assertTrue(Cli.on(directory).run("info").ok().out().contains("\"state\":\"closed\""));
        assertEquals(List.of("a", "b"), awaitRecords(2));
    }

    @Test
    void shouldEndByTheCodeOfSigtermThoughNobodyTakesItsOutput() throws Exception {
        Cli.on(directory)
                .importText("s", "lines", "some line of text\n".repeat(100_000))
                .ok();
        try (LoomProcess scan = LoomProcess.start(directory, "scan", "s")) {
            assertNotNull(scan.line());
            scan.signal("TERM");
            assertEquals(143, scan.exitCode());
        }
    }

    /** More than the ring holds, while no file can grow beyond what the closing line takes. */
    @Test
    void shouldSayThatTheDiskTakesNothingAndEndAtCtrlC() throws Exception {
        try (LoomProcess importing =
                LoomProcess.start(directory, "import", "--source", "s", "--format", "lines", "-")) {
            write(importing, "a\n");
            awaitRecords(1);
            assumeTrue(importing.limitFiles(128 << 10), "prlimit is needed");
            byte[] lines = "some line of text\n".repeat(50_000).getBytes(StandardCharsets.UTF_8);
            Thread input = new Thread(() -> {
                try {
                    while (true) {
                        importing.in().write(lines);
                    }
                } catch (IOException e) {
                    // it has ended
                }
            });
            input.setDaemon(true);
            input.start();
            while (!importing.errSoFar().contains("waiting for the disk, which takes nothing: ")) {
                assertTrue(importing.alive(), importing.errSoFar());
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            }
            importing.signal("INT");
            assertEquals(130, importing.exitCode());
            input.join();
            assertTrue(importing.err().contains("; interrupted\n"), importing.err());
        }
    }

    @Test
    void shouldEndQuietlyWhenThePipeIsClosed() throws Exception {
        Cli.on(directory)
                .importText("s", "lines", "some line of text\n".repeat(200_000))
                .ok();
        try (LoomProcess scan = LoomProcess.start(directory, "scan", "s")) {
            assertTrue(scan.line().startsWith("{\"time\":\""));
            scan.closeOutput();
            assertEquals(0, scan.exitCode());
            assertEquals("", scan.err());
        }
    }

    /** The JVM has a file of its own as descriptor 0 then, which was imported. */
    @Test
    void shouldRefuseToImportFromAClosedInput() throws Exception {
        assumeTrue(Files.exists(Path.of("/proc/self/fd")), "descriptors are known on Linux only");
        for (String input : List.of("-", "/dev/stdin")) {
            try (LoomProcess importing = LoomProcess.startWithoutInput(
                    directory.resolve("none"), "import", "--source", "s", "--format", "lines", input)) {
                assertEquals(2, importing.exitCode(), importing.err());
                assertEquals("loom: standard input is closed: input=" + input + "\n", importing.err());
            }
        }
        assertTrue(Files.notExists(directory.resolve("none")));
    }

    @Test
    void shouldNotEmptyTheFileThatItReadsAsItsInput() throws Exception {
        assumeTrue(Files.exists(Path.of("/proc/self/fd")), "descriptors are known on Linux only");
        Path rows = Files.writeString(directory.resolve("rows.csv"), "n\n1\n");
        try (LoomProcess importing = LoomProcess.startWith(
                rows,
                directory.resolve("none"),
                "import",
                "--source",
                "s",
                "--format",
                "csv",
                "--on-bad",
                "skip",
                "--rejects",
                rows.toString(),
                "-")) {
            assertEquals(2, importing.exitCode(), importing.err());
            assertTrue(importing.err().contains("--rejects is an input, which it would overwrite"), importing.err());
        }
        assertEquals("n\n1\n", Files.readString(rows));
    }

    @Test
    void shouldRefuseArgumentsThatTheLocaleDoesNotKnow() throws Exception {
        assumeTrue("UTF-8".equals(System.getProperty("sun.jnu.encoding")), "other arguments can't be passed on");
        try (LoomProcess scanning = LoomProcess.startIn("C", directory, "scan", "gr\u00F6\u00DFe")) {
            assertEquals(2, scanning.exitCode(), scanning.err());
            assertTrue(scanning.err().contains("set LC_ALL=C.UTF-8"), scanning.err());
        }
    }

    @Test
    void shouldPrintHelpFromMain() throws Exception {
        try (LoomProcess help = LoomProcess.start(directory, "--help")) {
            assertTrue(help.lines().get(0).startsWith("Usage: loom"));
            assertEquals(0, help.exitCode());
        }
        try (LoomProcess unknown = LoomProcess.start(directory, "frobnicate")) {
            assertEquals(2, unknown.exitCode());
            assertEquals("loom: Unmatched argument at index 0: 'frobnicate'; see loom --help\n", unknown.err());
        }
    }
}
