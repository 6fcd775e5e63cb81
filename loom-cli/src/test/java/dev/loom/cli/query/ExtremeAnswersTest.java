package dev.loom.cli.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.cli.Cli;
import dev.loom.cli.query.ExtremeRows.Row;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the commands answer over extreme values and times, against plain lists of decimal numbers. */
class ExtremeAnswersTest {
    private static final int ROUNDS = Integer.getInteger("loom.rounds", 12);
    private static final List<String> PERCENTILES = List.of("0", "1", "50", "99", "99.99", "100");
    private static final List<String> LITERALS = List.of(
            "0",
            "-0.0",
            "1",
            "1.5",
            "0.1",
            "4.9e-324",
            "1e-310",
            "-1e-310",
            "1e300",
            "-1e300",
            "1e309",
            "-1e309",
            "9223372036854775807",
            "9223372036854775808",
            "-9223372036854775808",
            "-9223372036854775809",
            "18446744073709551615",
            "18446744073709551616");
    private static final List<String> OPERATORS = List.of("<", "<=", ">", ">=", "==", "!=");

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private List<Row> rows = List.of();
    private Cli cli = new Cli();
    private String field = "";

    @TempDir
    Path directory;

    @BeforeEach
    void printSeed() {
        System.out.println("ExtremeAnswersTest -Dloom.test.seed=" + seed);
    }

    /** Does something on stores with and without indexes, for each field. */
    private void eachField(Runnable check) {
        for (int round = 0; round < ROUNDS; round++) {
            rows = ExtremeRows.random(random);
            cli = ExtremeRows.store(directory.resolve("s" + round), rows, round % 2 == 0);
            for (String each : ExtremeRows.FIELDS) {
                field = each;
                check.run();
            }
        }
    }

    private String told(Object what) {
        return "seed=" + seed + ", field=" + field + ", asked=" + what + ", rows=" + rows;
    }

    private List<BigDecimal> sorted() {
        List<BigDecimal> values = new ArrayList<>();
        for (Row row : rows) {
            BigDecimal value = row.value(field);
            if (value != null) {
                values.add(value);
            }
        }
        Collections.sort(values);
        return values;
    }

    private static int rank(String percentile, int count) {
        BigDecimal rank =
                new BigDecimal(percentile).multiply(BigDecimal.valueOf(count)).movePointLeft(2);
        return Math.max(1, rank.setScale(0, RoundingMode.CEILING).intValueExact());
    }

    /** A number of an answer in JSON; a float's shortest form stands for the float. */
    private BigDecimal number(String out, String name) {
        Matcher matcher = Pattern.compile("\"" + Pattern.quote(name) + "\":\"?([^\",}]+)\"?")
                .matcher(out);
        assertTrue(matcher.find(), () -> name + " in " + out);
        String text = matcher.group(1);
        if (field.equals("d") || field.equals("f")) {
            double value = field.equals("f") ? Float.parseFloat(text) : Double.parseDouble(text);
            return Objects.requireNonNull(ExtremeRows.number(value));
        }
        return new BigDecimal(text);
    }

    private static void assertSame(BigDecimal expected, BigDecimal found, String told) {
        assertEquals(0, expected.compareTo(found), () -> "expected=" + expected + ", found=" + found + ", " + told);
    }

    @Test
    void shouldAggregateThem() {
        eachField(() -> {
            List<BigDecimal> values = sorted();
            String out = cli.run("agg", "s", field, "--percentile", String.join(",", PERCENTILES), "-o", "json")
                    .ok()
                    .out();
            assertTrue(out.contains("\"count\":" + values.size() + ","), () -> told("count") + out);
            if (values.isEmpty()) {
                return;
            }
            assertSame(values.get(0), number(out, "min"), told("min"));
            assertSame(values.get(values.size() - 1), number(out, "max"), told("max"));
            for (String percentile : PERCENTILES) {
                BigDecimal expected = values.get(rank(percentile, values.size()) - 1);
                assertSame(expected, number(out, percentile), told(percentile) + out);
            }
            if (field.equals("i") || field.equals("u")) {
                BigDecimal sum = values.stream().reduce(BigDecimal.ZERO, BigDecimal::add);
                assertSame(sum, number(out, "sum"), told("sum"));
            }
        });
    }

