package dev.loom.server.loki;

import dev.loom.Loom;
import dev.loom.api.Source;
import dev.loom.format.Formats;
import dev.loom.server.time.EventTime;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Predicate;

/** Records that are kept beside the store, and random questions with what they mean, written independently of the API. */
final class LokiOracle {
    static final long BEGIN_NS = 1_700_000_000_000_000_000L;
    private static final List<String> WORDS = List.of("alpha", "beta", "took 3 ms", "Gamma", "delta=4", "x\"y\\z");
    private static final List<String> OPS = List.of("GET", "SET", "scan");

    final List<Stored> records = new ArrayList<>();
    private final Random random;

    LokiOracle(Random random) {
        this.random = random;
    }

    /** A record: its line, and the values of its fields; absent ones are not in the map. */
    record Stored(String source, long timeNs, String line, Map<String, Object> fields) {
        String text(String label) {
            return label.equals("source") ? source : fields.containsKey(label) ? plain(fields.get(label)) : "";
        }

        private static String plain(Object value) {
            return value instanceof Double number
                    ? new java.math.BigDecimal(number.toString())
                            .stripTrailingZeros()
                            .toPlainString()
                    : String.valueOf(value);
        }
    }

    /** A question, and which records it is about. */
    record Asked(String query, Predicate<Stored> test) {}

    /** Fills two sources: lines, and JSON whose members are also nested. */
    void fill(Loom loom, int count) {
        int lines = loom.defineSource("lines", Formats.parse("timed:text"));
        int json = loom.defineSource("json", Formats.parse("timed:json"));
        for (int id : new int[] {lines, json}) {
            Source source = loom.snapshot().sources().stream()
                    .filter(each -> each.id() == id)
                    .findFirst()
                    .orElseThrow();
            EventTime time = EventTime.of(source);
            if (time != null) {
                time.defineIndex(loom, id, source.format());
            }
        }
        long timeNs = BEGIN_NS;
        for (int i = 0; i < count; i++) {
            timeNs += random.nextInt(4) == 0 ? 0 : random.nextInt(5) * 250_000_000L + random.nextInt(2);
            if (random.nextBoolean()) {
                String line = i + " " + word() + " " + word();
                push(loom, lines, timeNs, line);
                records.add(new Stored("lines", timeNs, line, Map.of()));
            } else {
                Map<String, Object> fields = new TreeMap<>();
                StringBuilder text = new StringBuilder("{\"n\":" + i);
                fields.put("n", (long) i);
                if (random.nextInt(4) > 0) {
                    String op = OPS.get(random.nextInt(OPS.size()));
                    text.append(",\"op\":\"").append(op).append('"');
                    fields.put("op", op);
                }
                if (random.nextInt(4) > 0) {
                    double ms = random.nextInt(4000) / 8.0;
                    text.append(",\"took_ms\":").append(ms);
                    fields.put("took_ms", ms);
                }
                long code = 200 + 100L * random.nextInt(4);
                text.append(",\"http\":{\"code\":").append(code).append("}}");
                fields.put("http_code", code);
                push(loom, json, timeNs, text.toString());
                records.add(new Stored("json", timeNs, text.toString(), fields));
            }
        }
    }

    private String word() {
        return WORDS.get(random.nextInt(WORDS.size()));
    }

    private static void push(Loom loom, int id, long timeNs, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        ByteBuffer payload = ByteBuffer.allocate(Long.BYTES + bytes.length).order(ByteOrder.LITTLE_ENDIAN);
        payload.putLong(timeNs).put(bytes);
        loom.push(id, payload.array());
    }

    /** A selection with line filters and conditions. */
    Asked selection(boolean json) {
        StringBuilder query = new StringBuilder();
        Predicate<Stored> test;
        String own = json ? "json" : "lines";
        switch (random.nextInt(4)) {
            case 0 -> {
                query.append("{source=\"").append(own).append("\"}");
                test = record -> record.source().equals(own);
            }
            case 1 -> {
                query.append("{source=~\".*").append(own.charAt(1)).append(".*\", source!=\"nothing\"}");
                test = record -> record.source().indexOf(own.charAt(1)) >= 0;
            }
            case 2 -> {
                query.append("{source=~\"").append(own).append("|other\", level=\"\"}");
                test = record -> record.source().equals(own);
            }
            default -> {
                query.append(json ? "{source=~\"json\"}" : "{source=~\".+\", source!~\"js.n\"}");
                test = record -> record.source().equals(own);
            }
        }
        for (int n = random.nextInt(3); n > 0; n--) {
            test = test.and(lineFilter(query, json));
        }
        if (json && query.indexOf("json\"}") > 0) {
            query.append(random.nextBoolean() ? " | json" : "");
        }
        for (int n = random.nextInt(3); n > 0; n--) {
            query.append(" | ");
            test = test.and(condition(query, 2));
        }
        return new Asked(query.toString(), test);
    }

