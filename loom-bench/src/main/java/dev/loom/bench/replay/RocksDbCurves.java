package dev.loom.bench.replay;

/** Latencies of RocksDB in memory: assumed, not captured. The shape is Redis' own, at the level that such a store is known for. */
final class RocksDbCurves {
    private static final double[] SHARES = {0, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999, 1};

    static final LatencyCurve REQUEST =
            new LatencyCurve(SHARES, 400, 600, 900, 1_500, 3_000, 9_000, 30_000, 400_000, 20_000_000);

    static final LatencyCurve PREAD64 =
            new LatencyCurve(SHARES, 500, 700, 900, 1_300, 2_500, 7_000, 40_000, 300_000, 9_000_000);

    static final LatencyCurve OTHER_CALL =
            new LatencyCurve(SHARES, 200, 300, 400, 700, 2_000, 15_000, 60_000, 900_000, 12_000_000);

    private RocksDbCurves() {}
}
