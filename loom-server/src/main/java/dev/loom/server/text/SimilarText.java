package dev.loom.server.text;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;

/** Suggests what the user may have meant by an unknown name. */
public final class SimilarText {
    private SimilarText() {}

    /** A suggestion such as {@code ; did you mean scan?}, or nothing if no name is similar. */
    public static String suggestion(String text, Collection<String> names) {
        // a third of the letters may be wrong
        int distanceMax = text.length() / 3;
        return names.stream()
                // the lengths alone differ by too much: don't compare a long text with thousands of names
                .filter(name -> Math.abs(name.length() - text.length()) <= distanceMax)
                .filter(name -> distance(text, name) <= distanceMax)
                .min(Comparator.<String>comparingInt(name -> distance(text, name))
                        .thenComparing(name -> name))
                .map(name -> "; did you mean " + name + "?")
                .orElse("");
    }

    /** The number of insertions, deletions, replacements and swaps of neighbours, ignoring case. */
    static int distance(String one, String other) {
        String a = one.toLowerCase(Locale.ROOT);
        String b = other.toLowerCase(Locale.ROOT);
        int[][] steps = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    steps[i][j] = i + j;
                    continue;
                }
                int replaced = steps[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                steps[i][j] = Math.min(replaced, Math.min(steps[i - 1][j], steps[i][j - 1]) + 1);
                boolean swapped =
                        i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
                if (swapped) {
                    steps[i][j] = Math.min(steps[i][j], steps[i - 2][j - 2] + 1);
                }
            }
        }
        return steps[a.length()][b.length()];
    }
}
