package dev.loom.otlp.wire;

import static dev.loom.otlp.wire.WireType.BITS;
import static dev.loom.otlp.wire.WireType.FIXED64;
import static dev.loom.otlp.wire.WireType.LENGTH;
import static dev.loom.otlp.wire.WireType.VARINT;

/**
 * The tags of metrics.proto.
 *
 * <p>A tag is the field's number and its wire type: {@code number << 3 | type}.
 */
public final class MetricTags {
    private MetricTags() {}

    public static final class Metric {
        public static final int NAME = (1 << BITS) | LENGTH;
        public static final int DESCRIPTION = (2 << BITS) | LENGTH;
        public static final int UNIT = (3 << BITS) | LENGTH;
        public static final int GAUGE = (5 << BITS) | LENGTH;
        public static final int SUM = (7 << BITS) | LENGTH;
        public static final int HISTOGRAM = (9 << BITS) | LENGTH;
        public static final int EXPONENTIAL_HISTOGRAM = (10 << BITS) | LENGTH;
        public static final int SUMMARY = (11 << BITS) | LENGTH;
        public static final int METADATA = (12 << BITS) | LENGTH;

        private Metric() {}
    }

    /** Gauge, Sum, Histogram, ExponentialHistogram and Summary; the first and last have only points, Sum has all three. */
    public static final class Data {
        public static final int DATA_POINTS = (1 << BITS) | LENGTH;
        public static final int AGGREGATION_TEMPORALITY = (2 << BITS) | VARINT;
        public static final int IS_MONOTONIC = (3 << BITS) | VARINT;

        private Data() {}
    }

    public static final class NumberDataPoint {
        public static final int START_TIME_UNIX_NANO = (2 << BITS) | FIXED64;
        public static final int TIME_UNIX_NANO = (3 << BITS) | FIXED64;
        public static final int AS_DOUBLE = (4 << BITS) | FIXED64;
        public static final int EXEMPLARS = (5 << BITS) | LENGTH;
        public static final int AS_INT = (6 << BITS) | FIXED64;
        public static final int ATTRIBUTES = (7 << BITS) | LENGTH;
        public static final int FLAGS = (8 << BITS) | VARINT;

        private NumberDataPoint() {}
    }

    public static final class HistogramDataPoint {
        public static final int START_TIME_UNIX_NANO = (2 << BITS) | FIXED64;
        public static final int TIME_UNIX_NANO = (3 << BITS) | FIXED64;
        public static final int COUNT = (4 << BITS) | FIXED64;
        public static final int SUM = (5 << BITS) | FIXED64;
        public static final int BUCKET_COUNTS = (6 << BITS) | LENGTH;
        public static final int EXPLICIT_BOUNDS = (7 << BITS) | LENGTH;
        public static final int EXEMPLARS = (8 << BITS) | LENGTH;
        public static final int ATTRIBUTES = (9 << BITS) | LENGTH;
        public static final int FLAGS = (10 << BITS) | VARINT;
        public static final int MIN = (11 << BITS) | FIXED64;
        public static final int MAX = (12 << BITS) | FIXED64;

        private HistogramDataPoint() {}
    }

    public static final class ExponentialHistogramDataPoint {
        public static final int ATTRIBUTES = (1 << BITS) | LENGTH;
        public static final int START_TIME_UNIX_NANO = (2 << BITS) | FIXED64;
        public static final int TIME_UNIX_NANO = (3 << BITS) | FIXED64;
        public static final int COUNT = (4 << BITS) | FIXED64;
        public static final int SUM = (5 << BITS) | FIXED64;
        public static final int SCALE = (6 << BITS) | VARINT;
        public static final int ZERO_COUNT = (7 << BITS) | FIXED64;
        public static final int POSITIVE = (8 << BITS) | LENGTH;
        public static final int NEGATIVE = (9 << BITS) | LENGTH;
        public static final int FLAGS = (10 << BITS) | VARINT;
        public static final int EXEMPLARS = (11 << BITS) | LENGTH;
        public static final int MIN = (12 << BITS) | FIXED64;
        public static final int MAX = (13 << BITS) | FIXED64;
        public static final int ZERO_THRESHOLD = (14 << BITS) | FIXED64;

        private ExponentialHistogramDataPoint() {}
    }

    public static final class Buckets {
        public static final int OFFSET = (1 << BITS) | VARINT;
        public static final int BUCKET_COUNTS = (2 << BITS) | LENGTH;

        private Buckets() {}
    }

    public static final class SummaryDataPoint {
        public static final int START_TIME_UNIX_NANO = (2 << BITS) | FIXED64;
        public static final int TIME_UNIX_NANO = (3 << BITS) | FIXED64;
        public static final int COUNT = (4 << BITS) | FIXED64;
        public static final int SUM = (5 << BITS) | FIXED64;
        public static final int QUANTILE_VALUES = (6 << BITS) | LENGTH;
        public static final int ATTRIBUTES = (7 << BITS) | LENGTH;
        public static final int FLAGS = (8 << BITS) | VARINT;

        private SummaryDataPoint() {}
    }

    public static final class ValueAtQuantile {
        public static final int QUANTILE = (1 << BITS) | FIXED64;
        public static final int VALUE = (2 << BITS) | FIXED64;

        private ValueAtQuantile() {}
    }

    public static final class Exemplar {
        public static final int TIME_UNIX_NANO = (2 << BITS) | FIXED64;
        public static final int AS_DOUBLE = (3 << BITS) | FIXED64;
        public static final int SPAN_ID = (4 << BITS) | LENGTH;
        public static final int TRACE_ID = (5 << BITS) | LENGTH;
        public static final int AS_INT = (6 << BITS) | FIXED64;
        public static final int FILTERED_ATTRIBUTES = (7 << BITS) | LENGTH;

        private Exemplar() {}
    }
}
