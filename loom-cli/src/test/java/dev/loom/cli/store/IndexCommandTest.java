package dev.loom.cli.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.cli.Cli;
import dev.loom.cli.console.Console;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IndexCommandTest {
    @TempDir
    Path directory;

    private Cli cli = new Cli();

    @BeforeEach
    void open() {
        cli = Cli.onSmallStore(directory);
        cli.run("source", "add", "requests", "--fields", "latency_ns:i64,share:f64?,op:utf8")
                .ok();
    }

    @Test
    void shouldDefineListAndCloseIndexes() {
        cli.run("index", "add", "requests", "latency_ns")
                .ok()
                .says("defined index requests.latency_ns: id=1, function=field:i64:ns:latency_ns, bins=log-linear:3");
        cli.run("index", "add", "requests", "share", "--bins", "linear:0,1,100")
                .ok()
                .says("defined index requests.share: id=2, function=field:f64:1:share, bins=linear:0,1,100");
        cli.run("index", "add", "requests", "latency_ns")
                .ok()
                .says("index is already defined: requests.latency_ns: id=1, function=field:i64:ns:latency_ns,"
                        + " bins=log-linear:3");
        cli.run("index", "close", "requests", "share").ok().says("closed index requests.share: id=2");
        List<String> expected = List.of(
                "{\"source\":\"requests\",\"source_id\":1,\"name\":\"latency_ns\",\"id\":1,\"kind\":\"value\",\"field\":\"latency_ns\","
                        + "\"type\":\"i64\",\"unit\":\"ns\",\"bins\":\"log-linear:3\",\"from_address\":N}",
                "{\"source\":\"requests\",\"source_id\":1,\"name\":\"share\",\"id\":2,\"kind\":\"value\",\"field\":\"share\","
                        + "\"type\":\"f64\",\"unit\":\"1\",\"bins\":\"linear:0,1,100\",\"from_address\":N,\"closed\":true}");
        assertEquals(expected, list());
        cli.run("source", "add", "other").ok();
        assertEquals(expected, list("requests"));
        assertEquals(List.of(), list("other"));
    }

    @Test
    void shouldRefuseIndexesThatCannotBe() {
        cli.run("index", "add", "nobody", "a").exit(2).says("no open source: nobody");
        assertTrue(cli.run("index", "add", "requests", "op")
                .exit(2)
                .err()
                .contains("field is not numeric: name=op, type=utf8, numbers=["));
        assertTrue(cli.run("index", "add", "requests", "no").exit(2).err().contains("unknown field: field=no"));
        assertTrue(cli.run("index", "add", "requests", "latency_ns", "--bins", "wide")
                .exit(2)
                .err()
                .contains("unknown bins: text=wide"));
        assertTrue(cli.run("index", "add", "requests", "latency_ns", "--bins", "wide", "--values")
                .exit(2)
                .err()
                .contains("--bins: unknown bins: text=wide"));
        cli.run("index", "add", "requests", "latency_ns").ok();
        assertTrue(cli.run("index", "add", "requests", "latency_ns", "--bins", "match:5")
                .exit(2)
                .err()
                .contains("index is already defined differently"));
        cli.run("index", "close", "requests", "share").exit(2).says("no open index: source=requests, name=share");
        cli.run("index", "list", "nobody").exit(2);
        cli.run("index").exit(2).says("Missing required subcommand; see loom index --help");
    }

    @Test
    void shouldNeedAStoreThatNobodyWrites() {
        Path none = directory.resolve("none");
        cli.run("index", "add", "--dir", none.toString(), "requests", "latency_ns")
                .exit(3);
        assertFalse(Files.exists(none));
        try (Loom loom = Loom.open(LoomConfig.at(directory).build())) {
            assertEquals(1, loom.sources().size());
            cli.run("index", "add", "requests", "latency_ns").exit(3);
            cli.run("index", "list").ok().prints("");
        }
    }

    @Test
    void shouldIndexTheEventTimeOfAnImport() {
        cli.importText("events", "csv", "t,u\n5,a\n6,b\n", "--event-time", "t", "--event-clock", "wall")
                .ok();
        cli.importText("events", "csv", "t,u\n7,a\n", "--event-time", "t", "--event-clock", "wall")
                .ok();
        cli.importText("texts", "csv", "t,u\n2026-11-21T02:46:38Z,a\n", "--event-time", "t")
                .ok();
        cli.importText("json", "jsonl", "{\"t\":1}\n", "--event-time", "t", "--event-clock", "wall")
                .ok();
        assertEquals(
                List.of(
                        "{\"source\":\"events\",\"source_id\":2,\"name\":\"event-time\",\"id\":1,\"kind\":\"event-time\",\"field\":\"t\","
                                + "\"type\":\"i64\",\"unit\":\"1\",\"bins\":null,\"from_address\":N}",
                        "{\"source\":\"json\",\"source_id\":4,\"name\":\"event-time\",\"id\":2,\"kind\":\"event-time\",\"field\":\"t\","
                                + "\"type\":\"i64\",\"unit\":\"1\",\"bins\":null,\"from_address\":N}"),
                list());
    }

    /** The listing, without the addresses, which depend on how the store was opened. */
    private List<String> list(String... source) {
        List<String> arguments = new ArrayList<>(List.of("index", "list"));
        arguments.addAll(List.of(source));
        return cli.run(arguments.toArray(String[]::new)).ok().lines().stream()
                .map(line -> line.replaceAll("(?<=\"from_address\":)\\d+", "N"))
                .toList();
    }

    @Test
    void shouldTellWhatAnIndexLacksAndAddIt() {
        cli.importText("late", "csv", "v\n1\n2\n3\n").ok();
        String err = cli.run("index", "add", "late", "v").ok().err();
        assertTrue(
                err.endsWith("loom: the index does not cover the 3 existing records, which queries read"
                        + " instead; --backfill covers them\n"),
                err);
        assertEquals("0", fromTotals());
        String filled = cli.run("index", "add", "late", "v", "--backfill").ok().err();
        assertTrue(filled.endsWith("loom: rebuilt all indexes; late.v covers the 3 existing records\n"), filled);
        assertEquals("1", fromTotals());
    }

    @Test
    void shouldWaitForIndexesThatAreRebuiltBesideTheStore() {
        cli.importText("late", "csv", "v\n1\n2\n3\n").ok();
        cli.run("index", "add", "late", "v").ok();
        Console console = new Cli().console(OutputStream.nullOutputStream(), OutputStream.nullOutputStream());
        assertTrue(new IndexCommand(console).rewriteIndexes(directory, 0));
        assertEquals("1", fromTotals());
        try (LoomReader reader = LoomReader.attach(directory)) {
            assertEquals(Optional.empty(), reader.info().rebuild());
        }
    }

    private String fromTotals() {
        return cli.run("agg", "late", "v", "--explain")
                .ok()
                .err()
                .replaceAll("(?s).*\"chunks_from_totals\":(\\d+).*", "$1");
    }
}
