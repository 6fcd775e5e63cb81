package dev.loom.bench.figure;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.CategorySeries;
import org.knowm.xchart.ChartEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.internal.chartpart.Chart;
import org.knowm.xchart.style.AxesChartStyler;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.markers.Marker;
import org.knowm.xchart.style.markers.SeriesMarkers;

/**
 * Draws each panel of a figure, as SVG and as PNG: medians, and a stroke from the least to the greatest value.
 * The same result gives the same bytes on a machine with the same fonts. Needs no display.
 */
public final class FigurePlot {
    private static final int WIDTH = 960;
    private static final int HEIGHT = 560;
    /** The most characters of labels that fit one beside the other. */
    private static final int LABELS_IN_A_ROW = 64;
    /** Degrees. */
    private static final int LABELS_TILT = 12;

    /** Numbers on a logarithmic axis, which would be 1E4 else. */
    private static final String PLAIN = "#,##0.######";

    private static final Color TEXT = new Color(0x22, 0x22, 0x22);
    private static final Color GRID = new Color(0xDD, 0xDD, 0xDD);
    private static final Color LINE = new Color(0x66, 0x66, 0x66);

    /** Told apart also by who sees red and green alike (Okabe and Ito). */
    private static final Color[] COLORS = {
        new Color(0x00, 0x72, 0xB2),
        new Color(0xD5, 0x5E, 0x00),
        new Color(0x00, 0x9E, 0x73),
        new Color(0xCC, 0x79, 0xA7),
        new Color(0xE6, 0x9F, 0x00),
        new Color(0x56, 0xB4, 0xE9),
        new Color(0x00, 0x00, 0x00),
        new Color(0x8C, 0x6D, 0x31),
        new Color(0x99, 0x99, 0x99),
        new Color(0xB0, 0x9C, 0x00),
        new Color(0x6A, 0x3D, 0x9A),
        new Color(0x80, 0x00, 0x20)
    };

    private static final Marker[] MARKERS = {
        SeriesMarkers.CIRCLE,
        SeriesMarkers.SQUARE,
        SeriesMarkers.DIAMOND,
        SeriesMarkers.TRIANGLE_UP,
        SeriesMarkers.TRIANGLE_DOWN,
        SeriesMarkers.CROSS
    };

    private static final BasicStroke SOLID = new BasicStroke(2.2f);
    private static final BasicStroke THIN = new BasicStroke(1.2f);
    private static final BasicStroke DASHED =
            new BasicStroke(1.6f, BasicStroke.CAP_BUTT, BasicStroke.JOIN_MITER, 1, new float[] {8, 6}, 0);

    private FigurePlot() {}

