package dev.loom.bench.figure;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.geom.Line2D;
import java.awt.geom.Rectangle2D;
import java.util.ArrayList;
import java.util.List;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;

/**
 * A chart of bars, with strokes over them from a least to a greatest value. The library's own error bars reach as far up as down, and begin at
 * the axis where the logarithm of a value is negative.
 */
final class SpreadBarChart extends CategoryChart {
    private static final BasicStroke STROKE = new BasicStroke(1.2f);
    private static final BasicStroke OUTLINE = new BasicStroke(3.6f);

    private final List<Spread> spreads = new ArrayList<>();
    private final Color color;
    private final int groups;

    SpreadBarChart(CategoryChartBuilder builder, int groups, Color color) {
        super(builder);
        this.groups = groups;
        this.color = color;
    }

    /** Where a stroke is: over the bar of a series in a group, each counted from 0. */
    private record Spread(int group, int series, double min, double max) {}

    /** Over a bar of the series that is added next. */
    void addSpread(int group, double min, double max) {
        spreads.add(new Spread(group, seriesMap.size(), min, max));
    }

    /** Bars are where the library has them: it doesn't tell. */
    @Override
    public void paint(Graphics2D graphics, int width, int height) {
        super.paint(graphics, width, height);
        final Rectangle2D bounds = plot.getBounds();
        final double content = getStyler().getPlotContentSize() * bounds.getWidth();
        final double left = bounds.getX() + (bounds.getWidth() - content) / 2;
        final double fill = getStyler().getAvailableSpaceFill();
        final double bar = fill / seriesMap.size();
        for (final Spread spread : spreads) {
            final double inGroup = (1 - fill) / 2 + (spread.series() + 0.5) * bar;
            final double x = left + content * (spread.group() + inGroup) / groups;
            final Line2D line =
                    new Line2D.Double(x, getScreenYFromChart(spread.min()), x, getScreenYFromChart(spread.max()));
            graphics.setColor(Color.WHITE); // tells the stroke from a dark bar
            graphics.setStroke(OUTLINE);
            graphics.draw(line);
            graphics.setColor(color);
            graphics.setStroke(STROKE);
            graphics.draw(line);
        }
    }
}
