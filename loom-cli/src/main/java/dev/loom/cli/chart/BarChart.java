package dev.loom.cli.chart;

import java.util.List;
import java.util.Locale;

/** One line per bin: its lower end, its count, the share of values up to its end, and a bar. */
public final class BarChart {
    public record Bar(String label, long count) {}

    private static final String[] EIGHTHS = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    private static final int BAR_MIN = 10;
    private static final int SHARE_WIDTH = 9;

    private BarChart() {}

    /**
     * Draws bins, the first one on top.
     *
     * @param heading heading of the first column
     */
    public static String draw(String heading, List<Bar> bars, ChartStyle style) {
        long total = 0;
        long max = 0;
        int labelWidth = heading.length();
        for (Bar bar : bars) {
            total += bar.count();
            max = Math.max(max, bar.count());
            labelWidth = Math.max(labelWidth, bar.label().length());
        }
        int countWidth = Math.max("count".length(), count(max).length());
        int barWidth = style.width() - labelWidth - countWidth - 4;
        boolean shares = barWidth - SHARE_WIDTH >= BAR_MIN;
        barWidth -= shares ? SHARE_WIDTH : 0;
        StringBuilder text = new StringBuilder();
        text.append(style.heading(ChartStyle.padLeft(heading, labelWidth) + "  "
                        + ChartStyle.padLeft("count", countWidth) + (shares ? "     up to" : "")))
                .append('\n');
        long upTo = 0;
        for (Bar bar : bars) {
            upTo += bar.count();
            text.append(ChartStyle.padLeft(bar.label(), labelWidth)).append("  ");
            text.append(ChartStyle.padLeft(count(bar.count()), countWidth)).append("  ");
            if (shares) {
                text.append(style.axis(String.format(Locale.ROOT, "%6.2f%%", percent(upTo, total))))
                        .append("  ");
            }
            text.append(style.bar(bar(bar.count(), max, barWidth)));
            endLine(text);
        }
        return text.toString();
    }

    /** A percentage that reaches 100 only with the last value. */
    private static double percent(long upTo, long total) {
        return upTo == total ? 100 : Math.min(99.99, 100.0 * upTo / total);
    }

    /** A bar in eighths of a column; a single value gets at least one eighth. */
    private static String bar(long count, long max, int width) {
        if (count == 0) {
            return "";
        }
        long eighths = Math.max(1, Math.round((double) count / max * width * EIGHTHS.length));
        return "█".repeat((int) (eighths / EIGHTHS.length)) + EIGHTHS[(int) (eighths % EIGHTHS.length)];
    }

    static String count(long count) {
        return String.format(Locale.ROOT, "%,d", count);
    }

    static void endLine(StringBuilder text) {
        while (text.length() > 0 && text.charAt(text.length() - 1) == ' ') {
            text.setLength(text.length() - 1);
        }
        text.append('\n');
    }
}
