package dev.loom.otlp.schema;

import dev.loom.otlp.wire.WireType;
import org.jspecify.annotations.Nullable;

/**
 * One field of a message.
 *
 * @param jsonName its name in JSON, in lowerCamelCase
 * @param tag with the wire type that writers use: repeated numbers are packed
 * @param message the message that it holds, if that is its type
 */
public record MessageField(
        String jsonName,
        int tag,
        FieldType type,
        boolean repeated,
        @Nullable MessageType message) {
    /** The number that the proto file gives it. */
    public int number() {
        return tag >>> WireType.BITS;
    }

    /** Whether it is a repeated number, whose values lie back to back. */
    public boolean packed() {
        return repeated && type.wireType() != WireType.LENGTH;
    }
}
