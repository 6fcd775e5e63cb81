package dev.loom.otlp.export;

import dev.loom.otlp.schema.LengthRule;
import dev.loom.otlp.schema.MessageType;
import dev.loom.otlp.wire.Utf8Check;
import dev.loom.otlp.wire.WireFailure;
import dev.loom.otlp.wire.WireReader;
import dev.loom.otlp.wire.WireType;
import org.agrona.DirectBuffer;

/**
 * Tells whether a message can be sent. What the receiver stored can; what a program pushed into a source of the format may be
 * anything, and one such record must not spoil a request. For one thread.
 */
final class MessageCheck {
    private final WireReader reader = new WireReader();

    boolean accepts(MessageType type, DirectBuffer buffer, int offset, int length) {
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
