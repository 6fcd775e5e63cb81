package dev.loom.cli.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.cli.Cli;
import dev.loom.format.Formats;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RetainCommandTest {
    private static final int RECORDS = 300;

    @TempDir
    Path temp;

    private Path store = Path.of("");
    private Cli cli = new Cli();

    @BeforeEach
    void fill() {
        store = temp.resolve("store");
        cli = Cli.on(store);
        try (Loom loom = open()) {
            int source = loom.defineSource("a", Formats.bytes());
            for (int i = 0; i < RECORDS; i++) {
                loom.push(source, new byte[60_000]);
            }
        }
    }

    private Loom open() {
        return Loom.open(LoomConfig.at(store)
                .segmentBytes(1 << 20)
                .maxBytes(LoomConfig.UNLIMITED)
                .minFreeBytes(0)
                .build());
    }

    private long bytes() throws IOException {
        try (Stream<Path> files = Files.walk(store)) {
            return files.filter(Files::isRegularFile)
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        }
    }

    @Test
    void shouldPrintTheLimits() {
        String unlimited =
                "{\"max_bytes\":\"none\",\"max_age_ns\":\"none\",\"min_free_bytes\":\"none\",\"disk_bytes\":";
        assertTrue(cli.run("retain", "--show").ok().out().startsWith(unlimited));
        assertTrue(cli.run("retain").ok().out().startsWith(unlimited));
        cli.run("retain", "--max-bytes", "1GiB", "--max-age", "1h30m", "--min-free", "64KiB")
                .ok();
        String limits =
                "{\"max_bytes\":1073741824,\"max_age_ns\":5400000000000,\"min_free_bytes\":65536,\"disk_bytes\":";
        assertTrue(cli.run("retain", "--show").ok().out().startsWith(limits));
        String info = cli.run("info").ok().out();
        assertTrue(
                info.contains("\"max_bytes\":1073741824,\"max_age_ns\":5400000000000,\"min_free_bytes\":65536,"), info);
        cli.run("retain", "--max-age", "none", "--max-bytes", "none", "--min-free", "none")
                .ok();
        assertTrue(cli.run("retain", "-o", "json").ok().out().startsWith(unlimited));
        assertFalse(cli.run("info").ok().out().contains("max_bytes"));
    }

    /** Such as by a variable of the environment that is there for queries. */
    @Test
    void shouldChangeNothingIfItsAnswerHasNoSuchForm() throws IOException {
        long before = bytes();
        cli.environment("LOOM_OUTPUT", "arrow");
        for (String[] command :
                new String[][] {{"retain", "--max-bytes", "8MiB"}, {"verify"}, {"verify", "--repair"}}) {
            cli.run(command).exit(2).prints("").says("-o arrow is for queries; use json or csv");
        }
        assertEquals(before, bytes());
        assertTrue(cli.run("retain", "--show", "-o", "json").ok().out().startsWith("{\"max_bytes\":\"none\""));
    }

    @Test
    void shouldDeleteTheOldestSegmentsBeyondALimitAndKeepToIt() throws IOException {
        long before = bytes();
        assertTrue(before > 16 << 20, "bytes=" + before);
        Cli.Result result = cli.run("retain", "--max-bytes", "8MiB").ok();
        assertTrue(result.err().startsWith("loom: deleted "), result.err());
        long after = bytes();
        assertTrue(
                after <= (8 << 20) + (64 << 10) && after > 5 << 20,
                () -> "bytes=" + after + result + cli.run("info").out());
        cli.run("verify").ok();
        long records = cli.run("scan", "a").ok().lines().size();
        assertTrue(records > 80 && records < 140, "records=" + records);
        assertTrue(cli.run("sources").ok().out().contains("\"records\":" + records + ","));
        try (Loom loom = Loom.open(LoomConfig.at(store).build())) {
            for (int i = 0; i < RECORDS; i++) {
                loom.push(1, new byte[60_000]);
            }
        }
        assertTrue(bytes() <= (8 << 20) + (64 << 10), "bytes=" + bytes());
        cli.run("verify").ok();
    }

    @Test
    void shouldSayThatAFileSystemHasTooLittleFreeAlthoughAllIsDeleted() {
        Cli.Result result = cli.run("retain", "--min-free", "1024TiB").exit(3);
        assertTrue(result.err().startsWith("loom: deleted "), result.err());
        assertTrue(
                result.err().contains("the limits are set, but not met: ")
                        && result.err().contains("=" + (1L << 50)),
                result.err());
        cli.run("retain", "--min-free", "none").ok();
    }

    @Test
    void shouldSayThatASegmentCannotBeDeleted() throws IOException {
        Path oldest = store.resolve("record").resolve("0".repeat(20) + ".seg");
        Files.delete(oldest);
        // which no program can delete as a file
        Files.createDirectories(oldest.resolve("entry"));
        Cli.Result result = cli.run("retain", "--max-bytes", "8MiB").exit(3);
        assertTrue(result.err().startsWith("loom: deleted "), result.err());
        assertTrue(result.err().contains("the limits are set, but not met: "), result.err());
        assertTrue(result.err().contains(oldest.toString()), result.err());
    }

    @Test
    void shouldTellAnImportWhatItsRecordsDisplaced() {
        cli.run("retain", "--max-bytes", "20MiB").ok();
        String text = ("x".repeat(1_000) + "\n").repeat(10_000);
        Cli.Result result = cli.importText("lines", "lines", text).ok();
        assertTrue(
                result.err().contains("loom: the store's limits deleted its oldest records: ")
                        && result.err().endsWith("; see loom retain\n"),
                result.err());
        cli.run("retain", "--max-bytes", "40MiB").ok();
        assertEquals(
                1, cli.importText("lines", "lines", "y\n").ok().err().lines().count());
    }

    @Test
    void shouldRefuseWhatIsNoLimit() throws IOException {
        long before = bytes();
        cli.run("retain", "--show", "--max-age", "1h").exit(2);
        cli.run("retain", "--max-bytes", "8MB?").exit(2);
        Cli.Result small = cli.run("retain", "--max-bytes", "1MiB").exit(2);
        assertTrue(small.err().contains("max bytes=1048576, min=8388608"), small.err());
        assertTrue(cli.run("retain", "--max-age", "1ms").exit(2).err().contains("bad age"));
        Cli.on(temp.resolve("none")).run("retain", "--max-age", "1h").exit(3);
        assertFalse(Files.exists(temp.resolve("none")));
        assertEquals(before, bytes());
        try (Loom loom = open()) {
            Cli.Result live = cli.run("retain", "--max-bytes", "8MiB").exit(3);
            assertTrue(live.err().contains("pid"), live.err());
            assertEquals(0, loom.info().records().begin());
        }
    }
}
