package dev.loom.cli.importing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.cli.Cli;
import dev.loom.cli.Main;
import dev.loom.cli.console.Console;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Rows are visible to others as they come down a pipe. */
@Timeout(60)
class LiveImportTest {
    @TempDir
    Path directory;

    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private Path store = Path.of("");
    private Cli cli = new Cli();
    private PipedOutputStream pipe = new PipedOutputStream();
    private Console console = new Cli().console(err, err);

    @BeforeEach
    void open() throws IOException {
        store = directory.resolve("store");
        cli = Cli.on(store);
        pipe = new PipedOutputStream();
        console = Cli.on(store).input(new PipedInputStream(pipe, 1 << 16)).console(err, err);
    }

    private CompletableFuture<Integer> importing(String... options) {
        String[] all = new String[options.length + 4];
        System.arraycopy(new String[] {"import", "--source", "s", "-"}, 0, all, 0, 4);
        System.arraycopy(options, 0, all, 4, options.length);
        return CompletableFuture.supplyAsync(() -> Main.run(console, all));
    }

    private void write(String text) throws IOException {
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
    void shouldShowEachRowWhileTheNextHasNotCome() throws IOException {
        CompletableFuture<Integer> importing = importing("--format", "csv", "--types", "a:i64,b:utf8");
        write("a,b\n1,x\n");
        awaitRecords(1);
        write("2,\"y\n");
        write("z\"\n3,");
        awaitRecords(2);
        write("w\n4,v");
        awaitRecords(3);
        pipe.close();
        assertEquals(0, importing.join());
        awaitRecords(4);
    }

    @Test
    void shouldInferTypesFromTheRowsThatAreThereWhenNoMoreCome() throws IOException {
        CompletableFuture<Integer> importing = importing("--format", "csv");
        write("a,b\n1,x\n2,y\n3,");
        awaitRecords(2);
        assertTrue(err.toString(StandardCharsets.UTF_8)
                .startsWith("loom: types inferred from 2 rows: --types a:i64,b:utf8"));
        write("z\n");
        awaitRecords(3);
        pipe.close();
        assertEquals(0, importing.join());
    }

    @Test
    void shouldShowLinesAndPacketsAsTheyCome() throws IOException {
        CompletableFuture<Integer> importing = importing("--format", "jsonl");
        write("{\"a\":1}\n{\"a\":");
        awaitRecords(1);
        write("2}\n");
        awaitRecords(2);
        pipe.close();
        assertEquals(0, importing.join());
    }

    @Test
    void shouldEndAtAnInterruptionWithWhatWasWhole() throws IOException {
        CompletableFuture<Integer> importing = importing("--format", "lines");
        write("a\nb\nhalf a li");
        awaitRecords(2);
        console.interruption().request();
        assertEquals(130, importing.join());
        assertEquals("b\na\n", cli.run("scan", "s", "-o", "raw").ok().out());
        assertTrue(
                err.toString(StandardCharsets.UTF_8).endsWith("; interrupted\n"), err.toString(StandardCharsets.UTF_8));
    }

    @Test
    void shouldNameTheOwnerOfALockedStore() throws IOException {
        CompletableFuture<Integer> importing = importing("--format", "lines");
        write("a\n");
        awaitRecords(1);
        Cli.Result refused = Cli.on(store).importText("t", "lines", "b\n").exit(3);
        assertTrue(refused.err().contains(Long.toString(ProcessHandle.current().pid())), refused.err());
        assertEquals(1, refused.err().lines().count());
        pipe.close();
        assertEquals(0, importing.join());
    }
}
