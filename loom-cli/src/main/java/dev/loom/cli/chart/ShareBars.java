package dev.loom.cli.chart;

import java.util.List;
import java.util.Locale;

/** Two bars for each line: the share of the chosen records that have something, and of the others. */
public final class ShareBars {
    /**
     * One line.
     *
     * @param title what they have, as wide as the chart at most
     * @param chosen the chosen records that have it
     * @param others the others that have it
     * @param notes further lines, narrower by two columns
     */
    public record Pair(String title, long chosen, long others, List<String> notes) {}

    private static final String[] EIGHTHS = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    private static final String CHOSEN = "  chosen ";
    private static final String OTHERS = "  others ";
    private static final int SHARE_WIDTH = 8;
    private static final int BAR_MIN = 4;

    private ShareBars() {}

    /**
     * Draws lines, the first one on top.
     *
     * @param chosen all chosen records
     * @param others all others
     */
    public static String draw(String heading, List<Pair> pairs, long chosen, long others, ChartStyle style) {
        int countWidth = 1;
        for (Pair pair : pairs) {
            countWidth = Math.max(
                    countWidth,
                    Math.max(
                            BarChart.count(pair.chosen()).length(),
                            BarChart.count(pair.others()).length()));
        }
        int besides = CHOSEN.length() + SHARE_WIDTH + 1 + countWidth;
        int barWidth = Math.max(BAR_MIN, style.width() / 2 - besides);
        StringBuilder text = new StringBuilder();
        text.append(style.heading(heading)).append('\n');
        for (Pair pair : pairs) {
            text.append(pair.title()).append('\n');
            side(text, CHOSEN, pair.chosen(), chosen, barWidth, countWidth, style);
            side(text, OTHERS, pair.others(), others, barWidth, countWidth, style);
            BarChart.endLine(text);
            for (String note : pair.notes()) {
                text.append("  ").append(style.axis(note));
                BarChart.endLine(text);
            }
        }
        return text.toString();
    }

    private static void side(
            StringBuilder text, String name, long count, long of, int barWidth, int countWidth, ChartStyle style) {
        String bar = bar(count, of, barWidth);
        text.append(style.axis(name)).append(style.bar(bar)).append(" ".repeat(barWidth - bar.length()));
        text.append(ChartStyle.padLeft(share(count, of), SHARE_WIDTH))
                .append(' ')
                .append(ChartStyle.padLeft(BarChart.count(count), countWidth));
    }

    /** A percentage that is 0 or 100 only if it is none or all. */
    private static String share(long count, long of) {
        double percent = of == 0 ? 0 : 100.0 * count / of;
        double shown = count == 0 || count == of ? percent : Math.min(99.99, Math.max(0.01, percent));
        return String.format(Locale.ROOT, "%.2f%%", shown);
    }

    /** A bar in eighths of a column; a single record gets at least one eighth. */
    private static String bar(long count, long of, int width) {
        if (count == 0) {
            return "";
        }
        int eighths = (int) Math.max(1, Math.round((double) count / of * width * EIGHTHS.length));
        return "█".repeat(eighths / EIGHTHS.length) + EIGHTHS[eighths % EIGHTHS.length];
    }
}
