package dev.loom.server.prometheus.promql;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The labels of a series, ordered by their names. An empty value is the same as no label. Immutable. */
public final class Labels implements Comparable<Labels> {
    /** The label that holds the name of the metric. */
    public static final String NAME = "__name__";

    /** The label that holds the upper bound of a bucket of a classic histogram. */
    public static final String BUCKET = "le";

    /** No labels. */
    public static final Labels NONE = new Labels(new String[0]);

    private final String[] pairs;
    private final int hash;

    private Labels(String[] pairs) {
        this.pairs = pairs;
        hash = Arrays.hashCode(pairs);
    }

    /** Labels by name. */
    public static Labels of(Map<String, String> byName) {
        List<String> pairs = new ArrayList<>();
        new TreeMap<>(byName).forEach((name, value) -> {
            if (!value.isEmpty()) {
                pairs.add(name);
                pairs.add(value);
            }
        });
        return new Labels(pairs.toArray(String[]::new));
    }

    /** The value of a label; empty if there is none. */
    public String get(String name) {
        for (int i = 0; i < pairs.length; i += 2) {
            if (pairs[i].equals(name)) {
                return pairs[i + 1];
            }
        }
        return "";
    }

    /** The name of the metric; empty if there is none. */
    public String name() {
        return get(NAME);
    }

    /** The labels whose names are wanted. */
    public Labels only(Predicate<String> wanted) {
        List<String> left = new ArrayList<>();
        forEach((name, value) -> {
            if (wanted.test(name)) {
                left.add(name);
                left.add(value);
            }
        });
        return left.size() == pairs.length ? this : new Labels(left.toArray(String[]::new));
    }

    /** All labels but one. */
    public Labels without(String name) {
        return get(name).isEmpty() ? this : only(each -> !each.equals(name));
    }

    /** All labels but the name of the metric. */
    public Labels withoutName() {
        return without(NAME);
    }

    /** All labels but the name of the metric and some others. */
    public Labels without(Collection<String> names) {
        return only(each -> !each.equals(NAME) && !names.contains(each));
    }

    /** These labels with one set, or removed if the value is empty. */
    public Labels with(String name, String value) {
        Map<String, String> byName = map();
        byName.put(name, value);
        return of(byName);
    }

    /** The labels by name. */
    public Map<String, String> map() {
        Map<String, String> byName = new TreeMap<>();
        forEach(byName::put);
        return byName;
    }

    /** Hands over the labels in the order of their names. */
    public void forEach(BiConsumer<String, String> each) {
        for (int i = 0; i < pairs.length; i += 2) {
            each.accept(pairs[i], pairs[i + 1]);
        }
    }

    /** About how much memory they take, in bytes. */
    public long bytes() {
        long bytes = 32;
        for (String text : pairs) {
            bytes += 56 + text.length();
        }
        return bytes;
    }

    @Override
    public int compareTo(Labels other) {
        int common = Math.min(pairs.length, other.pairs.length);
        for (int i = 0; i < common; i++) {
            int order = pairs[i].compareTo(other.pairs[i]);
            if (order != 0) {
                return order;
            }
        }
        return Integer.compare(pairs.length, other.pairs.length);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Labels that && hash == that.hash && Arrays.equals(pairs, that.pairs);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    /** As PromQL writes them. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(name()).append('{');
        forEach((name, value) -> {
            if (!name.equals(NAME)) {
                text.append(text.charAt(text.length() - 1) == '{' ? "" : ", ")
                        .append(name)
                        .append('=')
                        .append(Quoted.of(value));
            }
        });
        return text.append('}').toString();
    }
}
