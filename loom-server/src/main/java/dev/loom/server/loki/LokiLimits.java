package dev.loom.server.loki;

/** What an answer may have at most; most are Loki's own defaults. */
final class LokiLimits {
    /** Lines of an answer. */
    static final int LINES_MAX = 5_000;

    static final int LINES_DEFAULT = 100;

    /** Steps between the points of a series, which has one point more, as in Loki. */
    static final int STEPS_MAX = 11_000;

    /** Series of an answer. */
    static final int SERIES_MAX = 500;

    /** Groups of records from which series are made. */
    static final int GROUPS_MAX = 10_000;

    /** How often a query may be run, to find quantiles of ranges that overlap. */
    static final int PASSES_MAX = 1_000;

    /** Additions to points: those of each group in each of the shortest steps. */
    static final long ADDITIONS_MAX = 100_000_000;

    /** Values of a label. */
    static final int VALUES_MAX = 10_000;

    private LokiLimits() {}
}
