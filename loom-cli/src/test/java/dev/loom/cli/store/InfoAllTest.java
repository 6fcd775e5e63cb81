package dev.loom.cli.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.cli.Cli;
import dev.loom.cli.LoomProcess;
import dev.loom.cli.Main;
import dev.loom.cli.console.Console;
import dev.loom.cli.console.ExitCode;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The stores of a host, by their staging. */
final class InfoAllTest {
    private static final Path MEMORY = Path.of("/dev/shm");

    @TempDir
    Path staging;

    private Path stores = Path.of("");

    @BeforeEach
    void place() throws IOException {
        assumeTrue(Files.isDirectory(MEMORY), "left out without " + MEMORY);
        stores = Files.createTempDirectory(MEMORY, "info-all");
    }

    @AfterEach
    void delete() throws IOException {
        if (stores.isAbsolute() && Files.exists(stores)) { // else the working directory, where the test was left out
            delete(stores);
        }
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }

    private Loom open(Path store) {
        int ring = LoomConfig.RING_BYTES_MIN;
        return Loom.open(LoomConfig.at(store)
                .stagingDirectory(staging)
                .recordRingBytes(ring)
                .timeRingBytes(ring)
                .chunkRingBytes(ring)
                .build());
    }

    /** Leaves a store whose writer was killed. */
    private void killed(Path store) throws IOException, InterruptedException {
        Path socket = stores.resolve(store.getFileName() + ".socket");
        Path config = Files.writeString(stores.resolve("loom.yaml"), """
                store: {staging_directory: %s, record_ring_mib: 1}
                receivers:
                  otlp: {protocols: {grpc: {endpoint: "localhost:0"}, http: {endpoint: "localhost:0"}}}
                  loom: {endpoint: "unix:%s"}
                api: {endpoint: "localhost:0"}
                """.formatted(staging, socket));
        try (LoomProcess server = LoomProcess.start(store, "serve", "--config", config.toString())) {
            while (!Files.exists(socket)) {
                if (!server.alive()) {
                    fail(server.err());
                }
                Thread.onSpinWait();
            }
            server.kill();
        }
    }

    private Cli.Result all(String... more) {
        return new Cli()
                .run(Stream.concat(Stream.of("info", "--all", "--staging", staging.toString()), Stream.of(more))
                        .toArray(String[]::new));
    }

    /** An ended search does not know what was only moved. */
    @Test
    void shouldRemoveNothingOnceInterrupted() throws Exception {
        Path deleted = stores.resolve("deleted");
        killed(deleted);
        delete(deleted);
        Console console = new Cli().console(OutputStream.nullOutputStream(), OutputStream.nullOutputStream());
        console.interruption().request();
        assertEquals(
                ExitCode.INTERRUPTED,
                Main.run(console, "info", "--all", "--staging", staging.toString(), "--remove", "missing"));
        assertTrue(all("--remove", "missing").ok().out().contains("\"removed\":true"));
    }

    @Test
    void shouldListStoresByTheirStateAndRemoveOrphansWhenAsked() throws Exception {
        Path deleted = stores.resolve("deleted");
        Path dead = stores.resolve("dead");
        killed(deleted);
        killed(dead);
        delete(deleted);
        try (Loom loom = open(stores.resolve("live"))) {
            // that opening has removed what the deleted one left
            assertEquals(0, count(all().ok(), "orphaned"));
            Cli.Result listed = all().ok();
            assertEquals(2, listed.lines().size(), listed.out());
            assertEquals(1, count(listed, "live"));
            assertEquals(1, count(listed, "dead"));
            assertTrue(listed.out().contains("\"directory\":\"" + dead + "\""), listed.out());
            assertTrue(
                    listed.out()
                            .contains("\"owner_pid\":" + ProcessHandle.current().pid()),
                    listed.out());
            delete(dead);
            assertEquals(1, count(all().ok(), "orphaned"));
            Cli.Result removed = all("--remove", "orphaned").ok();
            assertEquals(1, count(removed, "orphaned"));
            assertTrue(removed.out().contains("\"removed\":true"), removed.out());
            assertTrue(removed.err().startsWith("loom: removed "), removed.err());
            assertEquals(1, all().ok().lines().size());
            loom.force();
        }
        all().ok().prints("");
    }

    private static long count(Cli.Result listed, String state) {
        return listed.lines().stream()
                .filter(line -> line.contains("\"state\":\"" + state + "\""))
                .count();
    }

    @Test
    void shouldPrintATableAndCsv() {
        Path store = stores.resolve("live");
        try (Loom loom = open(store)) {
            loom.force();
            String table = all("-o", "table").ok().out();
            assertTrue(table.startsWith("state  directory"), table);
            assertTrue(table.contains("\nlive   " + store), table);
            List<String> csv = all("-o", "csv").ok().lines();
            assertEquals("state,directory,owner_pid,bytes,age_ns,created,removed,reason,staging", csv.get(0));
            assertTrue(
                    csv.get(1)
                            .startsWith("live," + store + ","
                                    + ProcessHandle.current().pid() + ","),
                    csv.get(1));
        }
    }

    @Test
    void shouldRefuseOptionsThatMeanNothing() {
        new Cli().run("info", "--remove", "orphaned").exit(2).says("--staging and --remove go with --all");
        new Cli().run("info", "--all", "--staging", "/no/such").exit(2).says("--staging: no such directory: /no/such");
        assertTrue(all("--remove", "live").exit(2).err().contains("orphaned, missing"));
    }
}
