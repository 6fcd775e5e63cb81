package dev.loom.bench.otlp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.otlp.Signal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class RequestPoolTest {
    @TempDir
    private Path directory;

    /** The store checks that each request is taken whole, and that the newest record is the one that was sent last. */
    @ParameterizedTest
    @EnumSource
    void shouldStayRequestsWithNewIdsAndNumbers(Signal signal) {
        final RequestPool pool = new RequestPool(signal);
        final SplittableRandom random = new SplittableRandom(1);
        try (IngestStore store = new IngestStore(signal, pool, directory, directory, 1 << 20, false)) {
            for (int i = 0; i < 2 * pool.size(); i++) {
                pool.refresh(i % pool.size(), pool.request(i % pool.size()), 0, random);
            }
            for (int i = 0; i < pool.size(); i++) {
                store.export();
            }
            store.verify();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"LOGS", "TRACES"})
    void shouldChangeEachRecord(Signal signal) {
        final RequestPool pool = new RequestPool(signal);
        final byte[] before = bytes(pool);

        pool.refresh(0, pool.request(0), 0, new SplittableRandom(1));

        final byte[] first = bytes(pool);
        assertEquals(before.length, first.length);
        final int ids = signal == Signal.LOGS ? 16 + 8 : 16 + 8 + 8;
        final int changed = (int) IntStream.range(0, before.length)
                .filter(i -> before[i] != first[i])
                .count();
        assertTrue(changed > RequestPool.RECORDS * ids * 0.98, "changed: " + changed);
        assertTrue(changed < RequestPool.RECORDS * (ids + 2 * 6), "changed: " + changed);

        pool.refresh(0, pool.request(0), 0, new SplittableRandom(2));
        assertFalse(Arrays.equals(first, bytes(pool)));
        pool.refresh(0, pool.request(0), 0, new SplittableRandom(1));
        assertArrayEquals(first, bytes(pool));
        assertTrue(new String(first, StandardCharsets.ISO_8859_1).contains("worker-"));
    }

    private static byte[] bytes(RequestPool pool) {
        final byte[] bytes = new byte[pool.length(0)];
        new UnsafeBuffer(pool.request(0), 0, pool.length(0)).getBytes(0, bytes);
        return bytes;
    }
}
