package dev.loom.server.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.format.Formats;
import dev.loom.format.StructFormat;
import dev.loom.format.StructWriter;
import dev.loom.query.model.QueryMemory;
import dev.loom.server.http.ApiFailure;
import dev.loom.server.http.HttpApi;
import dev.loom.server.http.HttpCall;
import dev.loom.server.http.StoreQueries;
import dev.loom.server.jaeger.JaegerApi;
import dev.loom.server.tempo.TempoApi;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the APIs of tracing systems say if a query has no time, or no memory. */
final class IncompleteAnswersTest {
    private static final StructFormat FORMAT =
            Formats.struct("trace_id:utf8,span_id:utf8,service:utf8,name:utf8,start:i64,end:i64");
    private static final String EARLY = "the query ended early, limit: time";

    @TempDir
    Path directory;

    @BeforeEach
    void fill() {
        StructWriter writer = new StructWriter(FORMAT);
        UnsafeBuffer payload = new UnsafeBuffer(new byte[256]);
        try (Loom loom =
                Loom.open(LoomConfig.at(directory).recordRingBytes(8 << 20).build())) {
            int spans = loom.defineSource("spans", FORMAT);
            for (int i = 1; i <= 5_000; i++) {
                writer.begin(payload, 0);
                writer.setUtf8(0, String.format("%032x", 1 + i % 7));
                writer.setUtf8(1, String.format("%016x", i));
                writer.setUtf8(2, "s");
                writer.setUtf8(3, "n");
                writer.setLong(4, i);
                writer.setLong(5, i + 1L);
                loom.push(spans, payload, 0, writer.finish());
            }
        }
    }

    private String answer(boolean jaeger, Duration timeMax, long memory, String path, Map<String, String> parameters)
            throws Exception {
        StoreQueries queries = new StoreQueries(
                () -> LoomReader.attach(directory), new StoreQueries.Limits(timeMax, 1_000), new QueryMemory(memory));
        HttpApi api = jaeger ? new JaegerApi(queries) : new TempoApi(queries, "1");
        Call call = new Call(parameters);
        Objects.requireNonNull(api.route("GET", path)).answer(call);
        return call.out.toString(StandardCharsets.UTF_8);
    }

    private String hasty(boolean jaeger, String path, Map<String, String> parameters) throws Exception {
        return answer(jaeger, Duration.ofNanos(1), 64 << 20, path, parameters);
    }

    private record Call(Map<String, String> given, ByteArrayOutputStream out) implements HttpCall {
        Call(Map<String, String> given) {
            this(given, new ByteArrayOutputStream());
        }

        @Override
        public String path() {
            return "";
        }

        @Override
        public Map<String, List<String>> parameters() {
            return given.entrySet().stream()
                    .collect(Collectors.toMap(Map.Entry::getKey, entry -> List.of(entry.getValue())));
        }

        @Override
        public byte[] body() {
            return new byte[0];
        }

        @Override
        public @Nullable String header(String name) {
            return null;
        }

        @Override
        public boolean cancelled() {
            return false;
        }

        @Override
        public OutputStream begin(int status, String type) {
            return out;
        }

        @Override
        public void answer(int status, String type, byte[] whole) {
            out.writeBytes(whole);
        }

        @Override
        public OutputStream beginLines(String type) {
            return out;
        }

        @Override
        public OutputStream beginData(String type) {
            return out;
        }

        @Override
        public Messages beginMessages() {
            throw new AssertionError("answer of messages");
        }

        @Override
        public void answerHeader(String name, String value) {}

        @Override
        public void answerTrailer(String name, Supplier<@Nullable String> value) {}
    }

    @Test
    void shouldSayThatTimeWasOver() throws Exception {
        String names = hasty(true, "/jaeger/api/services", Map.of());
        assertTrue(names.contains("\"errors\":[{\"code\":206,\"msg\":\"" + EARLY), names);
        String traces = hasty(true, "/jaeger/api/traces", Map.of("service", "s"));
        assertTrue(traces.contains("\"errors\":[{\"code\":206,\"msg\":\"" + EARLY), traces);
        String found = hasty(false, "/tempo/api/search", Map.of("q", "{ name = \"n\" }"));
        assertTrue(found.contains("\"completedJobs\":0,\"totalJobs\":1},\"warnings\":[\"" + EARLY), found);
        String values = hasty(false, "/tempo/api/v2/search/tag/name/values", Map.of());
        assertTrue(values.contains("\"warnings\":[\"" + EARLY), values);
    }

    @Test
    void shouldNotTakeATraceForMissingIfTimeWasOver() {
        for (String path : List.of("/jaeger/api/traces/1", "/tempo/api/traces/1", "/tempo/api/v2/traces/1")) {
            ApiFailure failure =
                    assertThrows(ApiFailure.class, () -> hasty(path.startsWith("/jaeger"), path, Map.of()));
            assertEquals(504, failure.status(), failure.getMessage());
        }
    }

    @Test
    void shouldRefuseTimesIfNoSpanHasOne() throws Exception {
        ApiFailure failure = assertThrows(
                ApiFailure.class,
                () -> answer(
                        true,
                        Duration.ofMinutes(1),
                        64 << 20,
                        "/jaeger/api/traces",
                        Map.of("service", "s", "start", "1")));
        assertEquals(400, failure.status());
        assertTrue(String.valueOf(failure.getMessage()).contains("source has no event time: spans"));
    }

    @Test
    void shouldReserveWhatAnswersTake() throws Exception {
        for (String path : List.of("/jaeger/api/traces/1", "/tempo/api/v2/traces/1")) {
            boolean jaeger = path.startsWith("/jaeger");
            String whole = answer(jaeger, Duration.ofMinutes(1), 64 << 20, path, Map.of());
            assertTrue(whole.length() > 50_000, path);
            ApiFailure failure = assertThrows(
                    ApiFailure.class,
                    () -> answer(jaeger, Duration.ofMinutes(1), (1 << 20) + (300 << 10), path, Map.of()));
            assertEquals(413, failure.status(), failure.getMessage());
        }
    }
}
