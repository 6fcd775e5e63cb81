package dev.loom.server.trace;

import dev.loom.query.trace.TraceId;
import dev.loom.server.http.ApiFailure;

/** Ids of traces as other systems write them: zeros in front may be left out. */
public final class TraceIds {
    private TraceIds() {}

    /**
     * Reads the id of a trace.
     *
     * @throws ApiFailure if the text is none
     */
    public static TraceId parse(String text) {
        try {
            return TraceId.parse("0".repeat(Math.max(0, TraceId.DIGITS - text.length())) + text);
        } catch (IllegalArgumentException e) {
            throw ApiFailure.badRequest("not a trace id: " + text + "; expected 1 to 32 hexadecimal digits, not all 0");
        }
    }
}
