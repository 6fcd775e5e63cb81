package dev.loom.server.loki;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.format.Formats;
import dev.loom.query.model.QueryMemory;
import dev.loom.server.http.HttpCall;
import dev.loom.server.http.StoreQueries;
import dev.loom.server.text.TextBuffer;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tails whose client takes its time. */
final class LokiTailTest {
    private static final long BEGIN_NS = 1_795_229_196_000_000_000L;

    @TempDir
    Path directory;

    private long nowNs = BEGIN_NS;

    private void push(Loom loom, String text) {
        nowNs++;
        loom.push(loom.source("lines").orElseThrow().id(), text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void shouldSayWhatWasDeletedBeforeItWasSent() throws IOException {
        try (Loom loom = Loom.open(LoomConfig.at(directory)
                .clock(() -> nowNs)
                .recordRingBytes(LoomConfig.RING_BYTES_MIN)
                .segmentBytes(1 << 20)
                .maxBytes(8 << 20)
                .minFreeBytes(0)
                .build())) {
            loom.defineSource("lines", Formats.text());
            push(loom, "a");
            Slow client = new Slow() {
                @Override
                public void send(TextBuffer text) {
                    super.send(text);
                    if (texts.size() == 1) {
                        for (int i = 0; i < 30_000; i++) {
                            push(loom, "x".repeat(1_000));
                        }
                        loom.force();
                    }
                }
            };
            new LokiTail(new StoreQueries(
                            () -> LoomReader.attach(directory),
                            new StoreQueries.Limits(Duration.ofMinutes(1), 1_000),
                            QueryMemory.UNLIMITED))
                    .answer(client);
            String first = "{\"stream\":{\"source\":\"lines\"},\"values\":[[\"" + (BEGIN_NS + 1) + "\",\"a\"]]}";
            assertEquals("{\"streams\":[" + first + "],\"dropped_entries\":[]}", client.texts.get(0));
            assertEquals(
                    "{\"streams\":[],\"dropped_entries\":[{\"timestamp\":\"" + (BEGIN_NS + 1)
                            + "\",\"labels\":{\"source\":\"lines\"}}]}",
                    client.texts.get(1));
            String next = client.texts.get(2);
            assertTrue(next.contains("xxx"), next);
            assertTrue(next.endsWith("],\"dropped_entries\":[]}"), next);
        }
    }

    /** Leaves after three messages. */
    private static class Slow implements HttpCall, HttpCall.Messages {
        final List<String> texts = new ArrayList<>();

        @Override
        public void send(TextBuffer text) {
            texts.add(text.toString());
            text.clear();
        }

        @Override
        public Messages beginMessages() {
            return this;
        }

        @Override
        public boolean cancelled() {
            return texts.size() > 2;
        }

        @Override
        public Map<String, List<String>> parameters() {
            return Map.of("query", List.of("{source=\"lines\"}"));
        }

        @Override
        public String path() {
            return "/loki/api/v1/tail";
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
        public OutputStream begin(int status, String type) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void answer(int status, String type, byte[] whole) {
            throw new UnsupportedOperationException();
        }

        @Override
        public OutputStream beginLines(String type) {
            throw new UnsupportedOperationException();
        }

        @Override
        public OutputStream beginData(String type) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void answerTrailer(String name, Supplier<@Nullable String> value) {}

        @Override
        public void answerHeader(String name, String value) {}
    }
}
