package dev.loom.cli.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.cli.Cli;
import dev.loom.cli.query.ExtremeRows.Row;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Queries of values and times that few records have: infinities, subnormals, ends of types, centuries. */
class ExtremeValuesTest {
    private static final Pattern CELL =
            Pattern.compile("\"low\":\"?([^\",]+)\"?,\"high\":\"?([^\",]+)\"?,\"count\":(\\d+)");
    private static final Pattern STEP = Pattern.compile("\"count\":(\\d+),\"min\"");

    @TempDir
    Path directory;

    private Cli store(String name, List<Row> rows, boolean indexed) {
        return ExtremeRows.store(directory.resolve(name), rows, indexed);
    }

    @Test
    void shouldCountEveryValueInItsBin() {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        System.out.println("ExtremeValuesTest: -Dloom.test.seed=" + seed);
        Random random = new Random(seed);
        for (int round = 0; round < 12; round++) {
            List<Row> rows = ExtremeRows.random(random);
            Cli cli = store("s" + round, rows, round % 2 == 0);
            for (String field : round % 3 == 0 ? List.of("i", "u") : List.of("d", "f")) {
                long values = rows.stream()
                        .filter(row -> !field.equals("d") || !Double.isNaN(row.d()))
                        .filter(row -> !field.equals("f") || !Float.isNaN(row.f()))
                        .count();
                for (String by : List.of("value", "time", "value,time")) {
                    String kind = random.nextBoolean() ? "event" : "arrival";
                    String[] asked = {"hist", "s", field, "--by", by, "--time", kind, "-o", "json"};
                    String shown = "seed=" + seed + ", round=" + round + ", asked=" + String.join(" ", asked);
                    String out = cli.run(asked).ok().out();
                    assertEquals(values, sum(out, by), shown);
                }
                String drawn = cli.run("hist", "s", field, "--by", "value,time", "--time", "event", "-o", "table")
                        .ok()
                        .out();
                assertTrue(values == 0 || !drawn.isBlank(), "seed=" + seed + ", round=" + round);
            }
        }
    }

    private static long sum(String out, String by) {
        long sum = 0;
        Matcher counts = by.equals("time") ? STEP.matcher(out) : CELL.matcher(out);
        while (counts.find()) {
            if (!by.equals("time")) {
                assertTrue(Double.parseDouble(counts.group(1)) <= Double.parseDouble(counts.group(2)), counts.group());
            }
            sum += Long.parseLong(counts.group(by.equals("time") ? 1 : 3));
        }
        return sum;
    }

    @Test
    void shouldDrawWhatIsFarFromAllElseApart() {
        List<Row> rows = new ArrayList<>();
        for (int i = 1; i <= 100; i++) {
            rows.add(new Row(i, i, i, i, i));
        }
        for (double far : new double[] {Double.NEGATIVE_INFINITY, -1e300, 1e300, Double.POSITIVE_INFINITY}) {
            rows.add(new Row(1, far, (float) far, 1, 1));
        }
        Cli cli = store("far", rows, true);
        List<String> lines = cli.run("hist", "s", "d", "-o", "table").ok().lines();
        assertTrue(lines.size() > 15 && lines.size() <= 25, String.join("\n", lines));
        assertTrue(lines.get(1).strip().startsWith("-inf"), lines.get(1));
        assertTrue(lines.get(lines.size() - 1).strip().startsWith("inf"), lines.get(lines.size() - 1));
        assertEquals(
                4,
                lines.stream().filter(line -> line.strip().startsWith("... ")).count(),
                String.join("\n", lines));
        List<String> both = cli.run("hist", "s", "d", "--by", "value,time", "--time", "event", "-o", "table")
                .ok()
                .lines();
        assertTrue(both.get(0).strip().startsWith("inf"), both.get(0));
        assertEquals(
                4, both.stream().filter(line -> line.strip().startsWith("... ")).count(), String.join("\n", both));
    }

    @Test
    void shouldAnswerForAnEmptyRange() {
        Cli cli = store("range", List.of(new Row(5, 1, 1, 1, 1), new Row(9, 2, 2, 2, 2)), true);
        for (String by : List.of("time", "value,time")) {
            cli.run(
                            "hist",
                            "s",
                            "d",
                            "--by",
                            by,
                            "--time",
                            "event",
                            "--from",
                            "1970-01-01T00:00:00.000000007Z",
                            "--to",
                            "1970-01-01T00:00:00.000000007Z")
                    .ok()
                    .prints("");
        }
        Cli nan = store("nan", List.of(new Row(5, Double.NaN, 1, 1, 1)), false);
        nan.run("hist", "s", "d", "--by", "value,time").ok().prints("").says("no values in the range");
    }

    @Test
    void shouldCountWhatHasTheGreatestTimeAlone() {
        List<Row> rows = List.of(
                new Row(5, 1, 1, 1, 1),
                new Row(Long.MAX_VALUE - 1, 2, 2, 2, 2),
                new Row(Long.MAX_VALUE, 3, 3, 3, 3),
                new Row(Long.MAX_VALUE, 4, 4, 4, 4));
        for (boolean indexed : new boolean[] {false, true}) {
            Cli cli = store("greatest" + indexed, rows, indexed);
            for (String step : List.of("1ns", "1h")) {
                String[] options = {"--time", "event", "--from", Long.toString(Long.MAX_VALUE), "--step", step};
                for (String by : List.of("time", "value,time")) {
                    String out = run(cli, options, "hist", "s", "i", "--by", by, "-o", "json");
                    assertEquals(2, sum(out, by), out);
                }
                String out = run(cli, options, "agg", "s", "i", "--by", "u", "-o", "json");
                assertEquals(2, out.split("\"count\":1,", -1).length - 1, out);
                assertTrue(run(cli, options, "agg", "s", "i", "--by", "u", "-o", "table")
                        .contains("3"));
                assertTrue(run(cli, options, "hist", "s", "--by", "time", "-o", "table")
                        .contains("2"));
            }
        }
    }

    private static String run(Cli cli, String[] options, String... command) {
        return cli.run(Stream.concat(Stream.of(command), Stream.of(options)).toArray(String[]::new))
                .ok()
                .out();
    }

    /** As {@code where} reads them: a float is compared with the nearest float. */
    @Test
    void shouldReadWhatIsAboveAsConditionsRead() {
        Cli cli = store(
                "above",
                List.of(new Row(1, 0.1, 0.1f, 1, 1), new Row(2, 1e300, 0.2f, 2, 2), new Row(3, 2e300, 0.3f, 3, -1)),
                true);
        for (String above : List.of("f 0.1", "d 1e300", "d 0.1", "i 1.5", "u 3", "i 1KiB", "i -1")) {
            String field = above.substring(0, 1);
            String literal = above.substring(2);
            long scanned = cli.run("scan", "s", "--where", field + " > " + literal)
                    .ok()
                    .lines()
                    .size();
            long correlated = cli.run("correlate", "s", field, "--above", literal, "--with", "s", "--within", "0ns")
                    .ok()
                    .lines()
                    .size();
            assertEquals(scanned, correlated, above);
        }
    }
}
