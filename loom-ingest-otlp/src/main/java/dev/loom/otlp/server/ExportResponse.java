package dev.loom.otlp.server;

import dev.loom.otlp.ExportOutcome;
import dev.loom.otlp.Signal;

/**
 * The answer to an accepted request: {@code Export<Signal>ServiceResponse}, empty unless records were rejected or there is a
 * warning. Its messages have the same fields for all signals, except for one name in JSON.
 */
final class ExportResponse {
    /** Far below the 4 MiB that clients accept. */
    private static final int MESSAGE_CHARS_MAX = 4096;

    private ExportResponse() {}

    static byte[] protobuf(ExportOutcome outcome) {
        ProtoWriter response = new ProtoWriter();
        if (isPartial(outcome)) {
            response.message(1, new ProtoWriter().integer(1, outcome.rejected()).text(2, shortened(outcome.message())));
        }
        return response.toByteArray();
    }

    static String json(Signal signal, ExportOutcome outcome) {
        if (!isPartial(outcome)) {
            return "{}";
        }
        StringBuilder json = new StringBuilder("{\"partialSuccess\":{");
        if (outcome.rejected() != 0) {
            json.append('"')
                    .append(rejectedName(signal))
                    .append("\":\"")
                    .append(outcome.rejected())
                    .append("\",");
        }
        StatusMessage.appendQuoted(json.append("\"errorMessage\":"), shortened(outcome.message()));
        return json.append("}}").toString();
    }

    /** The message, cut to the length that an answer may hold. */
    static String shortened(String message) {
        return message.length() <= MESSAGE_CHARS_MAX ? message : message.substring(0, MESSAGE_CHARS_MAX) + "...";
    }

    private static boolean isPartial(ExportOutcome outcome) {
        return outcome.rejected() != 0 || !outcome.message().isEmpty();
    }

    private static String rejectedName(Signal signal) {
        return switch (signal) {
            case LOGS -> "rejectedLogRecords";
            case TRACES -> "rejectedSpans";
            case METRICS -> "rejectedDataPoints";
        };
    }
}
