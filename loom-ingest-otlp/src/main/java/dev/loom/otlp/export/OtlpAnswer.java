package dev.loom.otlp.export;

import dev.loom.otlp.wire.WireReader;
import dev.loom.otlp.wire.WireType;
import java.nio.charset.StandardCharsets;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * What a receiver says in the body of its answer.
 *
 * @param rejected records that it can never take
 * @param message in words; empty if there are none
 */
public record OtlpAnswer(long rejected, String message) {
    private static final int PARTIAL_SUCCESS = 1 << WireType.BITS | WireType.LENGTH;
    private static final int REJECTED = 1 << WireType.BITS | WireType.VARINT;
    private static final int MESSAGE = 2 << WireType.BITS | WireType.LENGTH;

    /** Reads an {@code Export<Signal>ServiceResponse}; what is no such message says nothing. */
    public static OtlpAnswer ofSuccess(byte[] body) {
        WireReader reader = new WireReader();
        reader.wrap(new UnsafeBuffer(body), 0, body.length);
        long rejected = 0;
        String message = "";
        while (reader.nextOf(PARTIAL_SUCCESS)) {
            int end = reader.enter();
            while (reader.next()) {
                if (reader.tag() == REJECTED) {
                    rejected = Math.max(0, reader.value());
                } else if (reader.tag() == MESSAGE) {
                    message = text(body, reader);
                }
            }
            reader.leave(end);
        }
        return reader.failure() == null ? new OtlpAnswer(rejected, message) : new OtlpAnswer(0, "");
    }

    /** Reads the message of a {@code google.rpc.Status}; empty if it is none. */
    public static String ofFailure(byte[] body) {
        WireReader reader = new WireReader();
        reader.wrap(new UnsafeBuffer(body), 0, body.length);
        String message = "";
        while (reader.nextOf(MESSAGE)) {
            message = text(body, reader);
        }
        return reader.failure() == null ? message : "";
    }

    private static String text(byte[] body, WireReader reader) {
        return new String(body, reader.offset(), reader.length(), StandardCharsets.UTF_8);
    }
}
