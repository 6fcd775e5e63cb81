package dev.loom.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.format.RecordLookup;
import dev.loom.query.model.EventClock;
import dev.loom.query.model.QueryMemory;
import dev.loom.query.model.TimeRange;
import dev.loom.query.model.Value;
import java.nio.file.Path;
import java.time.Duration;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What queries reserve of the memory that they share. */
final class SharedQueryMemoryTest {
    private static final PayloadFormat FORMAT = Formats.parse("struct:v:i64");

    @TempDir
    Path directory;

    private Loom open() {
        return Loom.open(LoomConfig.at(directory)
                .recordRingBytes(512 << 10)
                .timeRingBytes(512 << 10)
                .chunkRingBytes(512 << 10)
                .build());
    }

    @Test
    void shouldRefuseWhatIsBeyondAndTakeBackWhatWasReserved() {
        QueryMemory all = new QueryMemory(100);
        try (QueryMemory one = all.part()) {
            one.reserve(60);
            QueryMemory other = all.part();
            assertTrue(assertThrows(QueryMemory.Exhausted.class, () -> other.reserve(41))
                    .mayPass());
            assertFalse(assertThrows(QueryMemory.Exhausted.class, () -> other.reserve(101))
                    .mayPass());
            assertEquals(10, other.reserveShare(5, 1000));
            assertEquals(20, other.reserveShare(20, 1000));
            assertEquals(3, other.reserveShare(3, 1000));
            assertThrows(QueryMemory.Exhausted.class, () -> other.reserveShare(8, 8));
            assertEquals(93, all.reserved());
            other.release(3);
            other.close();
            assertEquals(60, all.reserved());
        }
        assertEquals(0, all.reserved());
    }

    @Test
    void shouldReserveWhatAnOperatorHoldsUntilItIsClosed() {
        try (Loom loom = open()) {
            int source = loom.defineSource("a", FORMAT);
            loom.push(source, new byte[8]);
            IndexFunction function = IndexFunction.field(FORMAT, "v");
            QueryMemory memory = new QueryMemory(3 << 20);
            try (Snapshot snapshot = loom.snapshot()) {
                RawScan scan = RawScan.of(snapshot, source).memory(memory);
                try (QueryCursor cursor = scan.open()) {
                    assertEquals(1 << 20, memory.reserved());
                    assertTrue(cursor.next());
                    QueryCursor second = scan.open();
                    QueryCursor third = scan.open();
                    assertThrows(QueryMemory.Exhausted.class, scan::open);
                    second.close();
                    third.close();
                }
                assertEquals(0, memory.reserved());
                // refused before anything is allocated
                assertThrows(
                        QueryMemory.Exhausted.class,
                        () -> Histogram.of(snapshot, source, function)
                                .oneBin()
                                .range(new TimeRange(0, 500_000))
                                .step(Duration.ofNanos(1))
                                .memory(memory)
                                .run());
                assertEquals(0, memory.reserved());
            }
        }
    }

    @Test
    void shouldReleaseWhatWasReservedWhenACursorCanNotBeOpened() {
        EventClock failing = new EventClock() {
            @Override
            public long epochNs(RecordLookup lookup, DirectBuffer payload, int offset, int length) {
                return NONE;
            }

            @Override
            public IndexFunction function() {
                throw new IllegalStateException("nobody has thought of this");
            }

            @Override
            public TimeRange times(Value min, Value max) {
                return TimeRange.ALL;
            }
        };
        try (Loom loom = open()) {
            int source = loom.defineSource("a", FORMAT);
            QueryMemory memory = new QueryMemory(3 << 20);
            try (Snapshot snapshot = loom.snapshot()) {
                RawScan causes = RawScan.of(snapshot, source);
                Correlation correlate = Correlation.of(snapshot, source, causes::open)
                        .memory(memory)
                        .eventTime(failing, failing);
                assertThrows(IllegalStateException.class, correlate::open);
                assertEquals(0, memory.reserved());
            }
        }
    }
}
