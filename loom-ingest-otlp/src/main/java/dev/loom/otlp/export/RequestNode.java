package dev.loom.otlp.export;

import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import org.agrona.DirectBuffer;

/**
 * A message of a request: its own fields, the messages in it that differ in their fields, and the records in it. For one thread.
 */
final class RequestNode {
    private record Key(int tag, ByteBuffer fields) {}

    private final int tag;
    private final byte[] fields;
    private final Map<Key, RequestNode> inner = new LinkedHashMap<>();
    private final ProtobufBytes records = new ProtobufBytes();

    /** @param tag of the field that the message is in */
    RequestNode(int tag, byte[] fields) {
        this.tag = tag;
        this.fields = fields;
    }

    /** The message in the field with this tag that has these fields, made if there is none. */
    RequestNode inner(int innerTag, byte[] innerFields) {
        return inner.computeIfAbsent(
                new Key(innerTag, ByteBuffer.wrap(innerFields)), key -> new RequestNode(innerTag, innerFields));
    }

    void add(int recordTag, DirectBuffer buffer, int offset, int length) {
        records.head(recordTag, length);
        records.append(buffer, offset, length);
    }

    /** Drops the messages that have no records; true if this is one. */
    boolean prune() {
        inner.values().removeIf(RequestNode::prune);
        return inner.isEmpty() && records.length() == 0;
    }

    /** The length of the message. */
    int length() {
        int length = fields.length + records.length();
        for (RequestNode node : inner.values()) {
            length += ProtobufBytes.length(node.tag, node.length());
        }
        return length;
    }

    void write(ProtobufBytes into) {
        into.append(fields);
        for (RequestNode node : inner.values()) {
            into.head(node.tag, node.length());
            node.write(into);
        }
        into.append(records.buffer(), 0, records.length());
    }
}
