package dev.loom.otlp.json;

import dev.loom.otlp.ExportOutcome;
import dev.loom.otlp.JsonTranscoder;
import dev.loom.otlp.Signal;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/** {@link JsonRequests} as receivers call it. Usable from any thread. */
public final class OtlpJson implements JsonTranscoder {
    /** Makes one. */
    public OtlpJson() {}

    @Override
    public int transcode(
            Signal signal,
            DirectBuffer json,
            int offset,
            int length,
            MutableDirectBuffer into,
            int intoOffset,
            int capacity,
            ExportOutcome outcome) {
        try {
            return JsonRequests.transcode(signal, json, offset, length, new FixedTarget(into, intoOffset, capacity));
        } catch (MalformedJsonException e) {
            outcome.malformed(String.valueOf(e.getMessage()));
            return 0;
        }
    }
}
