package dev.loom.cli.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.Source;
import dev.loom.cli.Cli;
import dev.loom.cli.Main;
import dev.loom.cli.console.Console;
import dev.loom.format.Formats;
import dev.loom.format.StructFormat;
import dev.loom.format.StructWriter;
import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tables, CSV and charts of groups, and how such queries end. */
final class GroupOutputTest {
    private static final long SECOND_NS = 1_000_000_000L;
    private static final StructFormat FORMAT = Formats.struct("op:utf8?,code:i32?,latency_ns:i64?,share:f32?");

    @TempDir
    Path directory;

    private final AtomicLong clock = new AtomicLong(Cli.NOW_NS - 100 * SECOND_NS);
    private final UnsafeBuffer payload = new UnsafeBuffer(new byte[8192]);

    private final class Pusher implements AutoCloseable {
        private final Loom loom;
        private final int source;
        private final StructWriter writer = new StructWriter(FORMAT);

        Pusher() {
            loom = Loom.open(LoomConfig.at(directory).clock(clock::get).build());
            source = loom.source("s").map(Source::id).orElseGet(() -> loom.defineSource("s", FORMAT));
        }

        void push(byte @Nullable [] op, @Nullable Integer code, @Nullable Long latency) {
            writer.begin(payload, 0);
            if (op != null) {
                writer.setUtf8(0, new UnsafeBuffer(op), 0, op.length);
            }
            if (code != null) {
                writer.setLong(1, code);
                writer.setDouble(3, code / 10.0);
            }
            if (latency != null) {
                writer.setLong(2, latency);
            }
            loom.push(source, payload, 0, writer.finish());
        }

        void push(@Nullable String op, @Nullable Integer code, @Nullable Long latency) {
            push(op == null ? null : op.getBytes(StandardCharsets.UTF_8), code, latency);
        }

        @Override
        public void close() {
            loom.close();
        }
    }

    private Cli cli() {
        return Cli.on(directory);
    }

    private String table(String... arguments) {
        return cli().environment("NO_COLOR", "1")
                .environment("COLUMNS", "120")
                .outTerminal()
                .run(arguments)
                .ok()
                .out();
    }

    private void few() {
        try (Pusher to = new Pusher()) {
            to.push("GET", 200, 40_000L);
            to.push("GET", 200, 60_000L);
            to.push("GET", 500, null);
            to.push((String) null, 200, 1_500_000L);
            to.push("SET", null, 7L);
        }
    }

    @Test
    void shouldAlignNumbersWithTheirUnitsAndNameWhatIsMissingOrTheRest() {
        few();
        assertEquals("""
                op         count    p50  distinct   mean    min    max    sum
                GET            2   40us         2   50us   40us   60us  100us
                (missing)      1  1.5ms         1  1.5ms  1.5ms  1.5ms  1.5ms
                SET            1    7ns         0    7ns    7ns    7ns    7ns
                """, table("agg", "s", "latency_ns", "--by", "op", "--percentile", "50", "--distinct", "code"));
        assertEquals("""
                     code  op         count
                      500  GET            1
                      200  GET            2
                      200  (missing)      1
                (missing)  SET            1
                """, table("agg", "s", "--by", "code,op", "--order", "-key"));
        assertEquals("""
                   code  op   count
                    500  GET      1
                (other)           4
                """, table("agg", "s", "--by", "code,op", "--order", "-key", "--limit", "1"));
    }

    @Test
    void shouldListValuesWithTheirShares() {
        few();
        assertEquals("""
                value      count   share
                GET            3  60.00%
                (missing)      1  20.00%
                (other)        1  20.00%
                """, table("values", "s", "op", "--limit", "2"));
        cli().run("values", "s", "op", "--limit", "1", "-o", "csv")
                .ok()
                .prints("value,other,count\nGET,false,3\n,true,2\n");
        cli().run("values", "s", "share", "-o", "json").ok().prints("""
                {"value":20.0,"count":3}
                {"value":null,"count":1}
                {"value":50.0,"count":1}
                """);
    }

    @Test
    void shouldPrintAFloatWithItsOwnDigits() {
        try (Pusher to = new Pusher()) {
            to.push("a", 1, 1L);
        }
        cli().run("values", "s", "share").ok().prints("{\"value\":0.1,\"count\":1}\n");
        cli().run("agg", "s", "--by", "share", "-o", "csv").ok().prints("share,other,count,rate\n0.1,false,1,\n");
    }

