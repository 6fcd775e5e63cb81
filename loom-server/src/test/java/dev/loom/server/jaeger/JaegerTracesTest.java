package dev.loom.server.jaeger;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.loom.query.model.QueryMemory;
import dev.loom.server.text.DataOutput;
import dev.loom.server.text.JsonObject;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Traces that a sender made to be slow: what is not fast takes many minutes. */
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class JaegerTracesTest {
    private static final int PAIRS = 16;

    private final JaegerTraces traces = new JaegerTraces(QueryMemory.UNLIMITED);

    private static Map<String, Object> attribute(String value) {
        return Map.of("key", "a", "value", Map.of("stringValue", value));
    }

    private static Map<String, Object> request(String resource, List<Map<String, Object>> spans) {
        return Map.of(
                "resourceSpans",
                List.of(Map.of(
                        "resource",
                        Map.of("attributes", List.of(attribute(resource))),
                        "scopeSpans",
                        List.of(Map.of("spans", spans)))));
    }

    private static Map<String, Object> span(String id, String value) {
        return Map.of("traceId", "01", "spanId", id, "attributes", List.of(attribute(value)));
    }

    /** Texts of one hash. */
    private static String alike(int number) {
        StringBuilder text = new StringBuilder();
        for (int bit = 0; bit < PAIRS; bit++) {
            text.append((number >> bit & 1) == 0 ? "Aa" : "BB");
        }
        return text.toString();
    }

    private Map<String, @Nullable Object> printed() {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        DataOutput out = new DataOutput(text, false);
        traces.print(out, "{\"data\":", List.of());
        out.write('}');
        out.flush();
        return JaegerSpans.objects(JsonObject.parseLong(text.toByteArray()), "data")
                .get(0);
    }

    @Test
    void shouldTakeResourcesOfOneHash() {
        int count = 1 << PAIRS;
        for (int i = 0; i < count; i++) {
            traces.json(request(alike(i), List.of(span("0" + i % 2, "v"))));
        }
        Map<String, @Nullable Object> trace = printed();
        assertEquals(count, JaegerSpans.object(trace, "processes").size());
        assertEquals(count, JaegerSpans.objects(trace, "spans").size());
    }

    @Test
    void shouldTakeSpansOfOneIdAndOneHash() {
        int count = 1 << PAIRS;
        List<Map<String, Object>> spans = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            spans.add(span("01", alike(i)));
        }
        spans.addAll(spans.subList(0, 1_000)); // sent again
        traces.json(request("r", spans));
        assertEquals(count, JaegerSpans.objects(printed(), "spans").size());
    }
}
