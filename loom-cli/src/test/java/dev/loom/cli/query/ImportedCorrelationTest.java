package dev.loom.cli.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.cli.Cli;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Records that were imported have arrived all at once, whenever what they tell of happened. */
class ImportedCorrelationTest {
    private static final long T = 1_795_229_190_000_000_000L;

    @TempDir
    Path directory;

    private Cli cli = new Cli();

    @BeforeEach
    void open() {
        cli = Cli.onSmallStore(directory);
    }

    private Cli.Result correlate(String... more) {
        String[] all = new String[more.length + 6];
        System.arraycopy(new String[] {"correlate", "a", "latency_ms", "--with", "b", "--above"}, 0, all, 0, 6);
        System.arraycopy(more, 0, all, 6, more.length);
        return cli.run(all).ok();
    }

    private static List<String> ids(Cli.Result result) {
        return result.lines().stream()
                .map(line -> line.replaceAll(".*\"id\":(\\d+).*", "$1"))
                .toList();
    }

    @Test
    void shouldGoByEventTimeWhereBothSourcesHaveIt() {
        cli.importText("a", "csv", "t_ns,latency_ms\n" + T + ",60\n" + (T + 1_000) + ",40\n", "--event-time", "t_ns")
                .ok();
        cli.importText(
                        "b",
                        "csv",
                        "t_ns,id\n" + (T - 5_000_000) + ",1\n" + (T + 9_000_000_000L) + ",2\n",
                        "--event-time",
                        "t_ns")
                .ok();
        assertEquals(List.of("1"), ids(correlate("50ms", "--within", "10ms")));
        Cli.Result none = correlate("50ms", "--within", "1ns", "--time", "arrival");
        assertEquals("", none.out());
        assertTrue(
                none.err().contains("loom: no matches: causes=1, by arrival, records of b=2, arrived from "),
                none.err());
        assertTrue(none.err().endsWith("; imported records arrive at the time of their import\n"), none.err());
        Cli.Result far = correlate("50ms", "--after", "1ms");
        assertEquals("loom: no matches: causes=1, by event time, records of b=2\n", far.err());
        assertEquals(
                "loom: no causes: no record of a in the range has such a latency_ms\n",
                correlate("61ms", "--within", "10s").err());
    }

    @Test
    void shouldSayThatOneSourceHasNoEventTime() {
        cli.importText("a", "csv", "t_ns,latency_ms\n" + T + ",60\n", "--event-time", "t_ns")
                .ok();
        cli.importText("b", "csv", "t_ns,id\n" + T + ",1\n").ok();
        String err = correlate("50ms", "--within", "1ns").err();
        assertTrue(err.endsWith("the time of their import; b has no event time\n"), err);
    }

    @Test
    void shouldLetRecordsBeginAtTheirTime() {
        cli.importText("a", "csv", "t_ns,latency_ms\n" + T + ",60\n", "--event-time", "t_ns", "--event-at", "start")
                .ok();
        String others = "t_ns,took_us,id\n" + (T - 30_000_000) + ",29000,1\n" + (T - 30_000_000) + ",31000,2\n"
                + (T + 50_000_000) + ",1,3\n" + (T + 61_000_000) + ",10000,4\n";
        cli.importText("b", "csv", others, "--event-time", "t_ns", "--event-at", "start")
                .ok();
        assertEquals(List.of("2", "3"), ids(correlate("50ms", "--overlap", "latency_ms,took_us")));
        cli.run("source", "set", "b", "--event-at", "end").ok();
        assertEquals(List.of("3", "4"), ids(correlate("50ms", "--overlap", "latency_ms,took_us")));
        cli.run("source", "set", "a", "--event-at", "end").ok().says("source a has the event time t_ns (wall)");
        assertEquals(List.of("1", "2"), ids(correlate("50ms", "--overlap", "latency_ms,took_us")));
    }

    @Test
    void shouldShowOnlyRecordsThatMeetTheirOwnConditions() {
        cli.importText("a", "csv", "t_ns,latency_ms,id\n" + T + ",60,1\n", "--event-time", "t_ns")
                .ok();
        String others = "t_ns,latency_ms,id\n" + T + ",3,1\n" + T + ",70,2\n" + T + ",80,3\n" + T + ",90,4\n";
        cli.importText("b", "csv", others, "--event-time", "t_ns").ok();
        for (String index : List.of("without", "with")) {
            // each source has the fields of both conditions, so a mix-up would show
            String[] asked = {
                "50ms",
                "--within",
                "1s",
                "--where",
                "id == 1",
                "--with-where",
                "latency_ms > 60ms",
                "--with-where",
                "id < 4"
            };
            assertEquals(List.of("2", "3"), ids(correlate(asked)), index);
            cli.run("index", "add", "b", "latency_ms", "--backfill").ok();
        }
        assertEquals(List.of(), ids(correlate("50ms", "--within", "1s", "--where", "id == 2")));
        cli.run("correlate", "a", "id", "--above", "0", "--with", "b", "--within", "1s", "--with-where", "idd == 1")
                .exit(2)
                .says(
                        "--with-where: unknown field: field=idd, format=struct, fields=[t_ns, latency_ms, id]; did you mean id?");
    }

    @Test
    void shouldSayThatARangeReachesIntoTheFutureOnlyIfItDoes() {
        cli.importText("a", "csv", "t_ns\n" + T + "\n", "--event-time", "t_ns").ok();
        String told = "the range ends after the newest record; answered as of ";
        try (Loom live = Loom.open(directory)) {
            assertEquals(1, live.sources().size());
            String past = cli.run("scan", "a", "--time", "event", "--to", Long.toString(T + 1))
                    .ok()
                    .err();
            assertFalse(past.contains(told), past);
            for (String time : List.of("event", "arrival")) {
                String future = cli.run("scan", "a", "--time", time, "--to", "2100-01-01T00:00:00Z")
                        .ok()
                        .err();
                assertTrue(future.contains(told), future);
            }
            String steps = cli.run("agg", "a", "--by", "t_ns", "--step", "73000d", "--to", "2100-01-01T00:00:00Z")
                    .ok()
                    .err();
            assertTrue(steps.contains(told), steps);
        }
    }

    @Test
    void shouldCompareInTheUnitOfTheField() {
        cli.importText("a", "jsonl", "{\"latency_ms\":51}\n{\"latency_ms\":49}\n{\"latency_ms\":50000001}\n")
                .ok();
        for (String index : List.of("without", "with")) {
            assertEquals(
                    2,
                    cli.run("scan", "a", "--where", "latency_ms > 50ms")
                            .ok()
                            .lines()
                            .size(),
                    index);
            cli.run("index", "add", "a", "latency_ms", "--backfill").ok();
        }
        cli.run("scan", "a", "--where", "latency_ms > 50KiB")
                .exit(2)
                .says("--where: units can't be compared: field=latency_ms, unit=ms, literal=51200B");
    }
}
