package dev.loom.cli.query;

import dev.loom.query.HistogramCounts;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Groups neighbouring bins, from the first that holds a value to the last, until they are few enough. Values far from all others,
 * such as an infinity, form a part of their own; a chart marks the gap between parts and does not draw it.
 */
final class BinGroups {
    /** Empty bins are a gap if there are more of them than this, and than {@link #GAP_TIMES_MIN} times the bins outside gaps. */
    private static final int GAP_MIN = 64;

    private static final int GAP_TIMES_MIN = 3;

    /**
     * The bins from {@code from} to before {@code to}.
     *
     * @param gap whether they are the empty bins between two parts
     */
    record Group(int from, int to, boolean gap) {
        long count(HistogramCounts counts, int step) {
            long sum = 0;
            for (int bin = from; bin < to; bin++) {
                sum += counts.count(step, bin);
            }
            return sum;
        }
    }

    private BinGroups() {}

    /** Groups the bins of a one-step histogram; empty if all counts are 0. */
    static List<Group> of(HistogramCounts counts, int groupsMax) {
        int[] held = IntStream.range(0, counts.bins())
                .filter(bin -> counts.count(0, bin) > 0)
                .toArray();
        if (held.length == 0) {
            return List.of();
        }
        List<Group> parts = parts(counts, held);
        if (2 * parts.size() > groupsMax) {
            parts = List.of(new Group(held[0], held[held.length - 1] + 1, false));
        }
        int gaps = parts.size() - 1;
        int room = Math.max(parts.size(), groupsMax - gaps);
        int each = 1;
        while (groups(parts, each) > room) {
            each = Math.max(each + 1, (int) ((long) each * groups(parts, each) / room));
        }
        List<Group> groups = new ArrayList<>();
        for (Group part : parts) {
            int end = groups.isEmpty()
                    ? part.from()
                    : groups.get(groups.size() - 1).to();
            if (end < part.from()) {
                groups.add(new Group(end, part.from(), true));
            }
            for (int bin = part.from(); bin < part.to(); bin += each) {
                groups.add(new Group(bin, Math.min(bin + each, part.to()), false));
            }
        }
        return groups;
    }

    private static int groups(List<Group> parts, int each) {
        return parts.stream()
                .mapToInt(part -> (part.to() - part.from() + each - 1) / each)
                .sum();
    }

    private static List<Group> parts(HistogramCounts counts, int[] held) {
        int compact = 1;
        for (int i = 1; i < held.length; i++) {
            compact += Math.min(held[i] - held[i - 1], GAP_MIN);
        }
        List<Group> parts = new ArrayList<>();
        int from = held[0];
        for (int i = 1; i < held.length; i++) {
            int distance = held[i] - held[i - 1];
            boolean far = distance > GAP_MIN && distance > GAP_TIMES_MIN * compact;
            if (far || isInfinite(counts, held[i]) || isInfinite(counts, held[i - 1])) {
                parts.add(new Group(from, held[i - 1] + 1, false));
                from = held[i];
            }
        }
        parts.add(new Group(from, held[held.length - 1] + 1, false));
        return parts;
    }

    /** Whether a bin holds only an infinity. */
    private static boolean isInfinite(HistogramCounts counts, int bin) {
        return Double.isInfinite(counts.low(bin).doubleValue())
                && counts.low(bin).key() == counts.high(bin).key();
    }

    /** The groups' ends, as {@link dev.loom.query.Histogram#groups} takes them. */
    static int[] ends(List<Group> groups) {
        return IntStream.concat(
                        IntStream.of(groups.get(0).from()), groups.stream().mapToInt(Group::to))
                .toArray();
    }
}