    private Predicate<Stored> lineFilter(StringBuilder query, boolean json) {
        String one = json ? json() : word().substring(random.nextInt(2));
        String two = json ? json() : word();
        boolean or = random.nextInt(3) == 0;
        String strings = quoted(one) + (or ? " or " + quoted(two) : "");
        Predicate<Stored> contains =
                record -> record.line().contains(one) || (or && record.line().contains(two));
        switch (random.nextInt(4)) {
            case 0 -> query.append(" |= ").append(strings);
            case 1 -> {
                query.append(" != ").append(strings);
                return contains.negate();
            }
            case 2 -> {
                query.append(" |~ `(?i)")
                        .append(json ? "\"op\":\"s" : "GAMMA|a[lx]")
                        .append("`");
                return record -> json
                        ? record.line().toLowerCase(Locale.ROOT).contains("\"op\":\"s")
                        : record.line().toLowerCase(Locale.ROOT).contains("gamma")
                                || record.line().toLowerCase(Locale.ROOT).matches("(?s).*a[lx].*");
            }
            default -> {
                query.append(" !~ `^").append(json ? "\\{\"n\":1" : "1\\d*").append("`");
                return record -> !record.line().startsWith(json ? "{\"n\":1" : "1");
            }
        }
        return contains;
    }

    private String json() {
        return List.of("\"op\":\"GET\"", "took_ms", "200", "SE", "\"http\":{\"code\":3")
                .get(random.nextInt(5));
    }

    private static String quoted(String text) {
        return text.contains("`") ? text : '`' + text + '`';
    }

    private Predicate<Stored> condition(StringBuilder query, int depth) {
        if (depth > 0 && random.nextInt(3) == 0) {
            boolean and = random.nextBoolean();
            query.append('(');
            Predicate<Stored> left = condition(query, depth - 1);
            query.append(and ? List.of(" and ", ", ", " ").get(random.nextInt(3)) : " or ");
            Predicate<Stored> right = condition(query, depth - 1);
            query.append(')');
            return and ? left.and(right) : left.or(right);
        } else if (random.nextBoolean()) {
            String label = List.of("n", "took_ms", "http_code", "absent").get(random.nextInt(4));
            double bound = label.equals("http_code") ? 300 : random.nextInt(400);
            String operator = List.of(">", ">=", "<", "<=", "==", "!=", "=").get(random.nextInt(7));
            query.append(label).append(operator).append(bound % 2 == 0 ? String.valueOf((long) bound) : bound + "");
            return record -> {
                Object value = record.fields().get(label);
                return value instanceof Number number && compare(number.doubleValue(), operator, bound);
            };
        }
        String label = List.of("op", "http_code", "source", "absent").get(random.nextInt(4));
        String text = List.of("GET", "SET", "300", "json", "").get(random.nextInt(5));
        int operator = random.nextInt(4);
        query.append(label)
                .append(List.of("=", "!=", "=~", "!~").get(operator))
                .append('"')
                .append(text);
        // numbers are no texts, so an expression is asked of texts alone
        boolean regex = operator >= 2;
        query.append(regex ? "|sc.n\"" : "\"");
        return record -> {
            boolean number = record.fields().get(label) instanceof Number;
            String found = record.text(label);
            boolean equal = regex ? !number && (found.equals(text) || found.equals("scan")) : found.equals(text);
            return equal == (operator % 2 == 0);
        };
    }

    private static boolean compare(double value, String operator, double bound) {
        return switch (operator) {
            case ">" -> value > bound;
            case ">=" -> value >= bound;
            case "<" -> value < bound;
            case "<=" -> value <= bound;
            case "!=" -> value != bound;
            default -> value == bound;
        };
    }
}
