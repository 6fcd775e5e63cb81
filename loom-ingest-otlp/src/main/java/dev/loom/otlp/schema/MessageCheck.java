package dev.loom.otlp.schema;

import dev.loom.otlp.wire.Utf8Check;
import dev.loom.otlp.wire.WireFailure;
import dev.loom.otlp.wire.WireReader;
import dev.loom.otlp.wire.WireType;
import org.agrona.DirectBuffer;

/**
 * Tells whether a message and those within it are whole, and their texts UTF-8. Packed numbers are not looked at. Reused; for
 * one thread.
 *
 * <p>Recursion is bounded by {@link WireReader#DEPTH_MAX}.
 */
public final class MessageCheck {
    private final WireReader reader = new WireReader();

    /** A check of any messages. */
    public MessageCheck() {}

    /** Checks the message in {@code [offset, offset + length)}. */
    public boolean accepts(MessageType type, DirectBuffer buffer, int offset, int length) {
        reader.wrap(buffer, offset, length);
        message(type);
        return reader.failure() == null;
    }

    private void message(MessageType type) {
        while (reader.next()) {
            if (reader.wireType() == WireType.LENGTH) {
                LengthRule rule = type.rule(reader.number());
                if (rule == LengthRule.MESSAGE) {
                    int end = reader.enter();
                    message(type.message(reader.number()));
                    reader.leave(end);
                } else if (rule == LengthRule.UTF8
                        && !Utf8Check.isValid(reader.buffer(), reader.offset(), reader.length())) {
                    reader.reject(WireFailure.INVALID_UTF8);
                }
            }
        }
    }
}
