package dev.loom.query.rank;

/** Selects by rank in place (Hoare's quickselect, with median-of-three pivots and a three-way partition). */
public final class Selection {
    private Selection() {}

    /** The value that sorting {@code values[from, to)} would put at {@code from + rank}; reorders the values. */
    public static long select(long[] values, int from, int to, int rank) {
        int low = from;
        int high = to - 1;
        int wanted = from + rank;
        while (low < high) {
            long pivot = middle(values[low], values[(low + high) >>> 1], values[high]);
            int less = low;
            int greater = high;
            for (int i = low; i <= greater; ) {
                long value = values[i];
                if (value < pivot) {
                    values[i++] = values[less];
                    values[less++] = value;
                } else if (value > pivot) {
                    values[i] = values[greater];
                    values[greater--] = value;
                } else {
                    i++;
                }
            }
            if (wanted < less) {
                high = less - 1;
            } else if (wanted > greater) {
                low = greater + 1;
            } else {
                return pivot;
            }
        }
        return values[wanted];
    }

    private static long middle(long a, long b, long c) {
        return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
    }
}
