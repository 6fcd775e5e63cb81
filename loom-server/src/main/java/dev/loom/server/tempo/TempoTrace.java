package dev.loom.server.tempo;

import dev.loom.otlp.ExportOutcome;
import dev.loom.otlp.MessageBuffer;
import dev.loom.otlp.Signal;
import dev.loom.otlp.export.RequestJson;
import dev.loom.otlp.json.JsonRequests;
import dev.loom.query.model.QueryMemory;
import dev.loom.server.json.JsonText;
import dev.loom.server.json.OtlpLines;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Collects the spans of a trace as protobuf. Memory: three times the spans, with what tells those that were sent again; as JSON seven
 * times. For one thread.
 */
final class TempoTrace implements OtlpLines.Sink {
    /** The fields of an answer of the second version, as tags of protobuf. */
    private static final int TRACE = (1 << 3) | 2;

    private static final int STATUS = 3 << 3;
    private static final int PARTIAL = 1;
    private static final int MESSAGE = (4 << 3) | 2;

    private static final String SPANS = "{\"resourceSpans\":";

    /** Beyond this, protobuf as JSON has more room than it needs. */
    private static final int ROOM = 64;

    private final QueryMemory memory;
    private final ByteArrayOutputStream spans = new ByteArrayOutputStream();

    TempoTrace(QueryMemory memory) {
        this.memory = memory;
    }

    boolean isEmpty() {
        return spans.size() == 0;
    }

    @Override
    public void protobuf(Signal signal, byte[] request) {
        if (signal == Signal.TRACES) {
            add(request, 0, request.length);
        }
    }

    @Override
    public void json(Map<String, Object> request) {
        if (!request.containsKey("resourceSpans")) {
            return;
        }
        byte[] json = JsonText.object(request).toByteArray();
        MessageBuffer message =
                new MessageBuffer(new UnsafeBuffer(new byte[json.length + ROOM]), 0, json.length + ROOM);
        ExportOutcome outcome = new ExportOutcome();
        boolean read =
                new JsonRequests().transcode(Signal.TRACES, new UnsafeBuffer(json), 0, json.length, message, outcome);
        if (!read || outcome.status() == ExportOutcome.Status.MALFORMED) {
            throw new IllegalStateException("spans can't be encoded: " + outcome.message());
        }
        add(message.buffer().byteArray(), message.offset(), message.length());
    }

    private void add(byte[] bytes, int offset, int length) {
        memory.reserve(3L * length);
        spans.write(bytes, offset, length);
    }

    /** The trace, of which the messages of both versions are made. */
    byte[] protobuf() {
        return spans.toByteArray();
    }

    /**
     * The answer of the second version.
     *
     * @param missing what it lacks
     */
    byte[] protobufV2(List<String> missing) {
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        put(answer, TRACE, spans.toByteArray());
        if (!missing.isEmpty()) {
            answer.write(STATUS);
            answer.write(PARTIAL);
            put(answer, MESSAGE, String.join("; ", missing).getBytes(StandardCharsets.UTF_8));
        }
        return answer.toByteArray();
    }

    private static void put(ByteArrayOutputStream into, int tag, byte[] bytes) {
        into.write(tag);
        int length = bytes.length;
        while (length >= 0x80) {
            into.write((length & 0x7F) | 0x80);
            length >>>= 7;
        }
        into.write(length);
        into.writeBytes(bytes);
    }

    byte[] json() throws IOException {
        String spansJson = spansJson();
        return ("{\"batches\":" + spansJson.substring(SPANS.length())).getBytes(StandardCharsets.UTF_8);
    }

    /** As {@link #protobufV2}. */
    byte[] jsonV2(List<String> missing) throws IOException {
        Map<String, Object> rest = new LinkedHashMap<>();
        rest.put("metrics", Map.of());
        if (!missing.isEmpty()) {
            rest.put("status", "PARTIAL");
            rest.put("message", String.join("; ", missing));
        }
        return ("{\"trace\":" + spansJson() + ','
                        + JsonText.object(rest).toString().substring(1))
                .getBytes(StandardCharsets.UTF_8);
    }

    private String spansJson() throws IOException {
        memory.reserve(4L * spans.size());
        ByteArrayOutputStream json = new ByteArrayOutputStream();
        RequestJson.writeCanonical(Signal.TRACES, spans.toByteArray(), json);
        return json.toString(StandardCharsets.UTF_8);
    }
}