    @Test
    void shouldHaveAColumnForEachFieldOfTheKeyWhateverItsName() {
        cli().importText("odd", "jsonl", "{\"count\":3,\"by.count\":4,\"sum\":\"x\"}\n{\"count\":3}\n")
                .ok();
        cli().run("agg", "odd", "--by", "count,sum", "-o", "csv")
                .ok()
                .prints("by.count,sum,other,count,rate\n3,,false,1,\n3,x,false,1,\n");
        cli().run("agg", "odd", "count", "--by", "sum,count", "-o", "csv", "--limit", "0")
                .ok()
                .prints("by.sum,by.count,other,count,sum,min,max,mean,rate\n,,true,2,6,3,3,3.0,\n");
    }

    /** A key that commands a terminal, is no UTF-8, or looks like something else. */
    @Test
    void shouldNeverPassHostileKeysToATerminal() {
        try (Pusher to = new Pusher()) {
            to.push("\u001b[2J\u202e", 1, 1L);
            to.push(new byte[] {'x', (byte) 0xFF}, 2, 2L);
            to.push("(missing)", 3, 3L);
            to.push("", 4, 4L);
            to.push("a,\"b\"\n", 5, 5L);
            clock.addAndGet(10 * SECOND_NS);
            to.push("=1+2", 6, 6L);
        }
        String rows = table("agg", "s", "latency_ns", "--by", "op", "--order", "min");
        assertEquals(
                List.of("op", "\\u001b[2J\\u202e", "x\\xff", "\"(missing)\"", "\"\"", "a,\"b\"\\n", "=1+2"),
                rows.lines().map(line -> line.split(" {2,}", 2)[0]).toList());
        String drawn = table("agg", "s", "--by", "op", "--order", "key", "--step", "1s");
        assertFalse(drawn.contains("\u001b") || drawn.contains("\u202e"), drawn);
        assertTrue(drawn.contains("\\u001b[2J\\u202e │"), drawn);
        assertTrue(drawn.contains("\nx\\xff           │█"), drawn);
        String csv = cli().run("agg", "s", "--by", "op", "--order", "key", "-o", "csv")
                .ok()
                .out();
        assertTrue(csv.contains("\n\"\",false,1,"), csv);
        assertTrue(csv.contains("\n\"a,\"\"b\"\"\n\",false,1,"), csv);
        assertTrue(
                cli().run("agg", "s", "--by", "op", "-o", "csv-safe").ok().out().contains("\n'=1+2,false,1,"), csv);
        String json = cli().run("agg", "s", "--by", "op").ok().out();
        assertTrue(json.contains("\"by\":{\"op\":\"\\u001b[2J\\u202e\"}"), json);
        assertTrue(json.contains("\"by\":{\"op\":\"x\ufffd\"}"), json);
    }

    @Test
    void shouldDrawALineForEachGroup() {
        try (Pusher to = new Pusher()) {
            for (int step = 0; step < 8; step++) {
                for (int i = 0; i <= step; i++) {
                    to.push("up", 1, 1_000L * (step + 1));
                }
                if (step % 2 == 0) {
                    to.push((String) null, 1, 5L);
                }
                clock.addAndGet(SECOND_NS);
            }
        }
        assertEquals("""
                count in steps of 1s  greatest
                up        │▂▃▄▅▆▇██│ 8
                (missing) │█ █ █ █ │ 1
                          └────────
                          2026-11-21T02:45:00.000000000Z .. 2026-11-21T02:45:08.000000000Z
                """, table("agg", "s", "--by", "op", "--step", "1s"));
        String narrow = cli().environment("COLUMNS", "40")
                .environment("LC_ALL", "C")
                .run("agg", "s", "latency_ns", "--by", "op", "--step", "100ms", "--percentile", "99", "-o", "table")
                .ok()
                .out();
        assertTrue(narrow.startsWith("p99 of latency_ns in steps of 100ms, 3 a column  greatest\n"), narrow);
        assertTrue(narrow.contains("up        |") && narrow.contains("| 8us\n"), narrow);
        assertTrue(narrow.chars().allMatch(c -> c < 0x7F), narrow);
        assertTrue(narrow.lines().skip(1).allMatch(line -> line.length() <= 40), narrow);
        String sums = table("agg", "s", "latency_ns", "--by", "op", "--step", "2s", "--order", "-sum");
        assertTrue(sums.startsWith("sum of latency_ns in steps of 2s"), sums);
        assertTrue(sums.contains("│ 113us\n"), sums);
    }

