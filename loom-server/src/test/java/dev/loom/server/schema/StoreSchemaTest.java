package dev.loom.server.schema;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.server.request.RefusedException;
import dev.loom.server.time.EventTime;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class StoreSchemaTest {
    private static final int NAMES = 300;

    @TempDir
    Path temp;

    private Loom open() {
        return Loom.open(LoomConfig.at(temp)
                .recordRingBytes(1 << 20)
                .timeRingBytes(LoomConfig.RING_BYTES_MIN)
                .chunkRingBytes(LoomConfig.RING_BYTES_MIN)
                .build());
    }

    @Test
    void shouldGiveOneSourceToAllWhoDefineItAtOnce() throws Exception {
        int threads = 2;
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        CyclicBarrier together = new CyclicBarrier(threads);
        try (Loom loom = open()) {
            List<Callable<List<Integer>>> definers = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                // each with an own lock, as an application that defines sources beside its server
                StoreSchema schema = new StoreSchema(loom);
                definers.add(() -> {
                    List<Integer> ids = new ArrayList<>();
                    for (int name = 0; name < NAMES; name++) {
                        together.await();
                        ids.add(schema.defineSource("s" + name, Formats.bytes(), Map.of())
                                .id());
                    }
                    return ids;
                });
            }
            List<Future<List<Integer>>> ids = pool.invokeAll(definers);
            assertEquals(ids.get(0).get(), ids.get(1).get());
            assertEquals(NAMES, ids.get(0).get().stream().distinct().count());
        } finally {
            pool.shutdownNow();
        }
    }

    /** What is refused leaves nothing behind, and what makes no sense all the same is as no event time. */
    @Test
    void shouldStoreNothingOfATimeThatMakesNoSense() {
        PayloadFormat format = Formats.struct("t:i64");
        List<Map<String, String>> wrong = List.of(
                Map.of("event.field", "nosuch"),
                Map.of("event.field", "t", "event.unit", "fortnight"),
                Map.of("event.field", "t", "event.clock.pair", "1,2"),
                Map.of("event.field", "t", "event.clock.pair", "1,2,3,x"));
        Map<String, String> right = Map.of("event.field", "t", "event.unit", "ms");
        try (Loom loom = open()) {
            StoreSchema schema = new StoreSchema(loom);
            for (Map<String, String> attributes : wrong) {
                assertThrows(RefusedException.class, () -> schema.defineSource("a", format, attributes));
                assertEquals(List.of(), loom.sources());
            }
            schema.defineSource("a", format, right);
            for (Map<String, String> attributes : wrong) {
                assertThrows(RefusedException.class, () -> schema.setAttributes("a", attributes));
                assertEquals(right, loom.source("a").orElseThrow().attributes());
            }
            for (int i = 0; i < wrong.size(); i++) {
                loom.defineSource("embedded" + i, format, wrong.get(i));
                assertNull(EventTime.of(loom.source("embedded" + i).orElseThrow()));
            }
        }
    }

    @Test
    void shouldRefuseASourceThatDiffersFromTheOneDefined() {
        try (Loom loom = open()) {
            StoreSchema schema = new StoreSchema(loom);
            loom.defineSource("a", Formats.bytes(), Map.of("k", "v"));
            RefusedException format = assertThrows(
                    RefusedException.class,
                    () -> schema.defineSource("a", Formats.parse("struct:v:i64"), Map.of("k", "v")));
            assertEquals(
                    "source has a different format: source=a, format=bytes, requested=struct:v:i64",
                    format.getMessage());
            RefusedException attributes =
                    assertThrows(RefusedException.class, () -> schema.defineSource("a", Formats.bytes(), Map.of()));
            assertEquals(
                    "source has different attributes: source=a, attributes={k=v}, requested={}",
                    attributes.getMessage());
        }
    }
}
