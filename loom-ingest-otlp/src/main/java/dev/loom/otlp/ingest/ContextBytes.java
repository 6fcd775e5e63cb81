package dev.loom.otlp.ingest;

import dev.loom.otlp.wire.ExportTags.ResourceEnvelope;
import dev.loom.otlp.wire.ExportTags.ScopeEnvelope;
import dev.loom.otlp.wire.MetricTags.Data;
import dev.loom.otlp.wire.MetricTags.Metric;
import dev.loom.otlp.wire.WireReader;
import dev.loom.otlp.wire.WireWriter;
import org.agrona.DirectBuffer;

/**
 * What records share, as one protobuf message: their ResourceX, in it one ScopeX, and for data points in that one Metric,
 * each with all its fields but those that hold other records. Fields are as they were sent, unknown ones too.
 *
 * <p>The fields of each level are taken when a request's walk enters it, and put together when they are asked for. It needs
 * the same memory for all requests: a context that is longer is {@link #tooLong()}. Reused; for one thread.
 */
final class ContextBytes {
    /** What {@link #address()} says of a context that is not known to be in the log. */
    static final long NOWHERE = -1;

    private final WireReader reader = new WireReader();
    private final FieldBytes whole;
    private final FieldBytes scope;
    private final FieldBytes metric;
    private final FieldBytes points;

    private int resourceLength;
    private boolean resourceTooLong;
    private boolean hasMetric;
    private int pointsTag;
    private int pointsOffset;
    private boolean complete;
    private long hash;
    private long address;

    /** @param lengthMax the longest context, in bytes */
    ContextBytes(int lengthMax) {
        whole = new FieldBytes(lengthMax);
        scope = new FieldBytes(lengthMax);
        metric = new FieldBytes(lengthMax);
        points = new FieldBytes(lengthMax);
    }

    /** Takes the fields of a ResourceX. */
    void enterResource(DirectBuffer buffer, int offset, int length) {
        whole.reset();
        take(whole, buffer, offset, length, ResourceEnvelope.SCOPES);
        resourceLength = whole.length();
        resourceTooLong = whole.tooLong();
        scope.reset();
        hasMetric = false;
        incomplete();
    }

    /** Takes the fields of a ScopeX. */
    void enterScope(DirectBuffer buffer, int offset, int length) {
        scope.reset();
        take(scope, buffer, offset, length, ScopeEnvelope.ITEMS);
        hasMetric = false;
        incomplete();
    }

    /**
     * Takes the fields of a Metric. Its data is one of five: as protobuf does, occurrences of the same are merged, and one of
     * another ends those before. {@link #pointsTag()} and {@link #pointsOffset()} tell what is left.
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

    private void take(FieldBytes into, DirectBuffer buffer, int offset, int length, int except) {
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

    /** The tag of the metric's data, 0 when it has none. */
    int pointsTag() {
        return pointsTag;
    }

    /** Where in the request the data begins that counts. */
    int pointsOffset() {
        return pointsOffset;
    }

    /** Puts the fields of the levels together, unless that is done. */
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
        hash = ByteKeys.hash(whole.buffer(), 0, whole.length());
        complete = true;
    }

    private static int length(int tag, int messageLength) {
        return WireWriter.varintLength(tag) + WireWriter.varintLength(messageLength) + messageLength;
    }

    /** Whether it is longer than it may be; then it is not to be used. */
    boolean tooLong() {
        return whole.tooLong();
    }

    DirectBuffer buffer() {
        return whole.buffer();
    }

    int length() {
        return whole.length();
    }

    /** Bytes at the buffer's beginning that the records' ResourceX alone is of. */
    int resourceLength() {
        return resourceLength;
    }

    long hash() {
        return hash;
    }

    /** Where in the log it was put last, or {@link #NOWHERE}. */
    long address() {
        return address;
    }

    void address(long newAddress) {
        address = newAddress;
    }
}
