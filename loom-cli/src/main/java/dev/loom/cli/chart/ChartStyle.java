package dev.loom.cli.chart;

/**
 * The style of a chart.
 *
 * @param width columns of the terminal
 * @param colour whether escape sequences may be used
 */
public record ChartStyle(int width, boolean colour) {
    /** Charts on narrower terminals are drawn this wide. */
    public static final int WIDTH_MIN = 40;

    /** What charts are drawn with, and what stands for it in ASCII. */
    private static final String DRAWN = "·░▒▓█│┤└─▏▎▍▌▋▊▉▁▂▃▄▅▆▇◆•…";

    private static final String DRAWN_ASCII = ".:+%#||+-....###...:::#*o~";

    private static final String BAR = "\u001b[36m";
    private static final String RED = "\u001b[31m";
    private static final String DIM = "\u001b[2m";
    private static final String BOLD = "\u001b[1m";
    private static final String PLAIN = "\u001b[0m";

    public ChartStyle {
        width = Math.max(WIDTH_MIN, width);
    }

    /** A chart in ASCII, for terminals without UTF-8. */
    public static String ascii(String chart) {
        StringBuilder text = new StringBuilder(chart);
        for (int i = 0; i < text.length(); i++) {
            int drawn = DRAWN.indexOf(text.charAt(i));
            if (drawn >= 0) {
                text.setCharAt(i, DRAWN_ASCII.charAt(drawn));
            }
        }
        return text.toString();
    }

    public String bar(String text) {
        return in(BAR, text);
    }

    public String axis(String text) {
        return in(DIM, text);
    }

    public String heading(String text) {
        return in(BOLD, text);
    }

    /** A failure. */
    public String error(String text) {
        return in(RED, text);
    }

    private String in(String colourCode, String text) {
        return colour && !text.isEmpty() ? colourCode + text + PLAIN : text;
    }

    public static String padLeft(String text, int columns) {
        return " ".repeat(Math.max(0, columns - text.length())) + text;
    }
}
