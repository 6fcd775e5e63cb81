package dev.loom.cli.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.cli.Cli;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Aggregates, histograms, largest records and correlations, on a store with a request each millisecond of ten seconds, which
 * took as many nanoseconds as its number, and with a deploy each second.
 */
class FieldQueryTest {
    private static final long START_NS = Cli.NOW_NS - 10_000_000_000L;
    private static final long MS = 1_000_000L;
    private static final PayloadFormat FORMAT = Formats.parse("struct:latency_ns:i64,share:f64,big:u64");

    @TempDir
    static Path directory;

    private final Cli cli = Cli.on(directory.resolve("store"));

    @BeforeAll
    static void write() {
        AtomicLong clock = new AtomicLong();
        LoomConfig config =
                LoomConfig.at(directory.resolve("store")).clock(clock::get).build();
        UnsafeBuffer payload = new UnsafeBuffer(new byte[24]);
        try (Loom loom = Loom.open(config)) {
            int requests = loom.defineSource("requests", FORMAT);
            int deploys = loom.defineSource("deploys", FORMAT);
            loom.defineSource("empty", FORMAT);
            loom.defineIndex(
                    requests, "latency_ns", IndexFunction.field(FORMAT, "latency_ns"), Bins.linear(0L, 10_000L, 10));
            for (int i = 0; i < 10_000; i++) {
                clock.set(START_NS + i * MS);
                payload.putLong(0, i, ByteOrder.LITTLE_ENDIAN);
                payload.putDouble(8, i / 10_000.0, ByteOrder.LITTLE_ENDIAN);
                payload.putLong(16, -1 - i, ByteOrder.LITTLE_ENDIAN);
                loom.push(requests, payload, 0, 24);
                if (i % 1_000 == 500) {
                    loom.push(deploys, payload, 0, 24);
                }
            }
        }
    }

    private List<String> ask(String... arguments) {
        return cli.run(arguments).ok().lines();
    }

    @Test
    void shouldAggregateInOneObject() {
        assertEquals(
                List.of("{\"source\":\"requests\",\"field\":\"latency_ns\",\"from\":null,\"to\":null,\"count\":10000,"
                        + "\"sum\":49995000,\"min\":0,\"max\":9999,\"mean\":4999.5,\"percentiles\":{\"50\":4999,"
                        + "\"99.99\":9998,\"100\":9999},\"complete\":true,\"lost\":0}"),
                ask("agg", "requests", "latency_ns", "--percentile", "50,p99.99", "--percentile", "100"));
        assertEquals(
                List.of("{\"source\":\"requests\",\"field\":\"share\",\"from\":" + (START_NS + 10 * MS) + ",\"to\":"
                        + (START_NS + 20 * MS) + ",\"count\":5,\"sum\":0.0085,\"min\":0.0015,\"max\":0.0019,"
                        + "\"mean\":0.0017000000000000001,\"percentiles\":{},\"complete\":true,\"lost\":0}"),
                ask(
                        "agg",
                        "requests",
                        "share",
                        "--from",
                        "" + (START_NS + 10 * MS),
                        "--to",
                        "" + (START_NS + 20 * MS),
                        "--where",
                        "latency_ns >= 15"));
        assertTrue(ask("agg", "requests", "big").get(0).contains("\"max\":18446744073709551615,"));
        assertTrue(ask("agg", "empty", "latency_ns", "--percentile", "5")
                .get(0)
                .endsWith("\"count\":0,\"sum\":0,\"min\":null,\"max\":null,\"mean\":null,\"percentiles\":{\"5\":null},"
                        + "\"complete\":true,\"lost\":0}"));
        String table = cli.outTerminal()
                .run("agg", "requests", "latency_ns", "--percentile", "50")
                .ok()
                .out();
        assertEquals("""
                field       count       sum  min      max      mean      p50
                latency_ns  10000  49.995ms  0ns  9.999us  4.9995us  4.999us
                """, table.replaceAll("\u001b\\[[0-9;]*m", ""));
    }

    @Test
    void shouldPrintTheLargest() {
        List<String> top = ask("top", "requests", "latency_ns", "-n", "3", "--where", "latency_ns < 5000");
        assertEquals(3, top.size());
        for (int i = 0; i < 3; i++) {
            assertTrue(top.get(i).contains("\"ts\":" + (START_NS + (4999 - i) * MS) + ","), top.get(i));
            assertTrue(top.get(i).contains("\"latency_ns\":" + (4999 - i) + ","), top.get(i));
        }
        assertEquals(10, ask("top", "requests", "share").size());
        assertEquals(List.of(), ask("top", "empty", "share"));
    }

