package dev.loom.bench.replay;

/**
 * Latencies of RocksDB 11.8.1 as a capture of it has them: through JNI, files in memory, a block cache of 10 MiB, a million values of
 * 100 bytes, one thread that reads and writes in turns. {@code GET} and {@code PUT} are of 940,233 requests without a tracer beside them,
 * system calls of 1,052,534 by eBPF.
 */
final class RocksDbCurves {
    private static final double[] SHARES = {
        0, 0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999, 1
    };

    static final LatencyCurve GET = new LatencyCurve(
            SHARES, 601, 1_222, 2_013, 3_986, 6_560, 9_004, 13_520, 20_430, 26_740, 30_886, 44_996, 96_744, 156_478,
            3_975_677);

    static final LatencyCurve PUT = new LatencyCurve(
            SHARES, 2_413, 2_664, 2_874, 3_234, 3_505, 4_066, 4_917, 6_139, 7_722, 9_064, 12_950, 55_803, 102_122,
            5_946_491);

    static final LatencyCurve PREAD64 = new LatencyCurve(
            SHARES, 1_201, 2_083, 2_364, 2_614, 2_774, 3_015, 3_335, 3_665, 4_076, 4_446, 5_859, 36_434, 113_218,
            4_060_563);

    static final LatencyCurve WRITE = new LatencyCurve(
            SHARES, 1_201, 1_412, 1_432, 1_443, 1_482, 1_602, 1_913, 2_074, 2_613, 3_065, 5_218, 34_882, 525_832,
            4_866_503);

    private RocksDbCurves() {}
}
