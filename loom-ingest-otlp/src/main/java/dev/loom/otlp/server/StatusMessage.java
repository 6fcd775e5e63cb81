package dev.loom.otlp.server;

import dev.loom.otlp.server.Refusal.Reason;
import java.util.Locale;

/** A {@link Refusal} as {@code google.rpc.Status}, with {@code RetryInfo} or {@code BadRequest} where one applies. */
final class StatusMessage {
    private static final String TYPES = "type.googleapis.com/google.rpc.";

    private StatusMessage() {}

    static byte[] protobuf(Refusal refusal) {
        ProtoWriter status =
                new ProtoWriter().integer(1, refusal.reason().grpcStatus()).text(2, refusal.message());
        if (!refusal.retryDelay().isZero()) {
            ProtoWriter duration = new ProtoWriter()
                    .integer(1, refusal.retryDelay().toSeconds())
                    .integer(2, refusal.retryDelay().toNanosPart());
            status.message(3, any("RetryInfo", new ProtoWriter().message(1, duration)));
        } else if (isBadRequest(refusal)) {
            ProtoWriter violation = new ProtoWriter().text(2, refusal.message());
            status.message(3, any("BadRequest", new ProtoWriter().message(1, violation)));
        }
        return status.toByteArray();
    }

    static String json(Refusal refusal) {
        StringBuilder json =
                new StringBuilder("{\"code\":").append(refusal.reason().grpcStatus());
        appendQuoted(json.append(",\"message\":"), refusal.message());
        if (!refusal.retryDelay().isZero()) {
            json.append(",\"details\":[{\"@type\":\"")
                    .append(TYPES)
                    .append("RetryInfo\",\"retryDelay\":\"")
                    .append(String.format(
                            Locale.ROOT,
                            "%d.%03ds",
                            refusal.retryDelay().toSeconds(),
                            refusal.retryDelay().toMillisPart()))
                    .append("\"}]");
        } else if (isBadRequest(refusal)) {
            json.append(",\"details\":[{\"@type\":\"").append(TYPES).append("BadRequest\",\"fieldViolations\":[{");
            appendQuoted(json.append("\"description\":"), refusal.message());
            json.append("}]}]");
        }
        return json.append('}').toString();
    }

    /** Appends a JSON string. */
    static void appendQuoted(StringBuilder json, String text) {
        json.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < ' ' || Character.isSurrogate(c)) {
                json.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                json.append(c);
            }
        }
        json.append('"');
    }

    private static boolean isBadRequest(Refusal refusal) {
        return refusal.reason() == Reason.MALFORMED;
    }

    private static ProtoWriter any(String type, ProtoWriter value) {
        return new ProtoWriter().text(1, TYPES + type).message(2, value);
    }
}