    @Test
    void shouldPrintTheSmallest() {
        List<String> smallest = ask("top", "requests", "latency_ns", "-n", "2", "--asc", "--where", "latency_ns > 7");
        assertEquals(2, smallest.size());
        assertTrue(smallest.get(0).contains("\"latency_ns\":8,"), smallest.get(0));
        assertTrue(smallest.get(1).contains("\"latency_ns\":9,"), smallest.get(1));
        String big = ask("top", "requests", "big", "-n", "1", "--asc").get(0);
        assertTrue(big.endsWith("\"big\":18446744073709541616}}"), big);
    }

    @Test
    void shouldPrintChosenFieldsInTheirOrder() {
        for (String[] asked : new String[][] {
            {"scan", "requests", "--limit", "1"},
            {"top", "requests", "latency_ns", "-n", "1"},
            {"tail", "requests", "-n", "1"},
            {"correlate", "deploys", "latency_ns", "--above", "9400", "--with", "requests", "--within", "0ns"}
        }) {
            List<String> arguments = new ArrayList<>(List.of(asked));
            arguments.addAll(List.of("--fields", "share,latency_ns"));
            String line = ask(arguments.toArray(String[]::new)).get(0);
            assertTrue(line.matches(".*\"fields\":\\{\"share\":0\\.\\d+,\"latency_ns\":\\d+}}"), line);
        }
        assertEquals(
                "time,ts,source,addr,big,share",
                ask("scan", "requests", "--limit", "1", "--fields", "big", "--fields", "share", "-o", "csv")
                        .get(0));
        assertUsage(
                "--fields: unknown field: field=lat, format=struct, fields=[latency_ns, share, big]",
                new String[] {"scan", "requests", "--fields", "lat"});
        assertUsage(
                "--fields is not for -o raw, which prints payloads as they are",
                new String[] {"scan", "requests", "--fields", "big", "-o", "raw"});
        Cli json = Cli.onSmallStore(directory.resolve("json"));
        json.importText("j", "jsonl", "{\"a\":1,\"b\":{\"c\":\"x\"}}\n{\"a\":2}\n")
                .ok();
        assertEquals(
                List.of("{\"b.c\":\"x\",\"a\":1}}", "{\"b.c\":null,\"a\":2}}"),
                json.run("scan", "j", "--asc", "--fields", "b.c,a").ok().lines().stream()
                        .map(line -> line.substring(line.indexOf("\"fields\":") + 9))
                        .toList());
    }

    @Test
    void shouldSayWhichFieldNoRecordHas() {
        Cli json = Cli.onSmallStore(directory.resolve("seen"));
        json.importText("j", "jsonl", "{\"a\":1,\"c\":1}\n{\"a\":2}\n").ok();
        json.run("scan", "j", "--where", "a == 1 and latencyms > 5")
                .ok()
                .prints("")
                .says("no record that was read has a value in latencyms, seen=[a, c]");
        json.importText("k", "jsonl", "{\"http\":{\"route\":\"/\"},\"latency_ms\":1}\n")
                .ok();
        json.run("scan", "k", "--where", "latncy_ms > 5")
                .ok()
                .says("no record that was read has a value in latncy_ms, seen=[http.route, latency_ms];"
                        + " did you mean latency_ms?");
        json.run("tail", "k", "--where", "route == 'x'").ok().prints("");
        json.run("agg", "j", "a", "--where", "c == 1 or a == 2")
                .ok()
                .prints(json.run("agg", "j", "a").ok().out());
        json.run("scan", "j", "--where", "c > 5").ok().prints("");
        assertEquals("", json.run("scan", "j", "--where", "c > 5").err());
    }

    @Test
    void shouldCountByValueTimeAndBoth() {
        List<String> values = ask("hist", "requests", "latency_ns");
        assertEquals(10, values.size());
        assertEquals("{\"low\":0,\"high\":999,\"count\":1000}", values.get(0));
        List<String> times = ask("hist", "requests", "latency_ns", "--by", "time", "--step", "1s");
        assertEquals(10, times.size());
        assertEquals(
                "{\"from\":" + START_NS + ",\"to\":" + (START_NS + 1000 * MS)
                        + ",\"count\":1000,\"min\":0,\"max\":999}",
                times.get(0));
        List<String> both = ask("hist", "requests", "latency_ns", "--by", "value,time", "--step", "2s");
        assertEquals(10, both.size());
        assertTrue(both.get(9).startsWith("{\"from\":" + (START_NS + 8000 * MS) + ",\"to\":"), both.get(9));
        assertTrue(both.get(9).endsWith("\"low\":9000,\"high\":9999,\"count\":1000}"), both.get(9));
        assertEquals(List.of(), ask("hist", "empty", "share"));
        cli.run("hist", "empty", "share", "--by", "time").ok().says("no records in the range");
    }

