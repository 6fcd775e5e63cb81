package dev.loom.query.diff;

import java.util.ArrayList;
import java.util.List;
import org.agrona.collections.Long2LongHashMap;
import org.jspecify.annotations.Nullable;

/** The exact numbers of records with the frequent values of a field, without one, and with numbers in bins. For one thread. */
final class FieldCounts {
    private static final int NONE = -1;

    private final DiffField field;
    private final byte[][] keys;
    private final long[][] words;
    private final Long2LongHashMap places = new Long2LongHashMap(NONE);
    private final long[][] counts;
    private final long[] missing = new long[2];
    private final long[] numbers = new long[2];
    private final @Nullable NumberEdges edges;
    private final long[][] bins;

    /**
     * @param filled the records in each sample
     * @param supportMin the fewest chosen records of a finding
     */
    FieldCounts(DiffField field, int[] filled, long supportMin) {
        this.field = field;
        keys = field.values().keys(supportMin);
        words = new long[keys.length][];
        for (int i = 0; i < keys.length; i++) {
            words[i] = DiffField.words(keys[i]);
            places.put(field.hash(keys[i]), i);
        }
        counts = new long[2][keys.length];
        double[] selected = field.numbers(DiffPasses.SELECTED, filled[DiffPasses.SELECTED]);
        double[] against = field.numbers(DiffPasses.AGAINST, filled[DiffPasses.AGAINST]);
        edges = distinct(selected, against) < NumberEdges.DISTINCT_MIN
                ? null
                : NumberEdges.of(selected, against, field.isSinglePrecision());
        bins = new long[2][edges == null ? 0 : edges.bins()];
    }

    private static int distinct(double[] left, double[] right) {
        int distinct = 0;
        int l = 0;
        int r = 0;
        while (l < left.length || r < right.length) {
            double next = l == left.length ? right[r] : r == right.length ? left[l] : Math.min(left[l], right[r]);
            distinct++;
            while (l < left.length && left[l] == next) {
                l++;
            }
            while (r < right.length && right[r] == next) {
                r++;
            }
        }
        return distinct;
    }

    DiffField field() {
        return field;
    }

    /** Whether there is nothing to count: no value is frequent, none is missing, and there are no ranges. */
    boolean isEmpty(long supportMin) {
        return keys.length == 0 && edges == null && field.missing() < supportMin;
    }

    /** Counts the value that the field read last. */
    void add(int set) {
        if (field.isMissing()) {
            missing[set]++;
            return;
        }
        int place = (int) places.get(field.keyHash());
        if (place != NONE && field.is(words[place])) {
            counts[set][place]++;
        }
        NumberEdges of = edges;
        if (of != null && field.isNumber()) {
            numbers[set]++;
            bins[set][field.bin(of)]++;
        }
    }

    /** Values and missing ones that are more frequent among the chosen records. */
    List<Single> singles(long selected, long against, long supportMin) {
        List<Single> found = new ArrayList<>();
        for (int i = 0; i < keys.length; i++) {
            add(
                    found,
                    DiffPart.value(field, keys[i]),
                    new Contingency(counts[0][i], selected, counts[1][i], against),
                    supportMin);
        }
        add(found, DiffPart.missing(field), new Contingency(missing[0], selected, missing[1], against), supportMin);
        NumberEdges of = edges;
        if (of != null) {
            addRange(found, of, selected, against, supportMin);
        }
        return found;
    }

    private static void add(List<Single> found, DiffPart part, Contingency counted, long supportMin) {
        if (counted.selected() >= supportMin && counted.isMoreFrequent()) {
            found.add(new Single(part, counted, null));
        }
    }

    /** The range that tells most; left out if a single value of it tells as much, or else in place of these values. */
    private void addRange(List<Single> found, NumberEdges of, long selected, long against, long supportMin) {
        Contingency best = null;
        double most = 0;
        int from = 0;
        int to = 0;
        for (int i = 0; i < of.bins(); i++) {
            long inSelected = 0;
            long inAgainst = 0;
            for (int j = i; j < of.bins(); j++) {
                inSelected += bins[0][j];
                inAgainst += bins[1][j];
                boolean all = i == 0 && j == of.bins() - 1;
                // a range that begins or ends with nothing is not the narrowest
                boolean narrow = bins[0][i] > 0 && bins[0][j] > 0;
                Contingency counted = new Contingency(inSelected, selected, inAgainst, against);
                if (!all && narrow && inSelected >= supportMin && counted.isMoreFrequent()) {
                    double told = counted.information();
                    if (told > most) {
                        most = told;
                        best = counted;
                        from = i;
                        to = j + 1;
                    }
                }
            }
        }
        if (best == null) {
            return;
        }
        DiffPart range = DiffPart.range(field, of, from, to);
        double told = most;
        if (found.stream()
                .noneMatch(each -> range.holds(each.part()) && each.counted().information() >= told)) {
            found.removeIf(each -> range.holds(each.part()));
            found.add(new Single(range, best, distance()));
        }
    }

    /** The greatest difference of the shares of numbers below an edge (Kolmogorov and Smirnov). */
    private double distance() {
        double greatest = 0;
        long selected = 0;
        long against = 0;
        for (int bin = 0; bin < bins[0].length; bin++) {
            selected += bins[0][bin];
            against += bins[1][bin];
            double difference = numbers[0] == 0 || numbers[1] == 0
                    ? 0
                    : (double) selected / numbers[0] - (double) against / numbers[1];
            greatest = Math.max(greatest, Math.abs(difference));
        }
        return greatest;
    }

    /** How many comparisons the best range was chosen from. */
    double ranges() {
        int count = edges == null ? 0 : edges.bins();
        return count * (count + 1) / 2.0;
    }

    /**
     * What is more frequent among the chosen records.
     *
     * @param distance how far the numbers of the field lie apart in both sets, from 0 to 1; null if they are no ranges
     */
    record Single(
            DiffPart part, Contingency counted, @Nullable Double distance) {}
}