    /**
     * Draws a figure.
     *
     * @return the files, in the order of the panels
     */
    public static List<Path> draw(FigureResult result, Path folder) {
        final List<Path> files = new ArrayList<>();
        for (final FigurePanel panel : result.panels()) {
            final List<FigureRow> rows = result.rows(panel.name()).stream()
                    .filter(row -> !panel.yLog() || row.median() > 0)
                    .toList();
            if (rows.isEmpty()) {
                continue;
            }
            final List<String> systems = systems(result);
            final Chart<?, ?> chart =
                    panel.form() == FigurePanel.Form.LINES ? lines(panel, rows, systems) : bars(panel, rows, systems);
            final String name = "figure-" + result.figure() + "-" + panel.name();
            try {
                Files.createDirectories(folder);
                for (final String format : List.of("svg", "png")) {
                    final Path file = folder.resolve(name + "." + format);
                    try (OutputStream out = Files.newOutputStream(file)) {
                        ChartEncoder.saveChart(chart, out, format);
                    }
                    files.add(file);
                }
            } catch (final IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return files;
    }

    /** The series of all panels, each of which has one colour in all of them. */
    private static List<String> systems(FigureResult result) {
        return result.panels().stream()
                .flatMap(panel -> result.rows(panel.name()).stream())
                .map(row -> system(row.series()))
                .distinct()
                .toList();
    }

    /** A series' name without what it says in parentheses. */
    private static String system(String series) {
        final int more = series.indexOf(" (");
        return more < 0 ? series : series.substring(0, more);
    }

    private static Map<String, List<FigureRow>> bySeries(List<FigureRow> rows) {
        final Map<String, List<FigureRow>> series = new LinkedHashMap<>();
        rows.forEach(row -> series.computeIfAbsent(row.series(), unused -> new ArrayList<>())
                .add(row));
        return series;
    }

    private static XYChart lines(FigurePanel panel, List<FigureRow> rows, List<String> systems) {
        final XYChart chart = new XYChartBuilder()
                .width(WIDTH)
                .height(HEIGHT)
                .title(panel.title())
                .xAxisTitle(panel.x())
                .yAxisTitle(panel.y())
                .build();
        style(chart.getStyler(), panel, rows);
        chart.getStyler().setXAxisLogarithmic(panel.xLog());
        if (panel.xLog()) {
            chart.getStyler().setXAxisDecimalPattern(PLAIN);
        }
        chart.getStyler().setMarkerSize(9);
        for (final Map.Entry<String, List<FigureRow>> entry : bySeries(rows).entrySet()) {
            final int number = systems.indexOf(system(entry.getKey()));
            final List<FigureRow> points = entry.getValue();
            final XYSeries series = chart.addSeries(
                    entry.getKey(),
                    points.stream().map(row -> Double.parseDouble(row.x())).toList(),
                    points.stream().map(FigureRow::median).toList());
            final Color color = COLORS[number % COLORS.length];
            series.setLineColor(color).setLineStyle(SOLID);
            series.setMarkerColor(color).setMarker(MARKERS[number % MARKERS.length]);
            points.forEach(row -> spread(chart, panel, row, color));
        }
        final Double at = panel.line();
        if (at != null) {
            final double[] ends = ends(rows);
            final XYSeries series = chart.addSeries(panel.lineLabel(), ends, new double[] {at, at});
            series.setMarker(SeriesMarkers.NONE).setLineColor(LINE).setLineStyle(DASHED);
        }
        return chart;
    }

    /** A stroke between the least and the greatest value. */
    private static void spread(XYChart chart, FigurePanel panel, FigureRow row, Color color) {
        if (spreads(panel, row)) {
            final double x = Double.parseDouble(row.x());
            final XYSeries stroke = chart.addSeries(
                    "spread " + row.series() + " " + row.x(), new double[] {x, x}, new double[] {row.min(), row.max()});
            stroke.setMarker(SeriesMarkers.NONE).setLineColor(color).setLineStyle(THIN);
            stroke.setShowInLegend(false);
        }
    }

    private static boolean spreads(FigurePanel panel, FigureRow row) {
        return row.max() > row.min() && (!panel.yLog() || row.min() > 0);
    }

    private static double[] ends(Collection<FigureRow> rows) {
        final double[] all = rows.stream()
                .mapToDouble(row -> Double.parseDouble(row.x()))
                .sorted()
                .toArray();
        return new double[] {all[0], all[all.length - 1]};
    }

    private static SpreadBarChart bars(FigurePanel panel, List<FigureRow> rows, List<String> systems) {
        final List<String> groups = new ArrayList<>(
                new LinkedHashSet<>(rows.stream().map(FigureRow::x).toList()));
        final SpreadBarChart chart = new SpreadBarChart(
                new CategoryChartBuilder()
                        .width(WIDTH)
                        .height(HEIGHT)
                        .title(panel.title())
                        .xAxisTitle(panel.x())
                        .yAxisTitle(panel.y()),
                groups.size(),
                TEXT);
        style(chart.getStyler(), panel, rows);
        chart.getStyler().setAvailableSpaceFill(0.85);
        final Double at = panel.line();
        final double least = rows.stream().mapToDouble(FigureRow::min).reduce(0, Math::min);
        final double most = rows.stream().mapToDouble(FigureRow::max).reduce(at == null ? 0 : at, Math::max);
        if (!panel.yLog() && most > least) {
            chart.getStyler().setYAxisMin(least).setYAxisMax(most);
        }
        if (String.join("", groups).length() > LABELS_IN_A_ROW) {
            chart.getStyler().setXAxisLabelRotation(LABELS_TILT);
        }
        for (final Map.Entry<String, List<FigureRow>> entry : bySeries(rows).entrySet()) {
            final int number = systems.indexOf(system(entry.getKey()));
            final List<@Nullable Double> heights = new ArrayList<>();
            for (final String group : groups) {
                final Optional<FigureRow> found = entry.getValue().stream()
                        .filter(row -> row.x().equals(group))
                        .findFirst();
                found.filter(row -> spreads(panel, row))
                        .ifPresent(row -> chart.addSpread(groups.indexOf(group), row.min(), row.max()));
                heights.add(found.map(FigureRow::median).orElse(null));
            }
            chart.addSeries(entry.getKey(), groups, heights).setFillColor(COLORS[number % COLORS.length]);
        }
        if (at != null) {
            final CategorySeries series = chart.addSeries(
                    panel.lineLabel(), groups, groups.stream().map(unused -> at).toList());
            series.setChartCategorySeriesRenderStyle(CategorySeries.CategorySeriesRenderStyle.Line);
            series.setMarker(SeriesMarkers.NONE).setLineColor(LINE).setLineStyle(DASHED);
        }
        return chart;
    }

    private static void style(AxesChartStyler styler, FigurePanel panel, List<FigureRow> rows) {
        final Font font = new Font(Font.SANS_SERIF, Font.PLAIN, 15);
        styler.setChartBackgroundColor(Color.WHITE);
        styler.setChartFontColor(TEXT);
        styler.setPlotBackgroundColor(Color.WHITE);
        styler.setPlotBorderVisible(false);
        styler.setPlotGridLinesColor(GRID);
        styler.setPlotGridLinesStroke(new BasicStroke(1));
        styler.setChartTitleFont(font.deriveFont(Font.BOLD, 18f));
        styler.setChartTitleBoxVisible(false);
        styler.setAxisTitleFont(font);
        styler.setAxisTickLabelsFont(font.deriveFont(14f));
        styler.setLegendFont(font.deriveFont(14f));
        styler.setLegendPosition(Styler.LegendPosition.OutsideE);
        styler.setLegendBorderColor(Color.WHITE);
        styler.setYAxisLogarithmic(panel.yLog());
        if (panel.yLog()) {
            styler.setYAxisDecimalPattern(PLAIN);
            final double least = rows.stream()
                    .mapToDouble(FigureRow::min)
                    .filter(value -> value > 0)
                    .min()
                    .orElse(1);
            final Double line = panel.line();
            final double most = Math.max(
                    line == null ? 0 : line,
                    rows.stream().mapToDouble(FigureRow::max).max().orElse(1));
            styler.setYAxisMin(Math.pow(10, Math.floor(Math.log10(least * 0.999))));
            styler.setYAxisMax(Math.pow(10, Math.ceil(Math.log10(most * 1.01))));
        }
    }
}