    @Test
    void shouldDrawInATerminal() {
        cli.outTerminal().environment("COLUMNS", "40");
        String coloured = cli.run("hist", "requests", "latency_ns").ok().out();
        assertTrue(coloured.contains("\u001b["), coloured);
        cli.environment("NO_COLOR", "1");
        assertEquals(
                """
                latency_ns  count     up to
                      0 ns  1,000   10.00%  ████████████
                      1 us  1,000   20.00%  ████████████
                """,
                cli.run("hist", "requests", "latency_ns").ok().lines().stream()
                        .limit(3)
                        .reduce("", (all, line) -> all + line + "\n"));
        for (String by : new String[] {"time", "value,time"}) {
            List<String> lines =
                    cli.run("hist", "requests", "latency_ns", "--by", by).ok().lines();
            assertTrue(lines.size() > 10);
            lines.forEach(line -> assertTrue(line.length() <= 40, line));
        }
    }

    @Test
    void shouldCorrelate() {
        List<String> around =
                ask("correlate", "requests", "latency_ns", "--above", "p99.99", "--with", "deploys", "--before", "1s");
        assertEquals(1, around.size());
        assertTrue(
                around.get(0).matches("\\{.*\"source\":\"deploys\",\"addr\":\\d+,\"cause\":\\d+,\"fields\":.*"),
                around.get(0));
        cli.run("correlate", "requests", "latency_ns", "--above", "p99.99", "--with", "deploys", "--after", "1s")
                .ok()
                .prints("");
        assertEquals(
                9599 - 9401 + 1,
                ask("correlate", "deploys", "latency_ns", "--above", "9us", "--with", "requests", "--within", "99ms")
                        .size());
        List<String> each =
                ask("correlate", "requests", "latency_ns", "--above", "9989", "--with", "deploys", "--within", "600ms");
        assertEquals(10, each.size());
        assertEquals(
                each.subList(0, 1),
                ask(
                        "correlate",
                        "requests",
                        "latency_ns",
                        "--above",
                        "9989",
                        "--with",
                        "deploys",
                        "--within",
                        "600ms",
                        "--distinct"));
        assertEquals(
                List.of(), ask("correlate", "empty", "share", "--above", "p50", "--with", "deploys", "--within", "1s"));
    }

    @Test
    void shouldRefuseWhatMakesNoSense() {
        String[] correlate = {"correlate", "requests", "latency_ns", "--with", "deploys", "--above"};
        assertUsage("give exactly one of --within, --before, --after and --overlap", correlate, "p99");
        assertUsage(
                "--overlap takes two fields, for example latency_ns,latency_ns",
                correlate,
                "p99",
                "--overlap",
                "latency_ns");
        assertUsage("not a percentile: px; for example 99.99 or p99.99", correlate, "px", "--within", "1s");
        assertUsage("percentile out of range: p=100.5, min=0, max=100", correlate, "p100.5", "--within", "1s");
        assertUsage(
                "source has no event time: requests; import sets it with --event-time",
                correlate,
                "5",
                "--within",
                "1s",
                "--time",
                "event");
        assertUsage("--step requires --by time", new String[] {"hist", "requests", "share", "--step", "1s"});
        assertUsage("--step is zero", new String[] {"hist", "requests", "share", "--by", "time", "--step", "0s"});
        assertUsage("-n must be 1 to 16384: 0", new String[] {"top", "requests", "share", "-n", "0"});
        cli.run("agg", "requests", "nothing").exit(2);
        cli.run("agg", "nothing", "share").exit(2);
        cli.run("top", "requests").exit(2);
    }

    private void assertUsage(String message, String[] begin, String... rest) {
        cli.run(with(begin, rest)).exit(2).says(message);
    }

    @Test
    void shouldGiveBoundsOfPercentiles() {
        String[] asked = {"agg", "requests", "latency_ns", "--percentile", "50,100", "--within"};
        String json = ask(with(asked, "15%")).get(0);
        assertTrue(
                json.contains("\"percentiles\":{\"50\":{\"estimate\":4999.0,\"lower\":4999,\"upper\":4999},"
                        + "\"100\":{\"estimate\":9999.0,\"lower\":9999,\"upper\":9999}},"),
                json);
        assertEquals(
                "field,count,sum,min,max,mean,p50,p50.lower,p50.upper,p100,p100.lower,p100.upper",
                cli.run(with(asked, "15%", "-o", "csv")).ok().lines().get(0));
        assertUsage("--within is not a share from above 0% to 100%: 0%; for example 2%", asked, "0%");
        assertUsage(
                "--within is not for groups or steps: their percentiles are exact", asked, "1%", "--by", "latency_ns");
    }

