package dev.loom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.loom.api.Eviction;
import dev.loom.format.Formats;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The thread that takes pages to the disk does so without memory, so that a full heap does not stop it. */
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class EvictorAllocationTest {
    private static final int ROUNDS = 200;
    private static final int ROUND_BYTES = 512 << 10;

    @TempDir
    Path temp;

    @Test
    void shouldAllocateNothingWhenPagesAreEvicted() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        UnsafeBuffer payload = new UnsafeBuffer(new byte[1_000]);
        try (Loom loom = Loom.open(LoomConfig.at(temp.resolve("store"))
                .recordRingBytes(LoomConfig.RING_BYTES_MIN)
                .timeRingBytes(LoomConfig.RING_BYTES_MIN)
                .chunkRingBytes(LoomConfig.RING_BYTES_MIN)
                .eviction(Eviction.PAGE_CACHE)
                .durabilityInterval(Duration.ofHours(1))
                .build())) {
            int source = loom.defineSource("a", Formats.bytes());
            long evictor = evictor();
            long least = Long.MAX_VALUE;
            for (int round = 0; round < ROUNDS && least > 0; round++) {
                long before = threads.getThreadAllocatedBytes(evictor);
                // more than the ring holds, so that it has evicted some
                for (int bytes = 0; bytes < ROUND_BYTES; bytes += payload.capacity()) {
                    assertTrue(loom.push(source, payload, 0, payload.capacity()) >= 0);
                }
                least = Math.min(least, threads.getThreadAllocatedBytes(evictor) - before);
            }
            assertEquals(0, least, "a round without a tick or a new segment");
        }
    }

    private static long evictor() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("loom-evictor"))
                .mapToLong(EvictorAllocationTest::id)
                .max()
                .orElseThrow();
    }

    @SuppressWarnings({"deprecation", "ThreadIdDeprecated"}) // its successor is not in JDK 17
    private static long id(Thread thread) {
        return thread.getId();
    }
}
