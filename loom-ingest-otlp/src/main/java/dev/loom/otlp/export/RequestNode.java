package dev.loom.otlp.export;

import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A message of a request: its own fields, the messages in it that differ in their fields, and the records in it. For one thread.
 */
final class RequestNode {
    /** @param only the one message in it, if it may have no other */
    private record Key(int tag, ByteBuffer fields, @Nullable Key only) {
        static Key of(int tag, byte[] fields, @Nullable Key only) {
            return new Key(tag, ByteBuffer.wrap(fields), only);
        }
    }

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
        return inner(Key.of(innerTag, innerFields, null), innerFields);
    }

    /**
     * The message in a message of its own, which has these fields and no other message: a metric has one kind of data, and
     * several with its fields may be of different kinds.
     */
    RequestNode inner(int innerTag, byte[] innerFields, int onlyTag, byte[] onlyFields) {
        Key only = Key.of(onlyTag, onlyFields, null);
        return inner(Key.of(innerTag, innerFields, only), innerFields).inner(onlyTag, onlyFields);
    }

    private RequestNode inner(Key key, byte[] innerFields) {
        return inner.computeIfAbsent(key, made -> new RequestNode(made.tag, innerFields));
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
