package dev.loom.cli.importing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.cli.Cli;
import dev.loom.cli.LoomThread;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Rows are visible to others as they come down a pipe. */
@Timeout(60)
class LiveImportTest {
    @TempDir
    Path directory;

    private Path store = Path.of("");
    private Cli cli = new Cli();
    private @Nullable LoomThread importing;

    @BeforeEach
    void open() {
        store = directory.resolve("store");
        cli = Cli.onSmallStore(store);
    }

    @AfterEach
    void close() throws IOException {
        if (importing != null) {
            importing.close();
        }
    }

    private LoomThread importing(String... options) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("import", "--source", "s", "-"));
        arguments.addAll(List.of(options));
        importing = LoomThread.start(store, arguments.toArray(String[]::new));
        return importing;
    }

    private void write(String text) throws IOException {
        OutputStream pipe = Objects.requireNonNull(importing).in();
        pipe.write(text.getBytes(StandardCharsets.UTF_8));
        pipe.flush();
    }

    private void awaitRecords(int count) {
        await(() -> Files.exists(store.resolve("loom.mark"))
                && cli.run("scan", "s").lines().size() == count);
    }

    private static void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }

    @Test
    void shouldShowEachRowWhileTheNextHasNotCome() throws Exception {
        LoomThread command = importing("--format", "csv", "--types", "a:i64,b:utf8");
        write("a,b\n1,x\n");
        awaitRecords(1);
        write("2,\"y\n");
        write("z\"\n3,");
        awaitRecords(2);
        write("w\n4,v");
        awaitRecords(3);
        command.in().close();
        assertEquals(0, command.exitCode());
        awaitRecords(4);
    }

    @Test
    void shouldInferTypesFromTheRowsThatAreThereWhenNoMoreCome() throws Exception {
        LoomThread command = importing("--format", "csv");
        write("a,b\n1,x\n2,y\n3,");
        awaitRecords(2);
        assertTrue(command.printed().startsWith("loom: types inferred from 2 rows: --types a:i64,b:utf8"));
        write("z\n");
        awaitRecords(3);
        command.in().close();
        assertEquals(0, command.exitCode());
    }

    @Test
    void shouldInferTypesInBoundedTimeFromRowsThatKeepTrickling() throws Exception {
        LoomThread command = importing("--format", "csv");
        write("a,b\n");
        int rows = 0;
        // Slower than a sample fills, faster than a lull.
        while (!command.printed().startsWith("loom: types inferred from ") && rows < 900) {
            write(++rows + ",x\n");
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
        assertTrue(rows < 900);
        awaitRecords(rows);
        command.in().close();
        assertEquals(0, command.exitCode());
    }

    @Test
    void shouldWaitForARowBeforeItInfersTypes() throws Exception {
        LoomThread command = importing("--format", "csv");
        write("a,b\n");
        // Longer than the rows of a burst are waited for; a reader who is late can't make this fail.
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1_200));
        write("1,x\n");
        awaitRecords(1);
        assertTrue(command.printed().startsWith("loom: types inferred from 1 rows: --types a:i64,b:utf8"));
        command.in().close();
        assertEquals(0, command.exitCode());
    }

    @Test
    void shouldNotHoldBackRowsForAQuoteThatNeverEnds() throws Exception {
        LoomThread command = importing("--format", "csv", "--types", "a:i64,b:utf8", "--on-bad", "skip");
        write("a,b\n1,x\n2,\"y\n3,z\n4,w\n");
        awaitRecords(3);
        write("5,\"v\nw\"\n");
        awaitRecords(4);
        assertTrue(command.printed().startsWith("loom: line 3: quoted cell is not closed"), command.printed());
        command.in().close();
        assertEquals(0, command.exitCode());
        assertEquals(
                List.of("1,x", "3,z", "4,w", "5,\"v", "w\""),
                cli.run("scan", "s", "--asc", "-o", "csv").ok().lines().stream()
                        .skip(1)
                        .map(line -> line.replaceFirst("^.*,s,\\d+,", ""))
                        .toList());
    }

    @Test
    void shouldWriteRejectedRowsAsTheyCome() throws Exception {
        Path rejects = directory.resolve("rejects");
        LoomThread command =
                importing("--format", "csv", "--types", "a:i64", "--on-bad", "skip", "--rejects", rejects.toString());
        write("a\n1\nx\n");
        await(() -> Files.exists(rejects) && rejects.toFile().length() == 4);
        write("2\n");
        command.in().close();
        assertEquals(0, command.exitCode());
        assertEquals("a\nx\n", Files.readString(rejects));
        awaitRecords(2);
    }

    @Test
    void shouldShowLinesAndPacketsAsTheyCome() throws Exception {
        LoomThread command = importing("--format", "jsonl");
        write("{\"a\":1}\n{\"a\":");
        awaitRecords(1);
        write("2}\n");
        awaitRecords(2);
        command.in().close();
        assertEquals(0, command.exitCode());
    }

    @Test
    void shouldShowTheLinesOfALogAsTheyCome() throws Exception {
        LoomThread command = importing("--format", "lines");
        write("2026-11-20 10:00:00 a\n\tat b\n2026-11-20 10:0");
        awaitRecords(1);
        assertTrue(command.printed().startsWith("loom: times: ISO 8601, 2026-11-20 10:00:00 is "), command.printed());
        write("0:01 c\n");
        awaitRecords(2);
        // too late for its record
        write("\tat d\n\tat e\n");
        awaitRecords(3);
        write("2026-11-20 10:00:02 f");
        command.in().close();
        assertEquals(0, command.exitCode());
        assertEquals(
                "2026-11-20 10:00:00 a\n\tat b\n2026-11-20 10:00:01 c\n\tat d\n\tat e\n2026-11-20 10:00:02 f\n",
                cli.run("scan", "s", "--asc", "-o", "raw").ok().out());
        assertEquals(
                2,
                cli.run(
                                "scan",
                                "s",
                                "--time",
                                "event",
                                "--from",
                                "2026-11-20T10:00:01Z",
                                "--to",
                                "2026-11-20T10:00:02Z")
                        .ok()
                        .lines()
                        .size());
    }

    @Test
    void shouldEndAtAnInterruptionWithWhatWasWhole() throws Exception {
        LoomThread command = importing("--format", "lines");
        write("a\nb\nhalf a li");
        awaitRecords(2);
        command.interrupt();
        assertEquals(130, command.exitCode());
        assertEquals("b\na\n", cli.run("scan", "s", "-o", "raw").ok().out());
        assertTrue(command.printed().endsWith("; interrupted\n"), command.printed());
    }

    @Test
    void shouldNotTakeAtAnInterruptionWhatIsNotDue() throws Exception {
        LoomThread command = importing("--format", "lines", "--replay");
        write("2026-11-20 10:00:00 a\n2026-11-20 11:00:00 b\n2026-11-20 12:00:00 c\n");
        awaitRecords(1);
        command.interrupt();
        assertEquals(130, command.exitCode());
        assertEquals(1, cli.run("scan", "s").ok().lines().size());
        assertTrue(command.printed().endsWith("; interrupted\n"), command.printed());
    }

    /** The last line with a time may get others, for which it waits a while. */
    @Test
    void shouldKeepTheLineThatWaitsForMoreAtAnInterruption() throws Exception {
        LoomThread command = importing("--format", "lines");
        write("2026-11-20 10:00:00 a\n2026-11-20 10:00:01 b\n");
        awaitRecords(2);
        write("2026-11-20 10:00:02 c\n2026-11-20 10:00:03 d\n2026-11-20 10:00:04 half");
        await(() -> cli.run("scan", "s").lines().size() >= 3);
        command.interrupt();
        assertEquals(130, command.exitCode());
        List<String> lines = cli.run("scan", "s", "--asc", "-o", "raw").ok().lines();
        assertEquals(4, lines.size(), lines::toString);
        assertEquals("2026-11-20 10:00:03 d", lines.get(3));
    }

    @Test
    void shouldNameTheOwnerOfALockedStore() throws Exception {
        LoomThread command = importing("--format", "lines");
        write("a\n");
        awaitRecords(1);
        Cli.Result refused = Cli.on(store).importText("t", "lines", "b\n").exit(3);
        assertTrue(refused.err().contains(Long.toString(ProcessHandle.current().pid())), refused.err());
        assertEquals(1, refused.err().lines().count());
        command.in().close();
        assertEquals(0, command.exitCode());
    }
}
