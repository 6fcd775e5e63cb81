package dev.loom.bench.replay;

/**
 * Latencies as percentiles of a capture, and a table to draw from: logarithms are linear between two percentiles. A quarter of a
 * million draws still meet the tail, which has a table of its own. Immutable.
 */
final class LatencyCurve {
    private static final int CELL_BITS = 10;
    private static final int CELLS = 1 << CELL_BITS;
    private static final int LAST = CELLS - 1;

    private final double[] shares;
    private final long[] values;
    private final long[] body = new long[CELLS + 1];
    private final long[] tail = new long[CELLS + 1];

    /**
     * Creates a curve.
     *
     * @param shares ascending, from 0 to 1
     * @param values the latency that this share of all does not exceed, ns
     */
    LatencyCurve(double[] shares, long... values) {
        if (shares.length != values.length || shares[0] != 0 || shares[shares.length - 1] != 1) {
            throw new IllegalArgumentException(
                    "shares and values differ: shares=" + shares.length + ", values=" + values.length);
        }
        this.shares = shares.clone();
        this.values = values.clone();
        for (int cell = 0; cell <= CELLS; cell++) {
            body[cell] = quantile((double) cell / CELLS);
            tail[cell] = quantile((LAST + (double) cell / CELLS) / CELLS);
        }
    }

    /** The latency that a share of all does not exceed, ns. */
    long quantile(double share) {
        int upper = 1;
        while (upper < shares.length - 1 && shares[upper] < share) {
            upper++;
        }
        final double part = (share - shares[upper - 1]) / (shares[upper] - shares[upper - 1]);
        final double low = Math.log((double) values[upper - 1]);
        return Math.round(Math.exp(low + part * (Math.log((double) values[upper]) - low)));
    }

    /** Draws a latency, ns. */
    long draw(long bits) {
        final int cell = (int) (bits >>> (Long.SIZE - CELL_BITS));
        return cell < LAST
                ? between(body, cell, bits)
                : between(tail, (int) (bits >>> (Long.SIZE - 2 * CELL_BITS)) & LAST, bits);
    }

    private static long between(long[] table, int cell, long bits) {
        return table[cell] + (((table[cell + 1] - table[cell]) * (bits & 0xFFFF_FFFFL)) >>> Integer.SIZE);
    }
}
