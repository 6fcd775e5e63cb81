package dev.loom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.loom.api.RecordClaim;
import dev.loom.api.Snapshot;
import dev.loom.format.Formats;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import org.agrona.MutableDirectBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A claim reaches its own bytes, as long as it is open. */
final class RecordClaimTest {
    @TempDir
    Path directory;

    private int source;

    /** Opened and closed by the test's own thread, which is the writer. */
    private Loom open() {
        Loom loom = Loom.open(LoomConfig.at(directory)
                .recordRingBytes(LoomConfig.RING_BYTES_MIN)
                .timeRingBytes(LoomConfig.RING_BYTES_MIN)
                .chunkRingBytes(LoomConfig.RING_BYTES_MIN)
                .build());
        source = loom.defineSource("events", Formats.bytes());
        return loom;
    }

    @Test
    void shouldRefuseWhatIsWrittenBesideThePayload() {
        try (Loom loom = open()) {
            assertTrue(loom.push(source, new byte[16]) >= 0);
            for (int length : new int[] {0, 1, 8, 13, 1_000, loom.claimLengthMax()}) {
                assertTrue(loom.claim(source, length) >= 0);
                RecordClaim claim = loom.claimed();
                MutableDirectBuffer buffer = claim.buffer();
                assertEquals(length, claim.length());
                assertEquals(length, buffer.capacity() - claim.offset());
                buffer.setMemory(claim.offset(), length, (byte) 1);
                assertThrows(IndexOutOfBoundsException.class, () -> buffer.putByte(claim.offset() - 1, (byte) 1));
                assertThrows(IndexOutOfBoundsException.class, () -> buffer.putByte(claim.offset() + length, (byte) 1));
                assertThrows(IndexOutOfBoundsException.class, () -> buffer.putLong(claim.offset() + length - 7, 1));
                assertTrue(claim.commit() >= 0);
            }
        }
    }

    @Test
    void shouldReachNothingWhenItHasEnded() {
        Loom loom = open();
        assertTrue(loom.claim(source, 8) >= 0);
        RecordClaim claim = loom.claimed();
        MutableDirectBuffer buffer = claim.buffer();
        assertTrue(claim.commit() >= 0);
        assertThrows(IndexOutOfBoundsException.class, () -> buffer.putByte(0, (byte) 1), "it is published");
        assertTrue(loom.claim(source, 8) >= 0);
        claim.abort();
        assertThrows(IndexOutOfBoundsException.class, () -> buffer.putByte(0, (byte) 1), "the next record is there");
        assertTrue(loom.claim(source, 8) >= 0);
        claim.abort();
        loom.close();
        assertThrows(IndexOutOfBoundsException.class, () -> buffer.putByte(0, (byte) 1), "it is unmapped");
    }

    /** As when filling it has failed. */
    @Test
    void shouldBeAbortedWhenTheStoreIsClosed() {
        Loom loom = open();
        assertTrue(loom.push(source, new byte[16]) >= 0);
        assertTrue(loom.claim(source, 8) >= 0);
        Path staging = loom.info().owner().orElseThrow().staging();
        assertTrue(Files.exists(staging));
        loom.close();
        assertFalse(Files.exists(staging), "the next opening would recover it");
        try (Loom again = Loom.open(LoomConfig.at(directory).build());
                Snapshot snapshot = again.snapshot()) {
            assertEquals(1, snapshot.statistics(source).records());
        }
    }

    @Test
    void shouldAllocateNothing() {
        try (Loom loom = open()) {
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            int rounds = 20_000;
            long before = 0;
            for (int i = 0; i < 2 * rounds; i++) {
                if (i == rounds) {
                    before = threads.getCurrentThreadAllocatedBytes();
                }
                loom.claim(source, 8);
                RecordClaim claim = loom.claimed();
                claim.buffer().putLong(claim.offset(), i);
                claim.abort();
            }
            long allocated = threads.getCurrentThreadAllocatedBytes() - before;
            assertTrue(allocated < rounds, "allocated bytes: total=" + allocated + ", rounds=" + rounds);
        }
    }
}
