package dev.loom.otlp.schema;

import dev.loom.otlp.wire.WireType;
import org.jspecify.annotations.Nullable;

/**
 * One field of a message.
 *
 * @param jsonName its name in JSON, in lowerCamelCase
 * @param tag with the wire type that writers use: repeated numbers are packed
 * @param message the message that it holds, if it is of type {@link ProtoType#MESSAGE}
 */
public record MessageField(
        String jsonName,
        int tag,
        ProtoType type,
        boolean repeated,
        @Nullable MessageType message) {
    /** The field number in the proto file. */
    public int number() {
        return tag >>> WireType.BITS;
    }

    /** Whether it is a repeated number, whose values are stored consecutively. */
    public boolean packed() {
        return repeated && type.wireType() != WireType.LENGTH;
    }
}
