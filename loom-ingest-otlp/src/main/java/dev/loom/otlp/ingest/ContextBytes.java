package dev.loom.otlp.ingest;

import dev.loom.otlp.wire.ExportTags.ResourceEnvelope;
import dev.loom.otlp.wire.ExportTags.ScopeEnvelope;
import dev.loom.otlp.wire.MetricTags.Data;
import dev.loom.otlp.wire.MetricTags.Metric;
import dev.loom.otlp.wire.WireReader;
import dev.loom.otlp.wire.WireWriter;
import org.agrona.DirectBuffer;

/**
 * What records share, as one protobuf message: their ResourceX, in it one ScopeX, and for data points in that one Metric.
 * Each has all its fields except those that hold other records. Fields are kept as sent, including unknown ones.
 *
 * <p>Each level's fields are taken when the walk of a request enters it, and assembled on demand. Memory is the same for
 * every request; a longer context is {@link #tooLong()}. Reused; for one thread.
 */
final class ContextBytes {
    /** The {@link #address()} of a context that is not known to be in the log. */
    static final long NOWHERE = -1;

    private final WireReader reader = new WireReader();
    private final EncodedFields whole;
    private final EncodedFields scope;
    private final EncodedFields metric;
    private final EncodedFields points;
    private final ContextDigest digest = new ContextDigest();
    private final TextCheck text = new TextCheck();

    private int resourceLength;
    private boolean resourceTooLong;
    private boolean hasMetric;
    private int pointsTag;
    private int pointsOffset;
    private boolean complete;
    private boolean resourceDigested;
    private long address;

    /** @param lengthMax the longest context, in bytes */
    ContextBytes(int lengthMax) {
        whole = new EncodedFields(lengthMax);
        scope = new EncodedFields(lengthMax);
        metric = new EncodedFields(lengthMax);
        points = new EncodedFields(lengthMax);
    }

    /** Takes the fields of a ResourceX. */
    void enterResource(DirectBuffer buffer, int offset, int length) {
        whole.reset();
        take(whole, buffer, offset, length, ResourceEnvelope.SCOPES);
        resourceLength = whole.length();
        resourceTooLong = whole.tooLong();
        text.enterResource(whole);
        resourceDigested = false;
        scope.reset();
        hasMetric = false;
        incomplete();
    }

    /** Takes the fields of a ScopeX. */
    void enterScope(DirectBuffer buffer, int offset, int length) {
        scope.reset();
        take(scope, buffer, offset, length, ScopeEnvelope.ITEMS);
        text.enterScope(scope);
        hasMetric = false;
        incomplete();
    }

    /**
     * Takes the fields of a Metric. Its data is one of five types: as in protobuf, repeated occurrences of one type are
     * merged, and one of another type replaces those before. {@link #pointsTag()} and {@link #pointsOffset()} tell which
     * remain.
     */
    void enterMetric(DirectBuffer buffer, int offset, int length) {
        metric.reset();
        points.reset();
        pointsTag = 0;
        reader.wrap(buffer, offset, length);
        while (reader.next()) {
            if (isData(reader.tag())) {
                takeData();
            } else {
                metric.append(reader);
            }
        }
        text.enterMetric(metric);
        hasMetric = true;
        incomplete();
    }

    private void takeData() {
        if (reader.tag() != pointsTag) {
            pointsTag = reader.tag();
            pointsOffset = reader.fieldOffset();
            points.reset();
        }
        int end = reader.enter();
        while (reader.next()) {
            if (reader.tag() != Data.DATA_POINTS) {
                points.append(reader);
            }
        }
        reader.leave(end);
    }

    private static boolean isData(int tag) {
        return tag == Metric.GAUGE
                || tag == Metric.SUM
                || tag == Metric.HISTOGRAM
                || tag == Metric.EXPONENTIAL_HISTOGRAM
                || tag == Metric.SUMMARY;
    }

    private void take(EncodedFields into, DirectBuffer buffer, int offset, int length, int except) {
        reader.wrap(buffer, offset, length);
        while (reader.next()) {
            if (reader.tag() != except) {
                into.append(reader);
            }
        }
    }

    private void incomplete() {
        complete = false;
        address = NOWHERE;
    }

    /** The tag of the metric's data; 0 if it has none. */
    int pointsTag() {
        return pointsTag;
    }

    /** Where in the request the data begins that counts. */
    int pointsOffset() {
        return pointsOffset;
    }

    /** Assembles the fields of all levels, unless that is done. */
    void complete() {
        if (complete) {
            return;
        }
        whole.cut(resourceLength, resourceTooLong);
        if (hasMetric) {
            int metricLength = metric.length() + length(pointsTag, points.length());
            whole.append(ResourceEnvelope.SCOPES, scope.length() + length(ScopeEnvelope.ITEMS, metricLength));
            whole.append(scope);
            whole.append(ScopeEnvelope.ITEMS, metricLength);
            whole.append(metric);
            whole.append(pointsTag, points.length());
            whole.append(points);
        } else {
            whole.append(ResourceEnvelope.SCOPES, scope.length());
            whole.append(scope);
        }
        if (!tooLong()) {
            if (!resourceDigested) {
                digest.prefix(whole.buffer(), resourceLength);
                resourceDigested = true;
            }
            digest.digest(whole.buffer(), whole.length());
        }
        complete = true;
    }

    private static int length(int tag, int messageLength) {
        return WireWriter.varintLength(tag) + WireWriter.varintLength(messageLength) + messageLength;
    }

    /** Whether it exceeds the longest context; then it must not be used. */
    boolean tooLong() {
        return whole.tooLong();
    }

    DirectBuffer buffer() {
        return whole.buffer();
    }

    int length() {
        return whole.length();
    }

    /** The leading bytes of the buffer that hold only the ResourceX. */
    int resourceLength() {
        return resourceLength;
    }

    /** Checks its text, of the fields that were taken. */
    TextCheck text() {
        return text;
    }

    /** What tells it from others, once it is complete. */
    ContextDigest digest() {
        return digest;
    }

    /** Where it was last written in the log, or {@link #NOWHERE}. */
    long address() {
        return address;
    }

    void address(long newAddress) {
        address = newAddress;
    }
}
