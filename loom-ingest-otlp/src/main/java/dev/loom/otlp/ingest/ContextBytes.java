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
 * <p>Each level's fields are taken, and read for the digest, when the walk of a request enters it. They are assembled on
 * demand, so what a request costs does not grow with the product of its long levels and their many members. Memory is the
 * same for every request; a longer context is {@link #tooLong()}. Reused; for one thread.
 */
final class ContextBytes {
    /** The {@link #address()} of a context that is not known to be in the log. */
    static final long NOWHERE = -1;

    // parts of the digest
    private static final int RESOURCE = 0;
    private static final int SCOPE = 1;
    private static final int METRIC = 2;
    private static final int POINTS = 3;

    private final WireReader reader = new WireReader();
    private final EncodedFields whole;
    private final EncodedFields scope;
    private final EncodedFields metric;
    private final EncodedFields points;
    private final ContextDigest digest = new ContextDigest();
    private final TextCheck text = new TextCheck();

    private final int lengthMax;
    private int resourceLength;
    private boolean hasMetric;
    private int pointsTag;
    private int pointsOffset;
    private boolean complete;
    private boolean assembled;
    private int length;
    private boolean tooLong;
    private long address;
    private long copiedBytes;

    /** @param lengthMax the longest context, in bytes */
    ContextBytes(int lengthMax) {
        this.lengthMax = lengthMax;
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
        digest.part(RESOURCE, 0, whole.buffer(), resourceLength);
        text.enterResource(whole);
        scope.reset();
        hasMetric = false;
        incomplete();
    }

    /** Takes the fields of a ScopeX. */
    void enterScope(DirectBuffer buffer, int offset, int length) {
        scope.reset();
        take(scope, buffer, offset, length, ScopeEnvelope.ITEMS);
        digest.part(SCOPE, ResourceEnvelope.SCOPES, scope.buffer(), scope.length());
        text.enterScope(scope);
        hasMetric = false;
        incomplete();
    }

    /**
     * Takes the fields of a Metric. Its data is one of five types: as in protobuf, repeated occurrences of one type are
     * merged, and one of another type replaces those before. {@link #pointsTag()} and {@link #pointsOffset()} say which
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
        copiedBytes += metric.length() + points.length();
        digest.part(METRIC, ScopeEnvelope.ITEMS, metric.buffer(), metric.length());
        digest.part(POINTS, pointsTag, points.buffer(), points.length());
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
        copiedBytes += into.length();
    }

    private void incomplete() {
        complete = false;
        assembled = false;
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

    /** Concludes what tells this context from others, unless that is done. Its bytes wait for {@link #assemble()}. */
    void complete() {
        if (complete) {
            return;
        }
        length = resourceLength + length(ResourceEnvelope.SCOPES, scopeLength());
        tooLong = whole.tooLong()
                || scope.tooLong()
                || (hasMetric && (metric.tooLong() || points.tooLong()))
                || length > lengthMax;
        if (!tooLong) {
            digest.finish(hasMetric ? POINTS + 1 : SCOPE + 1);
        }
        complete = true;
    }

    private int scopeLength() {
        return scope.length() + (hasMetric ? length(ScopeEnvelope.ITEMS, metricLength()) : 0);
    }

    private int metricLength() {
        return metric.length() + length(pointsTag, points.length());
    }

    /** Assembles the fields of all levels, unless that is done. For a context that is complete and not too long. */
    void assemble() {
        if (assembled) {
            return;
        }
        whole.cut(resourceLength);
        whole.append(ResourceEnvelope.SCOPES, scopeLength());
        whole.append(scope);
        if (hasMetric) {
            whole.append(ScopeEnvelope.ITEMS, metricLength());
            whole.append(metric);
            whole.append(pointsTag, points.length());
            whole.append(points);
        }
        copiedBytes += length;
        assembled = true;
    }

    private static int length(int tag, int messageLength) {
        return WireWriter.varintLength(tag) + WireWriter.varintLength(messageLength) + messageLength;
    }

    /** Whether it exceeds the longest context; then it must not be used. Known once it is complete. */
    boolean tooLong() {
        return tooLong;
    }

    /** Its bytes, once it is assembled. */
    DirectBuffer buffer() {
        return whole.buffer();
    }

    /** Its length, once it is complete. */
    int length() {
        return length;
    }

    /** The leading bytes of the buffer that hold only the ResourceX, also before it is assembled. */
    int resourceLength() {
        return resourceLength;
    }

    /** Checks its text, of the fields that were taken. */
    TextCheck text() {
        return text;
    }

    /** What distinguishes it from others, once it is complete. */
    ContextDigest digest() {
        return digest;
    }

    /** The bytes copied so far for all contexts, which show what they cost. */
    long copiedBytes() {
        return copiedBytes;
    }

    /** Where it was last written in the log, or {@link #NOWHERE}. */
    long address() {
        return address;
    }

    void address(long newAddress) {
        address = newAddress;
    }
}
