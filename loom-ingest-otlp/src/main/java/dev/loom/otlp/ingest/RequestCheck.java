package dev.loom.otlp.ingest;

import dev.loom.otlp.Signal;
import dev.loom.otlp.schema.LengthRule;
import dev.loom.otlp.schema.MessageType;
import dev.loom.otlp.schema.OtlpMessages;
import dev.loom.otlp.wire.Utf8Check;
import dev.loom.otlp.wire.WireFailure;
import dev.loom.otlp.wire.WireReader;
import dev.loom.otlp.wire.WireType;
import org.agrona.DirectBuffer;

/**
 * Checks whether a request is well-formed, which is exactly if protobuf's generated classes would take it, whatever bytes its
 * texts are of. Reused; for one thread.
 *
 * <p>Recursion is bounded by {@link WireReader#DEPTH_MAX}.
 */
final class RequestCheck {
    private final WireReader reader = new WireReader();
    private final IdCheck ids = new IdCheck();
    private int start;
    private boolean invalidSpans;
    private boolean invalidText;
    private boolean profilesFields;
    private boolean repeats;

    /** Checks the request in {@code [offset, offset + length)}. */
    boolean accepts(Signal signal, DirectBuffer buffer, int offset, int length) {
        start = offset;
        invalidSpans = false;
        invalidText = false;
        profilesFields = false;
        repeats = false;
        reader.wrap(buffer, offset, length);
        message(OtlpMessages.request(signal));
        return reader.failure() == null;
    }

    /** What is wrong with a request that was not accepted. */
    String complaint() {
        WireFailure failure = reader.failure();
        return failure == null
                ? "request is well-formed"
                : "request is not a protobuf message of the expected type: " + failure.text() + ": offset="
                        + (reader.failureOffset() - start);
    }

    /** Whether there are spans without valid ids, which must not be stored. */
    boolean invalidSpans() {
        return invalidSpans;
    }

    /** Whether there is text that is not UTF-8, which must not be stored. */
    boolean invalidText() {
        return invalidText;
    }

    /** Whether there are fields that have a meaning only in profiles, and are ignored. */
    boolean profilesFields() {
        return profilesFields;
    }

    /**
     * Whether any message may repeat a field that should occur once, so that its last occurrence counts. Judged by field
     * numbers modulo 64, so it may err on the side of true.
     */
    boolean repeats() {
        return repeats;
    }

    private void message(MessageType type) {
        long seen = 0;
        long again = 0;
        while (reader.next()) {
            long number = 1L << reader.number();
            again |= seen & number;
            seen |= number;
            field(type);
        }
        repeats |= (again & type.singularNumbers()) != 0;
    }

    private void field(MessageType type) {
        if (reader.wireType() == WireType.LENGTH) {
            int number = reader.number();
            LengthRule rule = type.rule(number);
            if (rule == LengthRule.UTF8) {
                if (!Utf8Check.isValid(reader.buffer(), reader.offset(), reader.length())) {
                    invalidText = true;
                }
            } else if (rule == LengthRule.MESSAGE) {
                inner(type.message(number));
            } else if (rule == LengthRule.REQUIRED_ID) {
                ids.take(reader);
            } else if (rule != LengthRule.NONE) {
                numbers(rule);
            }
        } else if (reader.tag() == type.profilesTag() && (int) reader.value() != 0) {
            profilesFields = true;
        }
    }

    private void inner(MessageType type) {
        boolean usual = type == OtlpMessages.KEY_VALUE
                && reader.depth() < WireReader.DEPTH_MAX - UsualAttribute.DEPTH
                && UsualAttribute.isOne(reader.buffer(), reader.offset(), reader.length());
        if (usual) {
            return;
        }
        int end = reader.enter();
        if (type == OtlpMessages.SPAN) {
            ids.reset();
            message(type);
            invalidSpans |= !ids.valid();
        } else {
            message(type);
        }
        reader.leave(end);
    }

    private void numbers(LengthRule rule) {
        int length = reader.length();
        if (rule == LengthRule.PACKED_FIXED64) {
            if (length % Long.BYTES != 0) {
                reader.reject(WireFailure.TRUNCATED);
            }
            return;
        }
        DirectBuffer buffer = reader.buffer();
        int bytes = 0;
        for (int at = reader.offset(), end = at + length; at < end; at++) {
            bytes = buffer.getByte(at) < 0 ? bytes + 1 : 0;
            if (bytes == WireReader.VARINT_LENGTH_MAX) {
                reader.reject(WireFailure.VARINT_TOO_LONG);
                return;
            }
        }
        if (bytes > 0) {
            reader.reject(WireFailure.TRUNCATED);
        }
    }
}
