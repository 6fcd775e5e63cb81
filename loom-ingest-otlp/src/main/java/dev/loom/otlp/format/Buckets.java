package dev.loom.otlp.format;

import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.otlp.wire.MetricTags;
import dev.loom.otlp.wire.MetricTags.ExponentialHistogramDataPoint;
import dev.loom.otlp.wire.MetricTags.HistogramDataPoint;
import dev.loom.otlp.wire.WireReader;
import dev.loom.otlp.wire.WireType;
import org.agrona.DirectBuffer;

/**
 * Reads the buckets of a histogram point as JSON: {@code {"bounds":[..],"counts":[..]}}, and those of an exponential
 * histogram point as {@code {"scale":..,"zero_count":..,"zero_threshold":..,"positive":{"offset":..,"counts":[..]},"negative":..}}.
 */
final class Buckets {
    static final FieldReader EXPLICIT = Buckets::readExplicit;
    static final FieldReader EXPONENTIAL = Buckets::readExponential;

    private Buckets() {}

    private static void readExplicit(DirectBuffer buffer, int offset, int length, FieldValue into) {
        ReadState state = ReadState.of(into);
        into.setAbsent();
        if (!state.wrap(Part.MESSAGE, buffer, offset, length, into)) {
            return;
        }
        WireReader reader = state.reader;
        boolean any = false;
        while (reader.next()) {
            any |= reader.number() == HistogramDataPoint.BUCKET_COUNTS >>> WireType.BITS;
        }
        if (reader.failure() != null || !any) {
            return;
        }
        int at = offset + ContextReference.LENGTH;
        int bytes = Math.min(length, buffer.capacity() - offset) - ContextReference.LENGTH;
        AttributeJson json = state.json;
        json.begin();
        json.put('{');
        json.putName("bounds", json.length());
        json.putNumbers(buffer, at, bytes, HistogramDataPoint.EXPLICIT_BOUNDS, AttributeJson.NumberType.DOUBLE);
        json.putName("counts", 0);
        json.putNumbers(buffer, at, bytes, HistogramDataPoint.BUCKET_COUNTS, AttributeJson.NumberType.FIXED64);
        json.put('}');
        json.set(into);
    }

    private static void readExponential(DirectBuffer buffer, int offset, int length, FieldValue into) {
        ReadState state = ReadState.of(into);
        into.setAbsent();
        if (!state.wrap(Part.MESSAGE, buffer, offset, length, into)) {
            return;
        }
        WireReader reader = state.reader;
        long scale = 0;
        long zeroCount = 0;
        double zeroThreshold = 0;
        int positive = -1;
        int positiveLength = 0;
        int negative = -1;
        int negativeLength = 0;
        while (reader.next()) {
            switch (reader.tag()) {
                case ExponentialHistogramDataPoint.SCALE -> scale = reader.value();
                case ExponentialHistogramDataPoint.ZERO_COUNT -> zeroCount = reader.value();
                case ExponentialHistogramDataPoint.ZERO_THRESHOLD ->
                    zeroThreshold = Double.longBitsToDouble(reader.value());
                case ExponentialHistogramDataPoint.POSITIVE -> {
                    positive = reader.offset();
                    positiveLength = reader.length();
                }
                case ExponentialHistogramDataPoint.NEGATIVE -> {
                    negative = reader.offset();
                    negativeLength = reader.length();
                }
                default -> {}
            }
        }
        if (reader.failure() != null) {
            return;
        }
        AttributeJson json = state.json;
        json.begin();
        json.put('{');
        json.putName("scale", json.length());
        json.putLong(WireField.zigzag(scale));
        json.putName("zero_count", 0);
        json.putUnsigned(zeroCount);
        if (zeroThreshold != 0) {
            json.putName("zero_threshold", 0);
            json.putDouble(zeroThreshold);
        }
        putSide(state, "positive", positive, positiveLength);
        putSide(state, "negative", negative, negativeLength);
        json.put('}');
        json.set(into);
    }

    private static void putSide(ReadState state, String name, int offset, int length) {
        if (offset < 0) {
            return;
        }
        WireReader side = state.within;
        side.wrap(state.reader.buffer(), offset, length);
        long first = 0;
        while (side.next()) {
            first = side.tag() == MetricTags.Buckets.OFFSET ? side.value() : first;
        }
        AttributeJson json = state.json;
        json.putName(name, 0);
        json.put('{');
        json.putName("offset", json.length());
        json.putLong(WireField.zigzag(first));
        json.putName("counts", 0);
        json.putNumbers(
                state.reader.buffer(),
                offset,
                length,
                MetricTags.Buckets.BUCKET_COUNTS,
                AttributeJson.NumberType.VARINT);
        json.put('}');
        if (side.failure() != null) {
            json.fail();
        }
    }
}
