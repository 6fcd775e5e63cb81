package dev.loom.cli.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
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
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What {@code agg --by} and {@code values} answer at the command line and over HTTP, against maps made of what a scan prints. The store
 * is random: keys of every kind, missing ones, and values that few records lack.
 */
final class GroupAnswersTest {
    private static final long MS = 1_000_000;
    private static final List<String> KEYS = List.of(
            "\"a\"",
            "\"b\"",
            "\"\"",
            "\"1\"",
            "1",
            "1.0",
            "2.5",
            "-7",
            "true",
            "null",
            "[1,2]",
            "\"(other)\"",
            "\"\\u001b[31m\"",
            "\"x,y\\\"z\\n\"",
            "\"null\"",
            "18446744073709551615");

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);

    @TempDir
    Path directory;

    private Cli cli = new Cli();
    private List<Map<String, @Nullable Object>> records = List.of();
    private LoomServer server;

    @BeforeEach
    void fill() throws IOException {
        System.out.println("GroupAnswersTest: -Dloom.test.seed=" + seed);
        AtomicLong clock = new AtomicLong(Cli.NOW_NS - 100_000 * MS);
        try (Loom loom = Loom.open(LoomConfig.at(directory).clock(clock::get).build())) {
            EventTime eventTime = new EventTime("ts", new ClockPair(0, 0, 0, 0));
            int source = loom.defineSource("s", Formats.json(), eventTime.attributes());
            loom.defineSource("empty", Formats.json(), eventTime.attributes());
            int count = 1 + random.nextInt(4_000);
            int kinds = 1 + random.nextInt(KEYS.size());
            for (int i = 0; i < count; i++) {
                clock.addAndGet(random.nextInt(3) == 0 ? random.nextLong(20 * MS) : 0);
                loom.push(source, record(kinds, clock.get()).getBytes(StandardCharsets.UTF_8));
            }
        }
        cli = Cli.on(directory);
        records = cli.run("scan", "s", "--asc").ok().lines().stream()
                .map(line -> {
                    Map<String, @Nullable Object> row = RowParser.parse(line);
                    Map<String, @Nullable Object> fields = new HashMap<>();
                    ((Map<?, ?>) Objects.requireNonNull(row.get("fields")))
                            .forEach((name, value) -> fields.put((String) name, value));
                    fields.put("", row.get("ts"));
                    return fields;
                })
                .toList();
        server = LoomServer.open(ServerSettings.builder()
                .store(LoomConfig.at(directory).build())
                .api(Endpoint.parse("127.0.0.1:0"))
                .build());
    }

    private String record(int kinds, long nowNs) {
        List<String> members = new ArrayList<>();
        if (random.nextInt(8) > 0) {
            members.add("\"k\":" + KEYS.get(random.nextInt(kinds)));
        }
        members.add("\"n\":" + random.nextInt(4));
        if (random.nextInt(10) > 0) {
            members.add("\"v\":" + (random.nextInt(20) == 0 ? "\"none\"" : random.nextInt(2_000) - 300));
        }
        members.add("\"user\":\"u" + random.nextInt(40) + '"');
        if (random.nextInt(20) > 0) {
            members.add("\"ts\":" + (nowNs - random.nextLong(30 * MS)));
        }
        Collections.shuffle(members, random);
        return '{' + String.join(",", members) + '}';
    }

    @AfterEach
    void close() throws IOException {
        server.close();
    }

    private String told(Object what) {
        return "seed=" + seed + ", " + what;
    }

    /** The rows of a command; HTTP has the same lines. */
    private List<Map<String, @Nullable Object>> ask(String command, Map<String, String> members) throws Exception {
        List<String> arguments = new ArrayList<>(List.of(command, members.get("source")));
        List<String> json = new ArrayList<>();
        members.forEach((name, value) -> {
            json.add('"' + name + "\":\"" + value.replace("\"", "\\\"") + '"');
            if (name.equals("field")) {
                arguments.add(2, value);
            } else if (!name.equals("source")) {
                arguments.addAll(List.of("--" + name, value));
            }
        });
        List<String> lines = cli.run(arguments.toArray(String[]::new)).ok().lines();
        List<String> http =
                post(command, '{' + String.join(",", json) + '}').lines().toList();
        assertEquals(lines, http.subList(0, http.size() - 1), told(arguments));
        assertTrue(
                http.get(http.size() - 1).startsWith("{\"end\":{\"complete\":true,"), told(http.get(http.size() - 1)));
        return lines.stream().map(RowParser::parse).toList();
    }

    private String post(String command, String body) throws Exception {
        URI uri = URI.create("http://" + server.addresses().get("http") + "/v1/" + command);
        HttpRequest request = HttpRequest.newBuilder(uri)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body))
                .build();
        return HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body();
    }

    private static Map<String, String> members(String... namesAndValues) {
        Map<String, String> members = new LinkedHashMap<>(Map.of("source", "s"));
        for (int i = 0; i < namesAndValues.length; i += 2) {
            members.put(namesAndValues[i], namesAndValues[i + 1]);
        }
        return members;
    }

    /** Groups records by the values of fields and something else. */
    private Map<List<@Nullable Object>, List<Map<String, @Nullable Object>>> groups(
            Function<Map<String, @Nullable Object>, @Nullable Object> step, String... fields) {
        Map<List<@Nullable Object>, List<Map<String, @Nullable Object>>> groups = new HashMap<>();
        for (Map<String, @Nullable Object> record : records) {
            List<@Nullable Object> key = new ArrayList<>();
            for (String field : fields) {
                key.add(record.get(field));
            }
            key.add(step.apply(record));
            groups.computeIfAbsent(key, any -> new ArrayList<>()).add(record);
        }
        return groups;
    }

    private static List<@Nullable Object> key(Map<String, @Nullable Object> row) {
        return new ArrayList<>(((Map<?, ?>) Objects.requireNonNull(row.get("by"))).values());
    }

    private static BigDecimal number(Map<String, @Nullable Object> row, String name) {
        return (BigDecimal) Objects.requireNonNull(row.get(name), name);
    }

    private static @Nullable Object percentile(Map<String, @Nullable Object> row, String percentile) {
        return ((Map<?, ?>) Objects.requireNonNull(row.get("percentiles"))).get(percentile);
    }

    /** What a row says, against the records of its group. */
    private void requireRow(Map<String, @Nullable Object> row, List<Map<String, @Nullable Object>> members) {
        List<BigDecimal> values = members.stream()
                .map(record -> record.get("v"))
                .filter(BigDecimal.class::isInstance)
                .map(BigDecimal.class::cast)
                .sorted()
                .toList();
        BigDecimal sum = values.stream().reduce(BigDecimal.ZERO, BigDecimal::add);
        Set<Object> users = new HashSet<>();
        members.forEach(record -> users.add(Objects.requireNonNull(record.get("user"))));
        String told = told(row + ", values=" + values);
        assertEquals(BigDecimal.valueOf(values.size()).compareTo(number(row, "count")), 0, told);
        assertEquals(0, sum.compareTo(number(row, "sum")), told);
        assertEquals(users.size(), number(row, "distinct").intValueExact(), told);
        assertEquals(true, row.get("distinct_exact"), told);
        if (values.isEmpty()) {
            assertEquals(null, row.get("min"), told);
            assertEquals(null, row.get("max"), told);
            assertEquals(null, row.get("mean"), told);
            assertEquals(null, percentile(row, "90"), told);
        } else {
            assertEquals(RowParser.plain(values.get(0)), row.get("min"), told);
            assertEquals(RowParser.plain(values.get(values.size() - 1)), row.get("max"), told);
            assertEquals(sum.doubleValue() / values.size(), number(row, "mean").doubleValue(), told);
            for (int percentile : new int[] {50, 90}) {
                int rank = Math.max(1, (int) Math.ceil(percentile / 100.0 * values.size()));
                assertEquals(
                        RowParser.plain(values.get(rank - 1)), percentile(row, Integer.toString(percentile)), told);
            }
        }
        requireRate(row, values.size());
    }

    private static void requireRate(Map<String, @Nullable Object> row, int count) {
        if (row.get("from") == null || row.get("to") == null) {
            assertEquals(null, row.get("rate"));
            return;
        }
        double seconds = number(row, "to").subtract(number(row, "from")).doubleValue() / 1e9;
        double rate = number(row, "rate").doubleValue();
        assertEquals(count / seconds, rate, 1e-9 * rate);
    }

    private void requireGroups(
            List<Map<String, @Nullable Object>> rows,
            Map<List<@Nullable Object>, List<Map<String, @Nullable Object>>> groups,
            Function<Map<String, @Nullable Object>, @Nullable Object> step) {
        Set<List<@Nullable Object>> seen = new HashSet<>();
        for (Map<String, @Nullable Object> row : rows) {
            List<@Nullable Object> key = key(row);
            key.add(step.apply(row));
            assertTrue(seen.add(key), () -> told("twice: " + row));
            assertTrue(groups.containsKey(key), () -> told("not there: " + row + ", groups=" + groups.keySet()));
            requireRow(row, Objects.requireNonNull(groups.get(key)));
        }
        assertEquals(groups.size(), seen.size(), told("groups"));
    }

    @Test
    void shouldAnswerByGroupsAsTheRecordsSay() throws Exception {
        Map<String, String> asked = members("field", "v", "by", "k,n", "percentile", "50,90", "distinct", "user");
        List<Map<String, @Nullable Object>> rows = ask("agg", asked);
        requireGroups(rows, groups(record -> 0, "k", "n"), row -> 0);
        // open ends are the first and the last record
        BigDecimal first = number(records.get(0), "");
        BigDecimal last = number(records.get(records.size() - 1), "");
        for (Map<String, @Nullable Object> row : rows) {
            if (first.compareTo(last) < 0) {
                assertEquals(first.stripTrailingZeros(), number(row, "from").stripTrailingZeros());
                assertEquals(
                        last.add(BigDecimal.ONE).stripTrailingZeros(),
                        number(row, "to").stripTrailingZeros());
            } else {
                assertEquals(null, row.get("rate"));
            }
        }
    }

    @Test
    void shouldAnswerByStepsAsTheRecordsSay() throws Exception {
        long stepNs = (1 + random.nextInt(900)) * MS;
        Map<String, String> asked =
                members("field", "v", "by", "k", "percentile", "50,90", "distinct", "user", "step", stepNs + "ns");
        requireSteps(ask("agg", asked), stepNs, "", "k");
        asked.put("time", "event");
        records = records.stream().filter(record -> record.get("ts") != null).toList();
        requireSteps(ask("agg", asked), stepNs, "ts", "k");
        asked.remove("by");
        requireSteps(ask("agg", asked), stepNs, "ts");
    }

    private void requireSteps(List<Map<String, @Nullable Object>> rows, long stepNs, String time, String... fields) {
        if (records.isEmpty()) {
            assertEquals(List.of(), rows);
            return;
        }
        for (Map<String, @Nullable Object> row : rows) {
            assertEquals(BigDecimal.valueOf(stepNs).compareTo(number(row, "to").subtract(number(row, "from"))), 0);
        }
        // all steps begin at multiples of their length
        requireGroups(
                rows,
                groups(record -> number(record, time).longValueExact() / stepNs, fields),
                row -> number(row, "from").longValueExact() / stepNs);
    }

    @Test
    void shouldCoverTheRangeAskedFor() throws Exception {
        long from = number(records.get(records.size() / 3), "").longValueExact();
        long to = from + 1_000 * MS + 1;
        Map<String, String> asked = members(
                "field", "v", "by", "n", "percentile", "50,90", "distinct", "user", "from", from + "", "to", to + "");
        records = records.stream()
                .filter(record -> number(record, "").longValueExact() >= from
                        && number(record, "").longValueExact() < to)
                .toList();
        List<Map<String, @Nullable Object>> rows = ask("agg", asked);
        requireGroups(rows, groups(record -> 0, "n"), row -> 0);
        rows.forEach(row -> assertEquals(RowParser.plain(BigDecimal.valueOf(to)), row.get("to")));
        rows.forEach(row -> assertEquals(RowParser.plain(BigDecimal.valueOf(from)), row.get("from")));
    }

    @Test
    void shouldOrderByEachColumnAndCountTheRest() throws Exception {
        Map<String, Function<Map<String, @Nullable Object>, @Nullable Object>> columns = new TreeMap<>();
        for (String column : List.of("count", "rate", "sum", "min", "max", "mean", "distinct")) {
            columns.put(column, row -> row.get(column.equals("rate") ? "count" : column));
        }
        columns.put("p90", row -> percentile(row, "90"));
        for (String column : columns.keySet()) {
            for (String sign : new String[] {"", "-"}) {
                Map<String, String> asked =
                        members("field", "v", "by", "k", "distinct", "user", "order", sign + column);
                List<Map<String, @Nullable Object>> rows = ask("agg", asked);
                requireSorted(rows, Objects.requireNonNull(columns.get(column)), sign.isEmpty(), asked);
                requireLimited(rows, asked);
            }
        }
    }

    private void requireSorted(
            List<Map<String, @Nullable Object>> rows,
            Function<Map<String, @Nullable Object>, @Nullable Object> column,
            boolean ascending,
            Object asked) {
        for (int i = 1; i < rows.size(); i++) {
            Object before = column.apply(rows.get(i - 1));
            Object after = column.apply(rows.get(i));
            assertFalse(before == null && after != null, told(asked + ": a missing one before " + after));
            if (before instanceof BigDecimal left && after instanceof BigDecimal right) {
                int order = left.compareTo(right);
                assertTrue(ascending ? order <= 0 : order >= 0, told(asked + ": " + left + " before " + right));
            }
        }
    }

    private void requireLimited(List<Map<String, @Nullable Object>> all, Map<String, String> asked) throws Exception {
        int limit = random.nextInt(all.size() + 1);
        asked.put("limit", Integer.toString(limit));
        List<Map<String, @Nullable Object>> rows = ask("agg", asked);
        assertEquals(all.subList(0, limit), rows.subList(0, limit), told(asked));
        assertEquals(Math.min(all.size(), limit + 1), rows.size(), told(asked));
        if (limit < all.size()) {
            Map<String, @Nullable Object> other = rows.get(limit);
            assertEquals(true, other.get("other"), told(asked));
            assertFalse(other.containsKey("by"), told(asked));
            BigDecimal count = all.subList(limit, all.size()).stream()
                    .map(row -> number(row, "count"))
                    .reduce(BigDecimal.ZERO, BigDecimal::add);
            assertEquals(0, count.compareTo(number(other, "count")), told(asked));
        }
    }

    @Test
    void shouldListValuesByTheirCounts() throws Exception {
        Map<List<@Nullable Object>, List<Map<String, @Nullable Object>>> groups = groups(record -> 0, "k");
        List<Map<String, @Nullable Object>> rows = ask("values", members("field", "k"));
        assertEquals(groups.size(), rows.size());
        for (Map<String, @Nullable Object> row : rows) {
            List<@Nullable Object> key = new ArrayList<>();
            key.add(row.get("value"));
            key.add(0);
            int count = Objects.requireNonNull(groups.get(key), () -> told(row)).size();
            assertEquals(count, number(row, "count").intValueExact(), told(row));
        }
        requireSorted(rows, row -> row.get("count"), false, "values");
    }

    @Test
    void shouldHoldAsManyGroupsAsTheCapAndNoMore() throws Exception {
        int groups = groups(record -> 0, "k").size();
        ask("values", members("field", "k", "groups-max", groups + ""));
        if (groups > 1) {
            Cli.Result refused =
                    cli.run("values", "s", "k", "--groups-max", groups - 1 + "").exit(4);
            assertTrue(
                    refused.err().startsWith("loom: too many groups: found=" + groups + ", max=" + (groups - 1) + ", "),
                    refused.err());
            String answer = post("values", "{\"source\":\"s\",\"field\":\"k\",\"groups-max\":" + (groups - 1) + '}');
            assertTrue(
                    answer.startsWith("{\"error\":{\"code\":\"too_many_groups\",\"message\":\"too many groups: found="
                            + groups + ", max=" + (groups - 1) + ", "),
                    answer);
            assertTrue(
                    answer.endsWith("\"cap\":\"groups\",\"found\":" + groups + ",\"max\":" + (groups - 1) + "}}\n"),
                    answer);
            List<Map<String, @Nullable Object>> rows =
                    ask("values", members("field", "k", "groups-max", groups - 1 + "", "rest", "other"));
            assertEquals(groups, rows.size());
            assertEquals(true, rows.get(groups - 1).get("other"));
        }
    }

    @Test
    void shouldAnswerNothingOfAnEmptySource() throws Exception {
        Map<String, String> asked = members("field", "v", "by", "k", "percentile", "50", "order", "-p99");
        asked.put("source", "empty");
        assertEquals(List.of(), ask("agg", asked));
        asked.put("step", "1s");
        assertEquals(List.of(), ask("agg", asked));
        asked.put("time", "event");
        assertEquals(List.of(), ask("agg", asked));
        assertEquals(List.of(), ask("values", new LinkedHashMap<>(Map.of("source", "empty", "field", "k"))));
        cli.run("agg", "empty", "--by", "k").ok().says("no records in the range");
    }
}
