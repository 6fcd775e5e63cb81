package dev.loom.otlp.export;

import dev.loom.format.PayloadFormat;
import dev.loom.format.RecordLookup;
import dev.loom.otlp.Signal;
import dev.loom.otlp.format.ContextReference;
import dev.loom.otlp.format.OtlpFormatProvider;
import dev.loom.otlp.schema.MessageCheck;
import dev.loom.otlp.schema.MessageType;
import dev.loom.otlp.schema.OtlpMessages;
import dev.loom.otlp.wire.ExportTags.Request;
import dev.loom.otlp.wire.ExportTags.ResourceEnvelope;
import dev.loom.otlp.wire.ExportTags.ScopeEnvelope;
import dev.loom.otlp.wire.MetricTags.Data;
import dev.loom.otlp.wire.MetricTags.Metric;
import dev.loom.otlp.wire.WireReader;
import dev.loom.otlp.wire.WireType;
import java.nio.ByteOrder;
import org.agrona.DirectBuffer;
import org.agrona.collections.Long2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Stored records of one signal that become one request. Records with the same resource, scope and metric share them; within these
 * they keep their order. Record and context are copied byte for byte, unknown fields included. Memory: the request, twice. For one
 * thread.
 */
public final class OtlpBatch {
    /** Where the message, as it was sent, begins in a record. */
    public static final int MESSAGE_OFFSET = ContextReference.LENGTH;

    /** Where a context's records go. */
    private record Place(RequestNode message, int recordTag, MessageType record) {}

    private final Signal signal;
    /** What the receiver stored passes; what a program pushed may be anything, and one such record must not spoil a request. */
    private final MessageCheck check = new MessageCheck();

    private final WireReader reader = new WireReader();
    private final Long2ObjectHashMap<Place> places = new Long2ObjectHashMap<>();
    private RequestNode root = new RequestNode(0, new byte[0]);
    private long records;
    private long bytes;

    /** Starts without records. */
    public OtlpBatch(Signal signal) {
        this.signal = signal;
    }

    /** The signal whose records have this format; null for other formats. */
    public static @Nullable Signal signal(PayloadFormat format) {
        return switch (format.text()) {
            case OtlpFormatProvider.LOG -> Signal.LOGS;
            case OtlpFormatProvider.SPAN -> Signal.TRACES;
            case OtlpFormatProvider.METRIC -> Signal.METRICS;
            default -> null;
        };
    }

    /**
     * Adds the record whose payload is at {@code [offset, offset + length)}.
     *
     * @param lookup finds its context
     * @return false if it is malformed or has no context; then nothing is added
     */
    public boolean add(RecordLookup lookup, DirectBuffer payload, int offset, int length) {
        int messageLength = length - ContextReference.LENGTH;
        if (messageLength < 0) {
            return false;
        }
        long address = ContextReference.address(payload.getLong(offset, ByteOrder.LITTLE_ENDIAN));
        Place place = places.get(address);
        if (place == null) {
            place = place(lookup, address);
            if (place == null) {
                return false;
            }
            places.put(address, place);
        }
        int message = offset + ContextReference.LENGTH;
        if (!check.accepts(place.record, payload, message, messageLength)) {
            return false;
        }
        place.message.add(place.recordTag, payload, message, messageLength);
        records++;
        bytes += messageLength;
        return true;
    }

    private @Nullable Place place(RecordLookup lookup, long address) {
        MessageType resource = OtlpMessages.request(signal).message(Request.RESOURCES >>> WireType.BITS);
        boolean found = lookup.find(address, OtlpFormatProvider.CONTEXT)
                && check.accepts(resource, lookup.buffer(), lookup.offset(), lookup.length());
        if (!found) {
            return null;
        }
        bytes += lookup.length();
        reader.wrap(lookup.buffer(), lookup.offset(), lookup.length());
        ProtobufBytes ofResource = new ProtobufBytes();
        ProtobufBytes ofScope = new ProtobufBytes();
        ProtobufBytes ofMetric = new ProtobufBytes();
        ProtobufBytes ofData = new ProtobufBytes();
        int data = 0;
        while (reader.next()) {
            if (reader.tag() == ResourceEnvelope.SCOPES) {
                int end = reader.enter();
                data = takeScope(ofScope, ofMetric, ofData, data);
                reader.leave(end);
            } else {
                ofResource.append(reader);
            }
        }
        RequestNode scope = root.inner(Request.RESOURCES, ofResource.toByteArray())
                .inner(ResourceEnvelope.SCOPES, ofScope.toByteArray());
        MessageType item = resource.message(ResourceEnvelope.SCOPES >>> WireType.BITS)
                .message(ScopeEnvelope.ITEMS >>> WireType.BITS);
        if (signal != Signal.METRICS) {
            return new Place(scope, ScopeEnvelope.ITEMS, item);
        } else if (data == 0) {
            return null;
        }
        RequestNode points = scope.inner(ScopeEnvelope.ITEMS, ofMetric.toByteArray(), data, ofData.toByteArray());
        MessageType point = item.message(data >>> WireType.BITS).message(Data.DATA_POINTS >>> WireType.BITS);
        return new Place(points, Data.DATA_POINTS, point);
    }

    private int takeScope(ProtobufBytes ofScope, ProtobufBytes ofMetric, ProtobufBytes ofData, int before) {
        int data = before;
        while (reader.next()) {
            if (signal == Signal.METRICS && reader.tag() == ScopeEnvelope.ITEMS) {
                int end = reader.enter();
                data = takeMetric(ofMetric, ofData, data);
                reader.leave(end);
            } else {
                ofScope.append(reader);
            }
        }
        return data;
    }

    /** Returns the tag of the metric's data: the last one, as of the members of a oneof. */
    private int takeMetric(ProtobufBytes ofMetric, ProtobufBytes ofData, int before) {
        int data = before;
        while (reader.next()) {
            int tag = reader.tag();
            if (!isData(tag)) {
                ofMetric.append(reader);
                continue;
            }
            if (tag != data) {
                ofData.clear();
                data = tag;
            }
            ofData.append(reader.buffer(), reader.offset(), reader.length());
        }
        return data;
    }

    private static boolean isData(int tag) {
        return tag == Metric.GAUGE
                || tag == Metric.SUM
                || tag == Metric.HISTOGRAM
                || tag == Metric.EXPONENTIAL_HISTOGRAM
                || tag == Metric.SUMMARY;
    }

    /** Records added. */
    public long records() {
        return records;
    }

    /** Bytes of the records added and of their contexts. */
    public long bytes() {
        return bytes;
    }

    /** The {@code Export<Signal>ServiceRequest}; it is also a LogsData, TracesData or MetricsData. */
    public byte[] request() {
        ProtobufBytes request = new ProtobufBytes();
        root.prune();
        places.clear(); // they may lead to messages that are not in the request
        root.write(request);
        return request.toByteArray();
    }

    /** Drops all records. */
    public void clear() {
        root = new RequestNode(0, new byte[0]);
        places.clear();
        records = 0;
        bytes = 0;
    }
}
