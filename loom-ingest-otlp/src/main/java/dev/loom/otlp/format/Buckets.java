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
        while (reader.next()) {
            switch (reader.tag()) {
                case ExponentialHistogramDataPoint.SCALE -> scale = reader.value();
                case ExponentialHistogramDataPoint.ZERO_COUNT -> zeroCount = reader.value();
                case ExponentialHistogramDataPoint.ZERO_THRESHOLD ->
                    zeroThreshold = Double.longBitsToDouble(reader.value());
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
        int at = offset + ContextReference.LENGTH;
        int bytes = Math.min(length, buffer.capacity() - offset) - ContextReference.LENGTH;
        putSide(state, "positive", ExponentialHistogramDataPoint.POSITIVE, buffer, at, bytes);
        putSide(state, "negative", ExponentialHistogramDataPoint.NEGATIVE, buffer, at, bytes);
        json.put('}');
        json.set(into);
    }

    /** Writes the buckets that a point has in fields with this tag, if any; as everywhere in protobuf, several are merged. */
    private static void putSide(ReadState state, String name, int tag, DirectBuffer buffer, int offset, int length) {
        WireReader point = state.reader;
        WireReader part = state.within;
        boolean any = false;
        long first = 0;
        point.wrap(buffer, offset, length);
        while (point.nextOf(tag)) {
            any = true;
            part.wrap(buffer, point.offset(), point.length());
            while (part.nextOf(MetricTags.Buckets.OFFSET)) {
                first = part.value();
            }
        }
        if (!any) {
            return;
        }
        AttributeJson json = state.json;
        json.putName(name, 0);
        json.put('{');
        json.putName("offset", json.length());
        json.putLong(WireField.zigzag(first));
        json.putName("counts", 0);
        json.put('[');
        int beginning = json.length();
        point.wrap(buffer, offset, length);
        while (point.nextOf(tag)) {
            json.putNumbers(
                    buffer,
                    point.offset(),
                    point.length(),
                    MetricTags.Buckets.BUCKET_COUNTS,
                    AttributeJson.NumberType.VARINT,
                    beginning);
        }
        json.put(']');
        json.put('}');
    }
}
