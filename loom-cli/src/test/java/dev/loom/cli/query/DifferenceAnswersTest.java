package dev.loom.cli.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.cli.Cli;
import dev.loom.format.Formats;
import dev.loom.otlp.server.Endpoint;
import dev.loom.server.LoomServer;
import dev.loom.server.ServerSettings;
import dev.loom.server.time.ClockPair;
import dev.loom.server.time.EventTime;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What {@code diff} answers at the command line and over HTTP, against counts of the records as they were made: slow are those of host 3
 * with another operation than GET.
 */
final class DifferenceAnswersTest {
    private static final long MS = 1_000_000;
    private static final int COUNT = 3_000;

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);

    @TempDir
    Path directory;

    private Cli cli = new Cli();
    private LoomServer server;
    private final List<Made> made = new ArrayList<>();

    private record Made(int host, @Nullable String op, long latencyNs, int v, long eventNs, long arrivalNs) {
        boolean isSlow() {
            return latencyNs > 10 * MS;
        }

        boolean isQuick() {
            return !isSlow();
        }

        boolean isOnHost() {
            return host == 3;
        }

        boolean isAny() {
            return true;
        }
    }

    @BeforeEach
    void fill() throws IOException {
        System.out.println("DifferenceAnswersTest: -Dloom.test.seed=" + seed);
        long begin = Cli.NOW_NS - 100_000 * MS;
        AtomicLong clock = new AtomicLong(begin);
        try (Loom loom = Loom.open(LoomConfig.at(directory).clock(clock::get).build())) {
            EventTime eventTime = new EventTime("ts", new ClockPair(0, 0, 0, 0));
            int source = loom.defineSource("s", Formats.json(), eventTime.attributes());
            loom.defineSource("empty", Formats.json(), eventTime.attributes());
            for (int i = 0; i < COUNT; i++) {
                clock.addAndGet(MS);
                int host = random.nextInt(8);
                String op = List.of("GET", "SET", "null").get(random.nextInt(3));
                boolean slow = host == 3 && !op.equals("GET") && random.nextInt(10) > 0;
                Made record = new Made(
                        host,
                        op.equals("null") ? null : op,
                        (slow ? 50 : 1) * MS + random.nextInt(1_000),
                        random.nextInt(1_000),
                        clock.get() - 7 * MS,
                        clock.get());
                made.add(record);
                String json = "{\"ts\":" + record.eventNs() + ",\"at\":{\"host\":\"h" + host + "\"},"
                        + (record.op() == null ? "" : "\"op\":\"" + op + "\",") + "\"latency_ns\":" + record.latencyNs()
                        + ",\"user\":\"u" + random.nextInt(100_000) + "\",\"v\":" + record.v() + '}';
                loom.push(source, json.getBytes(StandardCharsets.UTF_8));
            }
        }
        cli = Cli.on(directory);
        server = LoomServer.open(ServerSettings.builder()
                .store(LoomConfig.at(directory).build())
                .api(Endpoint.parse("127.0.0.1:0"))
                .build());
    }

    @AfterEach
    void close() throws IOException {
        server.close();
    }

    private static long number(@Nullable Object value) {
        return new BigDecimal(String.valueOf(value)).longValueExact();
    }

    private String told(Object what) {
        return "seed=" + seed + ", " + what;
    }

    private long count(Predicate<Made> condition) {
        return made.stream().filter(condition).count();
    }

    /** The rows of a command; HTTP has the same lines. */
    private List<Map<String, @Nullable Object>> ask(String... namesAndValues) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("diff", "s"));
        List<String> json = new ArrayList<>(List.of("\"source\":\"s\""));
        for (int i = 0; i < namesAndValues.length; i += 2) {
            String value = namesAndValues[i + 1];
            json.add('"' + namesAndValues[i] + "\":\"" + value.replace("\"", "\\\"") + '"');
            if (namesAndValues[i].equals("field")) {
                arguments.add(2, value);
            } else {
                arguments.addAll(List.of("--" + namesAndValues[i], value));
            }
        }
        List<String> lines = cli.run(arguments.toArray(String[]::new)).ok().lines();
        List<String> http = post('{' + String.join(",", json) + '}').lines().toList();
        assertEquals(lines, http.subList(0, http.size() - 1), told(arguments));
        assertTrue(
                http.get(http.size() - 1).startsWith("{\"end\":{\"complete\":true,"), told(http.get(http.size() - 1)));
        return lines.stream().map(RowParser::parse).toList();
    }

    private String post(String body) throws Exception {
        URI uri = URI.create("http://" + server.addresses().get("http") + "/v1/diff");
        HttpRequest request = HttpRequest.newBuilder(uri)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body))
                .build();
        return HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body();
    }

    private void requireCounts(
            Map<String, @Nullable Object> row, Predicate<Made> chosen, Predicate<Made> others, Predicate<Made> holds) {
        Map<String, Long> counts = new LinkedHashMap<>();
        counts.put("selected", count(chosen.and(holds)));
        counts.put("selected_of", count(chosen));
        counts.put("against", count(others.and(chosen.negate()).and(holds)));
        counts.put("against_of", count(others.and(chosen.negate())));
        counts.forEach((name, expected) -> assertEquals(expected, number(row.get(name)), told(name + " of " + row)));
    }

    @Test
    void shouldFindTheCauseHoweverTheRecordsAreChosen() throws Exception {
        for (List<String> asked : List.of(
                List.of("where", "latency_ns > 10ms"),
                List.of("field", "latency_ns", "above", "10ms"),
                List.of("field", "latency_ns", "low", "49ms", "high", "51ms", "limit", "4"))) {
            List<Map<String, @Nullable Object>> rows = ask(asked.toArray(String[]::new));
            // with a range of a few quick records it may tell a little more than alone
            Map<String, @Nullable Object> cause = rows.stream()
                    .filter(row -> "at.host == \"h3\"".equals(row.get("where")))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError(told(rows)));
            assertEquals("h3", cause.get("value"), told(rows));
            assertEquals("at.host", cause.get("field"));
            requireCounts(cause, Made::isSlow, Made::isAny, Made::isOnHost);
            // of two kinds of "other than GET" each is a value; with host 3 each tells more than alone
            for (Map<String, @Nullable Object> row : rows) {
                String where = String.valueOf(row.get("where"));
                assertEquals(where.contains(" and "), row.containsKey("all"), told(row));
                assertEquals(where.contains(" and "), !row.containsKey("field"), told(row));
                Predicate<Made> holds = record -> (!where.contains("at.host") || record.host() == 3)
                        && (!where.contains("op is null") || record.op() == null)
                        && (!where.contains("op == \"SET\"") || "SET".equals(record.op()))
                        // ranges that chance found beside the cause
                        && isWithin(where, "v", record.v())
                        && isWithin(where, "ts", record.eventNs());
                requireCounts(row, Made::isSlow, Made::isAny, holds);
            }
        }
    }

    /** Whether a value meets what a condition says of a field's range. */
    private static boolean isWithin(String where, String field, long value) {
        return value >= bound(where, field + " >= ", Long.MIN_VALUE)
                && value < bound(where, field + " < ", Long.MAX_VALUE);
    }

    /** The number that a condition compares with. */
    private static long bound(String where, String comparison, long otherwise) {
        int at = where.indexOf(comparison);
        return at < 0
                ? otherwise
                : Long.parseLong(where.substring(at + comparison.length()).split(" ", 2)[0]);
    }

    @Test
    void shouldCompareOnlyWhatIsAskedFor() throws Exception {
        List<Map<String, @Nullable Object>> rows =
                ask("where", "latency_ns > 10ms", "against", "at.host == \"h3\"", "fields", "op", "min-support", "20%");
        assertTrue(rows.size() >= 1, told(rows));
        for (Map<String, @Nullable Object> row : rows) {
            assertEquals("op", row.get("field"));
            Object value = row.get("value");
            requireCounts(
                    row,
                    Made::isSlow,
                    Made::isOnHost,
                    record -> value == null ? record.op() == null : value.equals(record.op()));
        }
        assertEquals(1, ask("where", "latency_ns > 10ms", "limit", "1").size());
        assertEquals(
                2,
                post("{\"source\":\"s\",\"where\":\"latency_ns > 10ms\",\"n\":1}")
                        .lines()
                        .count());
    }

    @Test
    void shouldChooseTheRecordsOfAnyPartOfTheTime() throws Exception {
        long from = made.get(1_000).arrivalNs();
        long to = made.get(1_400).arrivalNs();
        String arrival = String.join(" ", timed("arrival", from, to));
        String event = String.join(" ", timed("event", from - 7 * MS, to - 7 * MS));
        assertEquals(arrival, event);
        assertTrue(arrival.startsWith("400 " + (COUNT - 400)), arrival);
        // the event times differ, as they choose by another name
        List<Map<String, @Nullable Object>> rows = ask("selected-from", from + "", "selected-to", to + "");
        assertEquals("ts", rows.get(0).get("field"), told(rows));
        assertTrue(rows.get(0).get("shift") instanceof Map<?, ?>, told(rows));
        assertEquals(List.of(), ask("selected-from", from + "", "selected-to", to + "", "fields", "user"));
        // both ends at once: a rectangle
        List<Map<String, @Nullable Object>> box = ask(
                "field",
                "latency_ns",
                "low",
                "10ms",
                "selected-from",
                from + "",
                "selected-to",
                to + "",
                "fields",
                "at.host");
        requireCounts(
                box.get(0),
                record -> record.isSlow() && record.arrivalNs() >= from && record.arrivalNs() < to,
                Made::isAny,
                Made::isOnHost);
    }

    private List<String> timed(String kind, long from, long to) throws Exception {
        String body = "{\"source\":\"s\",\"time\":\"" + kind + "\",\"selected-from\":" + from + ",\"selected-to\":" + to
                + '}';
        List<String> lines = post(body).lines().toList();
        Map<String, @Nullable Object> compared = compared(lines.get(lines.size() - 1));
        boolean times = String.valueOf(compared.get("fields")).contains("ts");
        assertEquals(!kind.equals("event"), times, told(compared));
        return List.of(number(compared.get("selected")) + "", number(compared.get("against")) + "");
    }

    @SuppressWarnings("unchecked")
    private static Map<String, @Nullable Object> compared(String end) {
        Map<String, @Nullable Object> outcome =
                (Map<String, @Nullable Object>) RowParser.parse(end).get("end");
        return (Map<String, @Nullable Object>) outcome.get("compared");
    }

    @Test
    void shouldTellWhatWasCompared() throws Exception {
        List<String> lines = post("{\"source\":\"s\",\"field\":\"latency_ns\",\"above\":\"p99\",\"where\":\"v >= 0\"}")
                .lines()
                .toList();
        String end = lines.get(lines.size() - 1);
        Map<String, @Nullable Object> compared = compared(end);
        assertTrue(
                end.contains(
                        "\"fields\":[\"at.host\",\"op\",\"ts\",\"user\"],\"fields_left_out\":[\"latency_ns\",\"v\"],"),
                told(end));
        List<Long> latencies = made.stream().map(Made::latencyNs).sorted().toList();
        long above = latencies.get(COUNT - COUNT / 100 - 1);
        boolean ties = latencies.get(COUNT - COUNT / 100) == above;
        assertTrue(end.contains((ties ? "\"at_least\":" : "\"above\":") + above), told(end));
        assertEquals(
                count(record -> ties ? record.latencyNs() >= above : record.latencyNs() > above),
                number(compared.get("selected")));
        assertEquals(lines.size() - 1, number(compared.get("findings")));
        String explained = cli.run("diff", "s", "--where", "latency_ns > 10ms", "--explain")
                .ok()
                .err();
        assertTrue(explained.contains("\"compared\":{\"selected\":" + count(Made::isSlow)), told(explained));
    }

    @Test
    void shouldDrawSharesOnATerminal() {
        String table = cli.environment("NO_COLOR", "1")
                .environment("COLUMNS", "80")
                .outTerminal()
                .run("diff", "s", "latency_ns", "--above", "10ms", "--fields", "at.host,op")
                .ok()
                .out();
        List<String> lines = table.lines().toList();
        assertEquals(
                String.format(
                        "%,d chosen, %,d others, compared in 2 fields, without latency_ns",
                        count(Made::isSlow), COUNT - count(Made::isSlow)),
                lines.get(0));
        assertTrue(lines.get(1).startsWith("at.host = h3  "), told(table));
        assertTrue(lines.get(1).matches(".* [0-9.,]+ x \\([0-9.,]+ to [0-9.,e+]+\\)"), told(table));
        assertTrue(lines.get(2).startsWith("  chosen █████"), told(table));
        assertTrue(lines.get(2).endsWith(" " + count(record -> record.isQuick() && record.isOnHost())), told(table));
        assertTrue(lines.stream().allMatch(line -> line.length() <= 80), told(table));
        String plain = Cli.on(directory)
                .environment("NO_COLOR", "1")
                .environment("COLUMNS", "40")
                .environment("LC_ALL", "C")
                .outTerminal()
                .run("diff", "s", "latency_ns", "--above", "10ms")
                .ok()
                .out();
        assertFalse(plain.isEmpty());
        String csv = cli.run("diff", "s", "--where", "latency_ns > 10ms", "-o", "csv")
                .ok()
                .out();
        List<String> rows = csv.lines().toList();
        assertEquals(
                "where,parts,selected,selected_of,against,against_of,risk_ratio,interval_low,interval_high,information,probability",
                rows.get(0));
        String cause = "\"at.host == \"\"h3\"\"\",," + count(record -> record.isSlow() && record.isOnHost()) + ','
                + count(Made::isSlow) + ',' + count(record -> record.isQuick() && record.isOnHost()) + ','
                + count(Made::isQuick) + ',';
        assertTrue(rows.stream().anyMatch(row -> row.startsWith(cause)), told(csv));
    }

    /** No condition names an array. */
    @Test
    void shouldSayInCsvWhatNoConditionNames() {
        StringBuilder json = new StringBuilder();
        for (int i = 0; i < 400; i++) {
            json.append(i % 4 == 0 ? "{\"ms\":50,\"tags\":[\"x\"]}\n" : "{\"ms\":1,\"tags\":[\"y\"]}\n");
        }
        Cli tagged = Cli.on(directory.resolve("tagged"));
        tagged.importText("tagged", "jsonl", json.toString()).ok();
        String csv = tagged.run("diff", "tagged", "--where", "ms > 10", "-o", "csv")
                .ok()
                .out();
        assertTrue(csv.contains("\n,\"[{\"\"field\"\":\"\"tags\"\",\"\"value\"\":[\"\"x\"\"]}]\",100,100,0,300,"), csv);
    }

    @Test
    void shouldSayWhyThereIsNoAnswer() throws Exception {
        assertTrue(cli.run("diff", "s", "--where", "latency_ns > 10s")
                .ok()
                .err()
                .contains("no record of the range is chosen"));
        assertTrue(cli.run("diff", "s", "--where", "latency_ns > 0")
                .ok()
                .err()
                .contains("all records of the range are chosen"));
        assertTrue(cli.run("diff", "s", "--where", "v < 500", "--fields", "user")
                .ok()
                .err()
                .contains("nothing is more frequent among the chosen records than chance explains"));
        assertTrue(cli.run("diff", "empty", "latency_ns", "--above", "p99")
                .ok()
                .err()
                .contains("no record has such a value"));
        String unseen = cli.run("diff", "s", "--where", "latncy_ns > 1").ok().err();
        assertTrue(unseen.contains("no record that was read has a value in latncy_ns"), told(unseen));
        assertTrue(unseen.endsWith("; did you mean latency_ns?\n"), told(unseen));
        assertTrue(cli.run("diff", "s", "--where", "v < 500", "--timeout", "0s")
                .exit(4)
                .err()
                .contains("\"limit\":\"time\""));
    }

    @Test
    void shouldRefuseWhatMakesNoSense() throws Exception {
        requireRefused("nothing chooses records", List.of(), "");
        requireRefused("above needs a field", List.of("--above", "p99"), ",\"above\":\"p99\"");
        requireRefused("low needs a field", List.of("--low", "1"), ",\"low\":1");
        requireRefused("field v needs values that choose", List.of("v"), ",\"field\":\"v\"");
        requireRefused(
                "against: ",
                List.of("--where", "v > 1", "--against", "v >"),
                ",\"where\":\"v > 1\",\"against\":\"v >\"");
        requireRefused(
                "min-support must be 1.0% to 100%: 0.9%",
                List.of("--where", "v > 1", "--min-support", "0.9%"), ",\"where\":\"v > 1\",\"min-support\":\"0.9%\"");
        requireRefused("is negative: -1", List.of("--where", "v > 1", "-n", "-1"), ",\"where\":\"v > 1\",\"n\":-1");
        requireRefused("low: not a number: x", List.of("v", "--low", "x"), ",\"field\":\"v\",\"low\":\"x\"");
        requireRefused(
                "above is neither a percentile nor a number: x",
                List.of("v", "--above", "x"),
                ",\"field\":\"v\",\"above\":\"x\"");
        requireRefused("not a time: ", List.of("--selected-from", "noon"), ",\"selected-from\":\"noon\"");
        assertTrue(post("{\"source\":\"s\",\"where\":\"v > 1\",\"by\":\"v\"}").contains("unknown member: by"));
    }

    private void requireRefused(String message, List<String> options, String members) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("diff", "s"));
        arguments.addAll(options);
        String err = cli.run(arguments.toArray(String[]::new)).exit(2).err();
        assertTrue(err.contains(message), told(err));
        String answer = post("{\"source\":\"s\"" + members + '}');
        assertTrue(answer.startsWith("{\"error\":{\"code\":\"bad_request\""), told(answer));
        assertTrue(answer.contains(message), told(answer));
        assertNull(RowParser.parse(answer).get("end"));
    }
}
