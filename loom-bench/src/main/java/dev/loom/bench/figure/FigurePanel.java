package dev.loom.bench.figure;

import org.jspecify.annotations.Nullable;

/**
 * How the rows of one panel of a figure are drawn. Immutable.
 *
 * @param name in file names: lower case, with dashes
 * @param title above the panel
 * @param x the horizontal axis, with its unit
 * @param y the vertical axis, with its unit
 * @param form lines over numbers, or groups of bars
 * @param xLog whether the horizontal axis is logarithmic; of lines alone
 * @param yLog whether the vertical axis is logarithmic
 * @param line where a horizontal line is drawn, if any
 * @param lineLabel what the horizontal line says
 */
public record FigurePanel(
        String name,
        String title,
        String x,
        String y,
        Form form,
        boolean xLog,
        boolean yLog,
        @Nullable Double line,
        String lineLabel) {
    /** The kinds of panels. */
    public enum Form {
        /** A line for each series over numbers. */
        LINES,
        /** A group of bars for each place on the horizontal axis, with a bar for each series. */
        BARS
    }

    /** A panel of lines. */
    public static FigurePanel lines(String name, String title, String x, String y) {
        return new FigurePanel(name, title, x, y, Form.LINES, false, false, null, "");
    }

    /** A panel of bars. */
    public static FigurePanel bars(String name, String title, String x, String y) {
        return new FigurePanel(name, title, x, y, Form.BARS, false, false, null, "");
    }

    public FigurePanel logX() {
        return new FigurePanel(name, title, x, y, form, true, yLog, line, lineLabel);
    }

    public FigurePanel logY() {
        return new FigurePanel(name, title, x, y, form, xLog, true, line, lineLabel);
    }

    public FigurePanel line(double at, String label) {
        return new FigurePanel(name, title, x, y, form, xLog, yLog, at, label);
    }
}
