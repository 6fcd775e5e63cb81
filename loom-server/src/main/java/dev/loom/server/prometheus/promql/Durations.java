package dev.loom.server.prometheus.promql;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations such as {@code 1h30m}: units from the longest to the shortest, each at most once. */
public final class Durations {
    private static final Pattern FORM = Pattern.compile(
            "(?:(\\d{1,9})y)?(?:(\\d{1,9})w)?(?:(\\d{1,9})d)?(?:(\\d{1,9})h)?(?:(\\d{1,9})m)?(?:(\\d{1,9})s)?(?:(\\d{1,12})ms)?");
    private static final long[] UNITS_MS = {31_536_000_000L, 604_800_000, 86_400_000, 3_600_000, 60_000, 1_000, 1};
    private static final String[] UNITS = {"y", "w", "d", "h", "m", "s", "ms"};

    /** The longest duration, about 292 years, as in Prometheus. */
    static final long MS_MAX = Long.MAX_VALUE / 1_000_000;

    private Durations() {}

    /**
     * The milliseconds of a duration.
     *
     * @throws IllegalArgumentException if the text is none, or it is longer than 292 years
     */
    public static long parse(String text) {
        Matcher found = FORM.matcher(text);
        if (text.isEmpty() || !found.matches()) {
            throw new IllegalArgumentException("not a valid duration string: " + Quoted.of(text));
        }
        long ms = 0;
        for (int i = 0; i < UNITS_MS.length; i++) {
            String count = found.group(i + 1);
            if (count != null) {
                long units = Long.parseLong(count);
                if (units > (MS_MAX - ms) / UNITS_MS[i]) {
                    throw new IllegalArgumentException("duration out of range");
                }
                ms += units * UNITS_MS[i];
            }
        }
        return ms;
    }

    /** A duration of milliseconds as it is written. */
    static String text(long ms) {
        if (ms == 0) {
            return "0s";
        }
        StringBuilder text = new StringBuilder(ms < 0 ? "-" : "");
        long left = Math.abs(ms);
        for (int i = 0; i < UNITS.length; i++) {
            // weeks and years only where nothing shorter is left, as Prometheus writes them
            boolean whole = i > 1 || left % UNITS_MS[i] == 0;
            if (left >= UNITS_MS[i] && whole) {
                text.append(left / UNITS_MS[i]).append(UNITS[i]);
                left %= UNITS_MS[i];
            }
        }
        return text.toString();
    }
}
