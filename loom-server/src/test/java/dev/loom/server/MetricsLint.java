package dev.loom.server;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the text form of Prometheus (0.0.4), and finds what {@code promtool check metrics} complains of. */
final class MetricsLint {
    private static final Pattern COMMENT = Pattern.compile("# (HELP|TYPE) ([a-z][a-z0-9_]*) (\\S.*)");
    private static final Pattern SAMPLE = Pattern.compile(
            "([a-z][a-z0-9_]*)(?:\\{((?:[a-z][a-z0-9_]*=\"(?:[^\"\\\\]|\\\\[\\\\\"n])*\",?)+)})? (-?[0-9.]+|\\+Inf|NaN)");
    private static final Pattern LABEL = Pattern.compile("([a-z][a-z0-9_]*)=\"((?:[^\"\\\\]|\\\\[\\\\\"n])*)\"(,|$)");
    private static final Set<String> TYPES = Set.of("counter", "gauge", "histogram", "summary");
    private static final Pattern OTHER_UNITS = Pattern.compile(
            ".*_(ns|us|ms|nanoseconds|microseconds|milliseconds|minutes|hours|kb|mb|kib|mib|kilobytes|megabytes|percent)(_.*)?");

    private final List<String> complaints = new ArrayList<>();
    private final Map<String, String> types = new HashMap<>();
    private final Set<String> helped = new HashSet<>();
    private final Map<String, Double> samples = new TreeMap<>();
    private final Map<String, Map<Double, Double>> buckets = new TreeMap<>();
    private String family = "";

    private MetricsLint() {}

    /** All that is wrong; empty if nothing is. */
    static List<String> complaints(String text) {
        MetricsLint lint = new MetricsLint();
        if (!text.endsWith("\n")) {
            lint.complaints.add("the last line does not end");
        }
        text.lines().forEach(lint::line);
        lint.buckets.forEach(lint::checkBuckets);
        return lint.complaints;
    }

    private void line(String line) {
        Matcher comment = COMMENT.matcher(line);
        Matcher sample = SAMPLE.matcher(line);
        if (comment.matches()) {
            comment(comment.group(1).equals("HELP"), comment.group(2), comment.group(3));
        } else if (sample.matches()) {
            sample(sample.group(1), sample.group(2) == null ? "" : sample.group(2), sample.group(3));
        } else {
            complaints.add("cannot be read: " + line);
        }
    }

    private void comment(boolean help, String name, String text) {
        if (help) {
            require(helped.add(name), "help twice, or not in one place: " + name);
            family = name;
            return;
        }
        require(name.equals(family), "type without help before: " + name);
        require(TYPES.contains(text), "type is unknown: " + name + ' ' + text);
        require(types.put(name, text) == null, "type twice: " + name);
        require(text.equals("counter") == name.endsWith("_total"), "a counter, and no other, ends in _total: " + name);
        require(!name.matches(".*_(bucket|sum|count)"), "name is that of a part: " + name);
        require(!OTHER_UNITS.matcher(name).matches(), "unit is not a base unit: " + name);
        require(!name.contains("_" + text), "type in the name: " + name);
    }

    private void sample(String name, String labels, String value) {
        String type = types.getOrDefault(family, "none");
        boolean parts = type.equals("histogram") || type.equals("summary");
        String suffix = name.startsWith(family) ? name.substring(family.length()) : "?";
        require(
                suffix.isEmpty()
                        ? !parts
                        : parts && suffix.matches("_sum|_count" + (type.equals("histogram") ? "|_bucket" : "")),
                "sample is not of the metric before it: " + name + ", metric=" + family);
        Map<String, String> byName = new TreeMap<>();
        Matcher label = LABEL.matcher(labels);
        while (label.find()) {
            require(byName.put(label.group(1), label.group(2)) == null, "label twice: " + name + labels);
        }
        double number = value.equals("+Inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(value);
        require(samples.put(name + byName, number) == null, "sample twice: " + name + byName);
        require(!type.equals("counter") || number >= 0, "counter is negative: " + name);
        String bound = byName.remove("le");
        require((bound != null) == suffix.equals("_bucket"), "le is for buckets: " + name);
        if (bound != null) {
            double upper = bound.equals("+Inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(bound);
            buckets.computeIfAbsent(family + byName, key -> new TreeMap<>()).put(upper, number);
        }
    }

    private void checkBuckets(String series, Map<Double, Double> counts) {
        double before = 0;
        for (double count : counts.values()) {
            require(count >= before, "buckets are not cumulative: " + series + ' ' + counts);
            before = count;
        }
        require(counts.containsKey(Double.POSITIVE_INFINITY), "no bucket for all: " + series);
        String labels = series.substring(series.indexOf('{'));
        String name = series.substring(0, series.indexOf('{'));
        require(
                Double.valueOf(before).equals(samples.get(name + "_count" + labels)),
                "count is not that of the last bucket: " + series);
        require(samples.containsKey(name + "_sum" + labels), "no sum: " + series);
    }

    private void require(boolean holds, String complaint) {
        if (!holds) {
            complaints.add(complaint);
        }
    }
}