    /** A line takes memory for the steps that have records, not for all that it spans: those of 8 GB here. */
    @Test
    void shouldDrawManyGroupsOverManySteps() {
        int groups = 2_000;
        clock.set(Cli.NOW_NS - 1_000_000 * SECOND_NS);
        try (Pusher to = new Pusher()) {
            for (int round = 0; round < 2; round++) {
                for (int i = 0; i < groups; i++) {
                    to.push((String) null, i, 5L);
                }
                clock.addAndGet(500_000 * SECOND_NS);
            }
        }
        String drawn = table("agg", "s", "--by", "code", "--step", "1s");
        assertEquals(
                groups, drawn.lines().filter(line -> line.endsWith("│ 1")).count(), () -> drawn.substring(0, 1_000));
    }

    @Test
    void shouldPrintARowForEachStepThatHasRecords() {
        few();
        long from = Cli.NOW_NS - 100 * SECOND_NS;
        cli().run("agg", "s", "--by", "code", "--step", "4s", "-o", "csv").ok().prints("""
                code,other,from,to,count,rate
                200,false,%1$d,%2$d,3,0.75
                ,false,%1$d,%2$d,1,0.25
                500,false,%1$d,%2$d,1,0.25
                """.formatted(
                        from, from + 4 * SECOND_NS));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--order count                | --order requires --by",
                "--limit 3                    | --limit requires --by",
                "--by op --order -size        | --order is none of key, count, rate, sum, min, max, mean, distinct or a",
                "--by op --order p101         | percentile out of range: p=101, min=0, max=100",
                "--by op --order distinct     | --order by distinct needs distinct values",
                "--by op,op                   | --by names a field twice: op,op",
                "--by oq                      | --by: unknown field: field=oq",
                "--distinct cod               | --distinct: unknown field: field=cod",
                "--by op --limit -1           | --limit is negative: -1",
                "--by op --groups-max 0       | --groups-max must be 1 to 4194304: 0",
                "--by op --step 0s            | --step is zero",
                "--by op --step 1fortnight    | --step: ",
                "--by op --step 1ns --from 2020-01-01T00:00:00Z | --step is too short: "
            })
    void shouldRefuse(String options, String message) {
        few();
        try (Pusher to = new Pusher()) {
            clock.addAndGet(SECOND_NS);
            to.push("GET", 1, 1L);
        }
        String[] arguments = ("agg s latency_ns " + options.strip()).split(" ", -1);
        String err = cli().run(arguments).exit(2).err();
        assertTrue(err.contains(message.strip()), err);
    }

    @Test
    void shouldRefuseAnOrderByValuesWhereRecordsAreCounted() {
        few();
        for (String order : List.of("sum", "-min", "max", "mean", "-p99")) {
            String err = cli().run("agg", "s", "--by", "op", "--order", order)
                    .exit(2)
                    .err();
            assertTrue(err.contains("--order by ") && err.contains(" needs a field"), err);
        }
        assertTrue(cli().run("values", "s", "op", "--by", "op").exit(2).err().contains("--by"));
    }

    @Test
    void shouldSayThatDistinctValuesAreNotAllCounted() {
        try (Pusher to = new Pusher()) {
            for (int i = 0; i < 100; i++) {
                to.push("op", i, 1L);
            }
        }
        String[] exactly = {"agg", "s", "--by", "op", "--distinct", "code", "--distinct-max", "100"};
        assertTrue(cli().run(exactly).ok().out().contains("\"distinct\":100,\"distinct_exact\":true,"));
        exactly[7] = "99";
        cli().run(exactly)
                .exit(4)
                .says("too many distinct values: found=100, max=99, records read=100; --distinct-max sets the"
                        + " cap, --rest other leaves those beyond it out");
        Cli.Result least = cli().run(
                        "agg", "s", "--by", "op", "--distinct", "code", "--distinct-max", "99", "--rest", "other")
                .ok();
        assertTrue(least.out().contains("\"distinct\":99,\"distinct_exact\":false,"), least.out());
        assertTrue(least.err().contains("there are more distinct values than the cap, 99"), least.err());
    }

    private void many() {
        try (Pusher to = new Pusher()) {
            for (int i = 0; i < 20_000; i++) {
                to.push("op" + i % 50, i, (long) i);
            }
        }
    }

    @Test
    void shouldEndEarlyWithWhatItHas() {
        many();
        String[] asked = {"agg", "s", "latency_ns", "--by", "op", "--order", "-p99", "--max-bytes-read", "300KiB"};
        Cli.Result some = cli().run(asked).exit(4);
        assertTrue(some.out().contains("\"percentiles\":{\"99\":null},\"complete\":false"), some.out());
        assertTrue(
                some.err().contains("ended before the percentiles that groups are ordered by were found"), some.err());
        assertTrue(some.err().contains("incomplete answer: {\"complete\":false,"), some.err());
        assertTrue(
                cli().run("values", "s", "op", "--timeout", "0s").exit(4).err().contains("\"limit\":\"time\""));
        assertTrue(cli().run("agg", "s", "--by", "op", "--step", "1s", "--timeout", "0s", "--time", "arrival")
                .exit(4)
                .err()
                .contains("\"limit\":\"time\""));
    }

    @Test
    void shouldTellThatNoRecordHasAFieldOfTheKey() {
        cli().importText("j", "jsonl", "{\"route\":\"/\",\"n\":1}\n{\"n\":2}\n").ok();
        String err = cli().run("agg", "j", "n", "--by", "n,rout").ok().err();
        assertTrue(err.startsWith("loom: no record that was read has a value in rout, seen=[n, route]"), err);
        assertTrue(err.endsWith("; did you mean route?\n"), err);
        assertTrue(cli().run("values", "j", "rout").ok().err().endsWith("; did you mean route?\n"));
        cli().run("agg", "j", "n", "--by", "n,route").ok();
        assertEquals("", cli().run("values", "j", "route").ok().err());
        assertEquals("", cli().run("values", "j", "route", "--limit", "0").ok().err());
    }

    @Test
    void shouldEndWhenInterrupted() {
        many();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Console console = cli().console(out, out);
        console.interruption().request();
        assertEquals(130, Main.run(console, "agg", "s", "latency_ns", "--by", "op", "--percentile", "50"));
        assertTrue(out.toString(StandardCharsets.UTF_8).contains("\"limit\":\"cancelled\""));
    }

    /** Keys take turns, and values grow, so that each answer tells whether it is of one moment. */
    @Test
    void shouldAnswerOfOneMomentWhileRecordsArrive() throws Exception {
        int keys = 7;
        int each = 20_000;
        AtomicInteger allowed = new AtomicInteger();
        AtomicInteger pushed = new AtomicInteger();
        try (Pusher to = new Pusher()) {
            Thread writer = new Thread(() -> {
                for (int i = 0; allowed.get() >= 0; ) {
                    if (i < allowed.get()) {
                        clock.addAndGet(1_000);
                        to.push("k" + i % keys, i % keys, (long) i++);
                        pushed.set(i);
                    } else {
                        Thread.onSpinWait();
                    }
                }
            });
            writer.start();
            try {
                for (int round = 1; round <= 5; round++) {
                    allowed.set(round * each);
                    requireOneMoment(keys);
                }
                while (writer.isAlive() && pushed.get() < 5 * each) {
                    Thread.onSpinWait();
                }
            } finally {
                allowed.set(-1);
                writer.join();
            }
            assertEquals(5L * each, requireOneMoment(keys));
        }
    }

    /** How many records all groups have. */
    private long requireOneMoment(int keys) {
        List<Map<String, @Nullable Object>> rows = cli()
                .run("agg", "s", "latency_ns", "--by", "code", "--percentile", "100", "--order", "key")
                .ok()
                .lines()
                .stream()
                .map(RowParser::parse)
                .toList();
        long all = rows.stream().mapToLong(row -> number(row, "count")).sum();
        for (int key = 0; key < rows.size(); key++) {
            Map<String, @Nullable Object> row = rows.get(key);
            long count = (all - key + keys - 1) / keys;
            assertEquals(count, number(row, "count"), row.toString());
            assertEquals((count - 1) * keys + key, number(row, "max"), row.toString());
            assertEquals(row.get("max"), ((Map<?, ?>) Objects.requireNonNull(row.get("percentiles"))).get("100"));
        }
        return all;
    }

    private static long number(Map<String, @Nullable Object> row, String name) {
        return ((BigDecimal) Objects.requireNonNull(row.get(name))).longValueExact();
    }
}
