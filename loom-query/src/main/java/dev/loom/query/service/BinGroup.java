package dev.loom.query.service;

import dev.loom.query.Histogram;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Neighbouring bins of a histogram, from {@code from} to before {@code to}.
 *
 * @param gap whether they are the empty bins between two parts: values far from all others, such as an infinity, form a part of
 *     their own, and a chart marks the gap but does not draw it
 */
public record BinGroup(int from, int to, boolean gap) {
    /** Empty bins are a gap if there are more of them than this, and than {@link #GAP_TIMES_MIN} times the bins outside gaps. */
    private static final int GAP_MIN = 64;

    private static final int GAP_TIMES_MIN = 3;

    /** The values of one step in all the bins. */
    public long count(Histogram.Counts counts, int step) {
        long sum = 0;
        for (int bin = from; bin < to; bin++) {
            sum += counts.count(step, bin);
        }
        return sum;
    }

    /** Groups the bins of a one-step histogram, from the first that holds a value to the last; empty if all counts are 0. */
    static List<BinGroup> of(Histogram.Counts counts, int groupsMax) {
        int[] held = IntStream.range(0, counts.bins())
                .filter(bin -> counts.count(0, bin) > 0)
                .toArray();
        if (held.length == 0) {
            return List.of();
        }
        List<BinGroup> parts = parts(counts, held);
        if (2 * parts.size() > groupsMax) {
            parts = List.of(new BinGroup(held[0], held[held.length - 1] + 1, false));
        }
        int gaps = parts.size() - 1;
        int room = Math.max(parts.size(), groupsMax - gaps);
        int each = 1;
        while (groups(parts, each) > room) {
            each = Math.max(each + 1, (int) ((long) each * groups(parts, each) / room));
        }
        List<BinGroup> groups = new ArrayList<>();
        for (BinGroup part : parts) {
            int end = groups.isEmpty()
                    ? part.from()
                    : groups.get(groups.size() - 1).to();
            if (end < part.from()) {
                groups.add(new BinGroup(end, part.from(), true));
            }
            for (int bin = part.from(); bin < part.to(); bin += each) {
                groups.add(new BinGroup(bin, Math.min(bin + each, part.to()), false));
            }
        }
        return groups;
    }

    /** A group for each of {@code bins} bins. */
    static List<BinGroup> each(int bins) {
        return IntStream.range(0, bins)
                .mapToObj(bin -> new BinGroup(bin, bin + 1, false))
                .toList();
    }

    private static int groups(List<BinGroup> parts, int each) {
        return parts.stream()
                .mapToInt(part -> (part.to() - part.from() + each - 1) / each)
                .sum();
    }

    private static List<BinGroup> parts(Histogram.Counts counts, int[] held) {
        int compact = 1;
        for (int i = 1; i < held.length; i++) {
            compact += Math.min(held[i] - held[i - 1], GAP_MIN);
        }
        List<BinGroup> parts = new ArrayList<>();
        int from = held[0];
        for (int i = 1; i < held.length; i++) {
            int distance = held[i] - held[i - 1];
            boolean far = distance > GAP_MIN && distance > GAP_TIMES_MIN * compact;
            if (far || isInfinite(counts, held[i]) || isInfinite(counts, held[i - 1])) {
                parts.add(new BinGroup(from, held[i - 1] + 1, false));
                from = held[i];
            }
        }
        parts.add(new BinGroup(from, held[held.length - 1] + 1, false));
        return parts;
    }

    /** Whether a bin holds only an infinity. */
    private static boolean isInfinite(Histogram.Counts counts, int bin) {
        return Double.isInfinite(counts.low(bin).doubleValue())
                && counts.low(bin).key() == counts.high(bin).key();
    }

    /** The groups' ends, as {@link dev.loom.query.Histogram#groups} takes them. */
    static int[] ends(List<BinGroup> groups) {
        return IntStream.concat(
                        IntStream.of(groups.get(0).from()), groups.stream().mapToInt(BinGroup::to))
                .toArray();
    }
}