    @Test
    void shouldRankThem() {
        eachField(() -> {
            List<BigDecimal> values = sorted();
            int wanted = 1 + random.nextInt(8);
            boolean smallest = random.nextBoolean();
            List<String> asked =
                    new ArrayList<>(List.of("top", "s", field, "-n", Integer.toString(wanted), "-o", "json"));
            if (smallest) {
                asked.add("--asc");
            } else {
                Collections.reverse(values);
            }
            List<String> lines = cli.run(asked.toArray(String[]::new)).ok().lines();
            assertEquals(Math.min(wanted, values.size()), lines.size(), told(asked));
            for (int i = 0; i < lines.size(); i++) {
                assertSame(values.get(i), number(lines.get(i), field), told(asked));
            }
        });
    }

    @Test
    void shouldFindTheRecordsOfHigherRanks() {
        eachField(() -> {
            List<BigDecimal> values = sorted();
            String percentile = PERCENTILES.get(random.nextInt(PERCENTILES.size()));
            long found = cli.run(
                            "correlate",
                            "s",
                            field,
                            "--above",
                            "p" + percentile,
                            "--with",
                            "s",
                            "--within",
                            "0ns",
                            "--time",
                            "arrival")
                    .ok()
                    .lines()
                    .size();
            int rank = values.isEmpty() ? 0 : rank(percentile, values.size());
            long expected = values.isEmpty() ? 0 : countFrom(values, values.get(Math.min(rank, values.size() - 1)));
            assertEquals(expected, found, told("p" + percentile));
        });
    }

    private static long countFrom(List<BigDecimal> values, BigDecimal least) {
        return values.stream().filter(value -> value.compareTo(least) >= 0).count();
    }

    @Test
    void shouldCompareThem() {
        eachField(() -> {
            String operator = OPERATORS.get(random.nextInt(OPERATORS.size()));
            String literal = LITERALS.get(random.nextInt(LITERALS.size()));
            String expression = field + " " + operator + " " + literal;
            long expected = rows.stream()
                    .filter(row -> holds(row.value(field), operator, literal))
                    .count();
            Cli.Result result = cli.run("scan", "s", "--where", expression, "-o", "json");
            if (result.exitCode() == 2) {
                // never true of the type, or of an integer always
                assertTrue(expected == 0 || operator.equals("!="), () -> told(expression) + result.err());
                assertTrue(result.err().contains(literal) || result.err().contains("same result"), result::err);
                return;
            }
            assertEquals(expected, result.ok().lines().size(), () -> told(expression));
        });
    }

    private boolean holds(BigDecimal value, String operator, String literal) {
        if (value == null) {
            return operator.equals("!=");
        }
        int comparison = value.compareTo(compared(literal));
        return switch (operator) {
            case "<" -> comparison < 0;
            case "<=" -> comparison <= 0;
            case ">" -> comparison > 0;
            case ">=" -> comparison >= 0;
            case "==" -> comparison == 0;
            default -> comparison != 0;
        };
    }

    /** A whole number as it is, any other as the nearest of the field's type, if that is finite. */
    private BigDecimal compared(String literal) {
        boolean whole = literal.matches("-?\\d+");
        double nearest = field.equals("f") ? Float.parseFloat(literal) : Double.parseDouble(literal);
        boolean decimal = whole || field.equals("i") || field.equals("u") || Double.isInfinite(nearest);
        return decimal ? new BigDecimal(literal) : new BigDecimal(nearest);
    }

    @Test
    void shouldTakeRangesOfTimeAtTheEndsOfTime() {
        eachField(() -> {
            long one = ExtremeRows.TIMES[random.nextInt(ExtremeRows.TIMES.length)];
            long other = ExtremeRows.TIMES[random.nextInt(ExtremeRows.TIMES.length)];
            long from = Math.min(one, other);
            long to = Math.max(one, other);
            List<String> asked =
                    List.of("agg", "s", field, "--time", "event", "--from", text(from), "--to", text(to), "-o", "json");
            long expected = rows.stream()
                    .filter(row -> row.value(field) != null)
                    .filter(row -> row.ts() >= from && (row.ts() < to || to == Long.MAX_VALUE))
                    .count();
            String out = cli.run(asked.toArray(String[]::new)).ok().out();
            assertTrue(out.contains("\"count\":" + expected + ","), () -> expected + ", " + told(asked) + out);
        });
    }

    private static String text(long timeNs) {
        return Instant.ofEpochSecond(Math.floorDiv(timeNs, 1_000_000_000L), Math.floorMod(timeNs, 1_000_000_000L))
                .toString();
    }
}
