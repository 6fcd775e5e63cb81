package dev.loom.bench.replay;

/**
 * Latencies of Redis as a capture of it has them: 68,167 requests of one client over loopback, a fifth of them SET, and the three
 * system calls that the server makes for each, by eBPF. The capture's own slow requests, one in four seconds, and the waits without a request
 * are left out.
 */
final class RedisCurves {
    private static final double[] SHARES = {
        0, 0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999, 1
    };

    static final LatencyCurve REQUEST = new LatencyCurve(
            SHARES, 42_800, 42_894, 49_042, 65_377, 74_491, 83_524, 86_839, 90_945, 99_558, 112_086, 148_621, 261_258,
            3_032_623, 4_142_951);

    /** {@code read}, which is {@code recv} here. */
    static final LatencyCurve RECV = new LatencyCurve(
            SHARES, 1_400, 1_432, 1_482, 1_662, 1_732, 1_793, 2_043, 2_223, 2_353, 2_744, 3_485, 17_466, 30_706,
            46_709);

    /** {@code write}, which is {@code sendto} here. */
    static final LatencyCurve SENDTO = new LatencyCurve(
            SHARES, 6_500, 6_610, 6_790, 8_382, 8_743, 9_003, 9_545, 10_085, 13_170, 15_994, 22_944, 35_963, 60_009,
            114_330);

    static final LatencyCurve EPOLL_WAIT = new LatencyCurve(
            SHARES, 1_300, 1_312, 1_352, 18_868, 35_152, 46_239, 50_855, 56_324, 60_530, 67_580, 90_925, 194_369,
            2_244_432, 4_000_000);

    private RedisCurves() {}
}
