package dev.loom.cli.chart;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.ValueUnit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Charts against golden files; {@code -Dloom.golden=write} writes those. */
class ChartTest {
    private static final Path GOLDEN = Path.of("src/test/resources/chart");
    private static final int STEPS = 300;
    private static final int BINS = 12;

    /** Latencies around 100 us, with one of 40 ms. */
    private static long[][] counts() {
        Random random = new Random(7);
        long[][] counts = new long[BINS][STEPS];
        for (int step = 0; step < STEPS; step++) {
            for (int i = 0; i < 50 + step % 60; i++) {
                counts[(int) Math.max(0, Math.min(BINS - 4, 3 + random.nextGaussian()))][step]++;
            }
        }
        counts[BINS - 1][200] = 1;
        return counts;
    }

    private static String label(int bin) {
        return ValueText.of(10_000 * Math.pow(2, bin), ValueUnit.NANOSECONDS);
    }

    private static String draw(String chart, ChartStyle style) {
        long[][] counts = counts();
        TimeAxis axis = new TimeAxis("2026-11-21T02:46:33Z", "2026-11-21T02:46:39Z", STEPS);
        List<BarChart.Bar> bars = new ArrayList<>();
        List<HeatMap.Row> rows = new ArrayList<>();
        long[] total = new long[STEPS];
        for (int bin = 0; bin < BINS; bin++) {
            long sum = 0;
            for (int step = 0; step < STEPS; step++) {
                sum += counts[bin][step];
                total[step] += counts[bin][step];
            }
            bars.add(new BarChart.Bar(label(bin), sum));
            rows.add(new HeatMap.Row(label(bin), counts[bin]));
        }
        return switch (chart) {
            case "bars" -> BarChart.draw("latency_ns", bars, style);
            case "columns" -> ColumnChart.draw(total, axis, style);
            default -> HeatMap.draw(rows, axis, style);
        };
    }

    @ParameterizedTest
    @CsvSource({
        "bars, 40, false",
        "bars, 80, false",
        "bars, 200, false",
        "bars, 80, true",
        "columns, 40, false",
        "columns, 80, false",
        "columns, 200, false",
        "columns, 80, true",
        "heat, 40, false",
        "heat, 80, false",
        "heat, 200, false",
        "heat, 80, true",
        "heat, 200, true"
    })
    void shouldDrawAsBefore(String chart, int width, boolean colour) throws IOException {
        String drawn = draw(chart, new ChartStyle(width, colour));
        Path golden = GOLDEN.resolve(chart + '-' + width + (colour ? "-colour" : "") + ".txt");
        if ("write".equals(System.getProperty("loom.golden"))) {
            Files.writeString(golden, drawn);
        }
        assertEquals(Files.readString(golden), drawn);
        String plain = drawn.replaceAll("\u001b\\[[0-9;]*m", "");
        assertEquals(colour, !plain.equals(drawn));
        plain.lines().forEach(line -> assertTrue(line.length() <= width, line));
    }

    @Test
    void shouldShowASingleValueBesideThousands() {
        for (String chart : new String[] {"bars", "heat"}) {
            List<String> lines = draw(chart, new ChartStyle(80, false)).lines().toList();
            String needle = lines.stream()
                    .filter(line -> line.contains("20.5 ms"))
                    .findFirst()
                    .orElseThrow();
            assertTrue(needle.contains(chart.equals("bars") ? "▏" : "·"), needle);
        }
    }

    @Test
    void shouldDrawNothingAndLittle() {
        ChartStyle style = new ChartStyle(1, false);
        assertEquals("x  count     up to\n", BarChart.draw("x", List.of(), style));
        String one = HeatMap.draw(List.of(new HeatMap.Row("0", new long[] {1})), new TimeAxis("a", "b", 1), style);
        assertEquals("0 │█\n  └─\n  a .. b\n█ 1\n", one);
        assertFalse(ColumnChart.draw(new long[] {0, 0}, new TimeAxis("a", "b", 2), style)
                .contains("█"));
    }

    @Test
    void shouldShortenValuesByTheirUnit() {
        assertEquals("40.5 ms", ValueText.of(40_512_498, ValueUnit.NANOSECONDS));
        assertEquals("1 s", ValueText.of(999.9, ValueUnit.MILLISECONDS));
        assertEquals("0 ns", ValueText.of(0, ValueUnit.NANOSECONDS));
        assertEquals("3600 s", ValueText.of(3600, ValueUnit.SECONDS));
        assertEquals("64 KiB", ValueText.of(65_536, ValueUnit.BYTES));
        assertEquals("1020 B", ValueText.of(1_020, ValueUnit.BYTES));
        assertEquals("-12.5", ValueText.of(-12.5, ValueUnit.NONE));
        assertEquals("123457", ValueText.of(123_456.7, ValueUnit.NONE));
        assertEquals("1.23e+09", ValueText.of(1_234_567_890, ValueUnit.NONE));
        assertEquals("inf", ValueText.of(Double.POSITIVE_INFINITY, ValueUnit.NONE));
    }

    @Test
    void shouldDrawInAsciiWithTheSameWidth() {
        for (String chart : List.of("bars", "columns", "heat")) {
            String drawn = draw(chart, new ChartStyle(80, false));
            String ascii = ChartStyle.ascii(drawn);
            assertTrue(ascii.chars().allMatch(c -> c < 128), ascii);
            assertEquals(drawn.length(), ascii.length());
        }
    }
}