    @Test
    void shouldExplainAndDoWithoutIndexes() {
        String with = cli.run("agg", "requests", "latency_ns", "--explain").ok().err();
        assertTrue(with.contains("index latency_ns #1"), with);
        assertFalse(with.contains("\"chunks_from_totals\":0,"), with);
        String without = cli.run("agg", "requests", "latency_ns", "--explain", "--disable-index", "chunk")
                .ok()
                .err();
        assertTrue(without.contains("\"chunk_index\":\"not used: disabled\""), without);
        assertTrue(without.contains("\"chunks_from_totals\":0,"), without);
        String where = cli.run("scan", "requests", "--where", "latency_ns > 9us", "--explain")
                .ok()
                .err();
        assertTrue(where.matches("(?s).*\"pages_skipped_by_bins\":[1-9].*"), where);
    }

    @Test
    void shouldEndAtABudgetWithWhatItHas() {
        for (String command : new String[] {"agg", "hist", "top"}) {
            Cli.Result result = cli.run(command, "requests", "share", "--max-bytes-read", "1")
                    .exit(4);
            assertTrue(result.err().contains("\"limit\":\"bytes\""), result.err());
        }
        assertTrue(cli.run("agg", "requests", "share", "--timeout", "0s")
                .exit(4)
                .out()
                .contains("\"complete\":false"));
        cli.run(
                        "correlate",
                        "requests",
                        "latency_ns",
                        "--above",
                        "5",
                        "--with",
                        "deploys",
                        "--within",
                        "1s",
                        "--timeout",
                        "0s")
                .exit(4);
    }

    @Test
    void shouldKeepIntegersExactOfFieldsWithoutAType() {
        Cli json = Cli.on(directory.resolve("json"));
        json.importText(
                        "n",
                        "jsonl",
                        "{\"n\":9223372036854775807}\n{\"n\":9007199254740993}\n{\"n\":18446744073709551615}\n")
                .ok();
        assertTrue(
                json.run("agg", "n", "n", "--percentile", "50", "-o", "json")
                        .ok()
                        .out()
                        .contains("\"count\":3,\"sum\":27679123309819068415,\"min\":9007199254740993,"
                                + "\"max\":18446744073709551615,\"mean\":9.226374436606355E18,"
                                + "\"percentiles\":{\"50\":9223372036854775807}"),
                json.run("agg", "n", "n", "--percentile", "50", "-o", "json").out());
        assertEquals(
                1,
                json.run(
                                "correlate",
                                "n",
                                "n",
                                "--above",
                                "9223372036854775807",
                                "--with",
                                "n",
                                "--within",
                                "0s",
                                "--distinct")
                        .out()
                        .lines()
                        .filter(line -> line.contains("18446744073709551615"))
                        .count());
    }

    @Test
    void shouldCountWithoutAField() {
        assertTrue(
                ask("agg", "requests").get(0).contains("\"count\":10000,\"complete\":true"),
                ask("agg", "requests").get(0));
        assertTrue(ask("agg", "requests", "--where", "latency_ns > 9989").get(0).contains("\"count\":10,"));
        assertFalse(ask("hist", "requests", "--by", "time").isEmpty());
        assertUsage("--percentile needs a field", new String[] {"agg", "requests"}, "--percentile", "50");
        assertUsage(
                "hist by value needs a field; hist SOURCE --by time counts records without one",
                new String[] {"hist", "requests"});
        assertTrue(cli.run("top", "requests").exit(2).err().contains("Missing required parameter: 'FIELD'"));
    }

    @Test
    void shouldTellWhichFieldsThereAre() {
        assertUsage(
                "unknown field: field=Latency_NS, format=struct, fields=[latency_ns, share, big];"
                        + " did you mean latency_ns?",
                new String[] {"agg", "requests"},
                "Latency_NS");
        assertUsage(
                "unknown field: field=nope, format=struct, fields=[latency_ns, share, big]",
                new String[] {"top", "requests"},
                "nope");
    }

    @Test
    void shouldCorrelateWithSomeCausesAndUpToALimit() {
        String[] all = {
            "correlate", "requests", "latency_ns", "--above", "9989", "--with", "deploys", "--within", "600ms"
        };
        assertEquals(10, ask(all).size());
        assertEquals(3, ask(with(all, "--limit", "3")).size());
        assertEquals(2, ask(with(all, "--where", "latency_ns > 9997")).size());
        // nothing is above the maximum, so those with it are meant
        cli.run("correlate", "requests", "latency_ns", "--above", "p100", "--with", "deploys", "--before", "1s")
                .ok()
                .says("latency_ns at or above 9999, percentile 100 of 10000 values");
        assertEquals(
                1,
                ask("correlate", "requests", "latency_ns", "--above", "p100", "--with", "deploys", "--before", "1s")
                        .size());
    }

    private static String[] with(String[] arguments, String... more) {
        return Stream.concat(Stream.of(arguments), Stream.of(more)).toArray(String[]::new);
    }
}
