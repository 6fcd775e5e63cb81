package dev.loom.server.prometheus.store;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The names of OTLP's metrics and attributes as Prometheus has them, and back. The rules are those of the OpenTelemetry specification
 * (Prometheus and OpenMetrics compatibility) as Prometheus 3 applies them by default ({@code UnderscoreEscapingWithSuffixes}).
 */
final class OtlpNames {
    private static final Pattern SEPARATORS = Pattern.compile("[^a-zA-Z0-9:]+");
    private static final Pattern NO_LABEL = Pattern.compile("[^a-zA-Z0-9_]");
    private static final String TOTAL = "total";
    private static final String RATIO = "ratio";
    private static final String PER = "per_";
    private static final int NAME_MAX = 256;

    /** What may stand between the words of a metric's name, which are in the same order otherwise. */
    private static final String BETWEEN = "(?:[^a-zA-Z0-9:]|total|ratio)*";

    private static final Map<String, String> UNITS = Map.ofEntries(
            Map.entry("d", "days"),
            Map.entry("h", "hours"),
            Map.entry("min", "minutes"),
            Map.entry("s", "seconds"),
            Map.entry("ms", "milliseconds"),
            Map.entry("us", "microseconds"),
            Map.entry("ns", "nanoseconds"),
            Map.entry("By", "bytes"),
            Map.entry("KiBy", "kibibytes"),
            Map.entry("MiBy", "mebibytes"),
            Map.entry("GiBy", "gibibytes"),
            Map.entry("TiBy", "tibibytes"),
            Map.entry("KBy", "kilobytes"),
            Map.entry("MBy", "megabytes"),
            Map.entry("GBy", "gigabytes"),
            Map.entry("TBy", "terabytes"),
            Map.entry("m", "meters"),
            Map.entry("V", "volts"),
            Map.entry("A", "amperes"),
            Map.entry("J", "joules"),
            Map.entry("W", "watts"),
            Map.entry("g", "grams"),
            Map.entry("Cel", "celsius"),
            Map.entry("Hz", "hertz"),
            Map.entry("1", ""),
            Map.entry("%", "percent"));

    private static final Map<String, String> PER_UNITS =
            Map.of("s", "second", "m", "minute", "h", "hour", "d", "day", "w", "week", "mo", "month", "y", "year");

    private OtlpNames() {}

    /**
     * The name of a metric, without the suffix of a part of a histogram; empty if it has no words but {@code total} and {@code ratio}, which
     * move.
     *
     * @param kind as records have it
     * @param monotonic of a sum
     */
    static String metric(String name, String unit, String kind, boolean monotonic) {
        List<String> words = words(name);
        if (words.stream().allMatch(OtlpNames::moves)) {
            return "";
        }
        int slash = unit.indexOf('/');
        String main = suffix(slash < 0 ? unit : unit.substring(0, slash), UNITS);
        String per = slash < 0 ? "" : suffix(unit.substring(slash + 1), PER_UNITS);
        main = escaped(main);
        per = per.isEmpty() ? "" : escaped(PER + per);
        if (words.contains(main)) {
            main = "";
        }
        per = per.equals(PER) ? "" : trimmed(per);
        per = words.contains(per) ? "" : per;
        main = per.isEmpty() ? main : trimmed(main);
        List<String> all = new ArrayList<>(words);
        if (!main.isEmpty()) {
            all.add(main);
        }
        if (!per.isEmpty()) {
            all.add(per);
        }
        if (monotonic && kind.equals("sum")) {
            moveToEnd(all, TOTAL);
        }
        if (unit.equals("1") && kind.equals("gauge")) {
            moveToEnd(all, RATIO);
        }
        String joined = String.join("_", all);
        return !joined.isEmpty() && Character.isDigit(joined.charAt(0)) ? "_" + joined : joined;
    }

    private static List<String> words(String name) {
        List<String> words = new ArrayList<>(List.of(SEPARATORS.split(name)));
        words.remove("");
        return words;
    }

    /** Whether a word may stand elsewhere in the name of a metric of Prometheus. */
    private static boolean moves(String word) {
        return word.equals(TOTAL) || word.equals(RATIO);
    }

    private static void moveToEnd(List<String> words, String word) {
        words.removeIf(word::equals);
        words.add(word);
    }

    /** A unit in words; empty for annotations such as {@code {request}}. */
    private static String suffix(String unit, Map<String, String> known) {
        String stripped = unit.strip();
        return stripped.indexOf('{') >= 0 || stripped.indexOf('}') >= 0 ? "" : known.getOrDefault(stripped, stripped);
    }

    private static String escaped(String unit) {
        String words = SEPARATORS.matcher(unit).replaceAll("_");
        return words.startsWith("_") ? words.substring(1) : words;
    }

    private static String trimmed(String suffix) {
        return suffix.endsWith("_") ? suffix.substring(0, suffix.length() - 1) : suffix;
    }

    /**
     * The label of an attribute. Names of Prometheus' own are kept apart: an underscore in front becomes {@code key_}. Empty for an
     * empty key.
     */
    static String label(String key) {
        String label = NO_LABEL.matcher(key).replaceAll("_");
        if (label.isEmpty()) {
            return "";
        } else if (Character.isDigit(label.charAt(0))) {
            return "key_" + label;
        }
        return label.charAt(0) == '_' ? "key" + label : label;
    }

    /**
     * The way back: a regular expression, in RE2's syntax, which matches each metric's name that has this name, or one with a suffix of a
     * part of a histogram, in Prometheus; and few others. Empty if all may.
     */
    static String pattern(String name) {
        if (name.length() > NAME_MAX) {
            return "";
        }
        StringBuilder pattern = new StringBuilder("^").append(BETWEEN);
        List<String> words = words(name);
        int optional = 0;
        for (int i = 0; i < words.size(); i++) {
            // the first word is in the name itself, unless it may have moved; what stands last may be a suffix
            boolean required = i == 0 && !moves(words.get(0));
            pattern.append(required ? "" : "(?:").append(words.get(i)).append(BETWEEN);
            optional += required ? 0 : 1;
        }
        return pattern.append(")?".repeat(optional)).append('$').toString();
    }
}
