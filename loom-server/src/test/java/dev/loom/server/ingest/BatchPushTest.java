package dev.loom.server.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.SharedWriter;
import dev.loom.api.Pressure;
import dev.loom.api.Snapshot;
import dev.loom.format.Formats;
import dev.loom.server.protocol.FrameDescriptor;
import dev.loom.server.protocol.ProtocolException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * When a store that drops the newest records drops those of a batch. The test's clock says how long they have waited; the disk
 * takes nothing while the folder of segments is away.
 */
final class BatchPushTest {
    private static final int RECORDS = FrameDescriptor.GROUP_RECORDS_MAX;
    private static final int LENGTH = 2_000;
    private static final long WAIT_NS = TimeUnit.MILLISECONDS.toNanos(60);
    private static final int CALLS = 20;

    @TempDir
    private Path temp;

    private SharedWriter writer;
    private BatchPush push;
    private LongSupplier clock;
    private int source;
    private long nowNs;
    private int reads;
    private int calls;
    private int phase;
    private int takenBefore;

    @BeforeEach
    void open() {
        writer = new SharedWriter(Loom.open(LoomConfig.at(temp.resolve("store"))
                .recordRingBytes(1 << 20)
                .timeRingBytes(1 << 20)
                .chunkRingBytes(1 << 20)
                .segmentBytes(256 << 10)
                .minFreeBytes(0)
                .pressure(Pressure.DROP_NEWEST)
                .build()));
        source = writer.loom().defineSource("raw", Formats.bytes());
        waitAtMost(3 * WAIT_NS);
    }

    /** The clock is read before and after each wait; time passes in between. */
    private void waitAtMost(long batchNs) {
        push = new BatchPush(writer, () -> ++reads % 2 == 0 ? clock.getAsLong() : nowNs, batchNs);
    }

    @AfterEach
    void close() {
        writer.close();
    }

    private void diskTakes(boolean takes) {
        Path segments = temp.resolve("store/record");
        Path away = temp.resolve("away");
        try {
            if (takes) {
                Files.delete(segments);
                Files.move(away, segments);
            } else {
                Files.move(segments, away);
                Files.createFile(segments);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private long lostOf(LongSupplier time) throws ProtocolException {
        clock = time;
        UnsafeBuffer batch = new UnsafeBuffer(new byte[FrameDescriptor.groupHeaderLength(RECORDS) + RECORDS * LENGTH]);
        batch.putShort(FrameDescriptor.SOURCE_OFFSET, (short) source, ByteOrder.LITTLE_ENDIAN);
        batch.putInt(FrameDescriptor.COUNT_OFFSET, RECORDS, ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < RECORDS; i++) {
            batch.putInt(FrameDescriptor.LENGTHS_OFFSET + i * Integer.BYTES, LENGTH, ByteOrder.LITTLE_ENDIAN);
        }
        assertEquals(FrameDescriptor.TAKEN, push.push(batch, 0, batch.capacity()), push.reason());
        assertEquals(RECORDS, push.taken());
        try (Snapshot snapshot = writer.loom().snapshot()) {
            long lost = snapshot.statistics(source).lost();
            assertEquals(RECORDS, snapshot.statistics(source).records() + lost);
            return lost;
        }
    }

    /** Two records wait for 60 ms each; what the end of each wait does follows from what came before. */
    @Test
    void shouldDropNoneThatFindsRoomInTimeHoweverLongTheBatchTakes() throws ProtocolException {
        diskTakes(false);
        long lost = lostOf(() -> {
            calls++;
            if (phase == 1 && push.taken() > takenBefore) {
                diskTakes(false);
                next();
            } else if (phase != 1 && phase < 4 && calls == CALLS) {
                if (phase == 0) {
                    nowNs += WAIT_NS;
                    takenBefore = push.taken();
                    diskTakes(true);
                } else if (phase == 2) {
                    nowNs += WAIT_NS;
                } else if (phase == 3) {
                    diskTakes(true);
                }
                next();
            }
            return nowNs;
        });
        assertEquals(4, phase);
        assertEquals(0, lost);
    }

    private void next() {
        phase++;
        calls = 0;
    }

    @Test
    void shouldDropWhatFindsNoRoomInTime() throws ProtocolException {
        diskTakes(false);
        long lost = lostOf(() -> {
            calls++;
            if (calls == CALLS) {
                nowNs += 2 * WAIT_NS;
            }
            return nowNs;
        });
        assertTrue(lost > RECORDS / 2, () -> "lost=" + lost);
        diskTakes(true);
    }

    /** Two records wait for 60 ms each, which is too long for the batch. */
    @Test
    void shouldDropTheRestOfABatchThatHasWaitedTooLong() throws ProtocolException {
        waitAtMost(3 * WAIT_NS / 2);
        diskTakes(false);
        long lost = lostOf(() -> {
            calls++;
            if (phase == 1 && push.taken() > takenBefore) {
                diskTakes(false);
                next();
            } else if (phase != 1 && calls == CALLS) {
                assertTrue(phase < 3, "it still waits");
                nowNs += WAIT_NS;
                if (phase == 0) {
                    takenBefore = push.taken();
                    diskTakes(true);
                }
                next();
            }
            return nowNs;
        });
        assertEquals(3, phase);
        assertTrue(lost > 0 && lost < RECORDS, () -> "lost=" + lost);
        diskTakes(true);
    }

    /** After each wait, another thread would get the turn at once. */
    @Test
    void shouldLeaveTheTurnToOthersWhileItWaitsForRoom() throws ProtocolException {
        diskTakes(false);
        ExecutorService other = Executors.newSingleThreadExecutor();
        List<Boolean> got = new ArrayList<>();
        lostOf(() -> {
            got.add(getTurn(other));
            nowNs += WAIT_NS;
            return nowNs;
        });
        other.shutdown();
        assertFalse(got.isEmpty());
        assertFalse(got.contains(false), () -> "got=" + got);
        diskTakes(true);
    }

    private boolean getTurn(ExecutorService other) {
        try {
            return other.submit(() -> {
                        boolean got = writer.acquire(Duration.ZERO);
                        if (got) {
                            writer.release();
                        }
                        return got;
                    })
                    .get();
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }
}
