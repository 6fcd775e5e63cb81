package dev.loom.query.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.format.RecordLookup;
import dev.loom.query.model.Completeness;
import dev.loom.query.model.QueryMemory;
import dev.loom.query.model.TimeRange;
import dev.loom.query.model.Value;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SeriesRunTest {
    private static final PayloadFormat FORMAT = Formats.parse("timed:json");
    private static final IndexFunction TIME = IndexFunction.field(FORMAT, "event_time");
    private static final int POINTS = 5_000;
    /** A scan may keep all points, and hand them over in one go. This many may follow once time is over. */
    private static final int LATE_MAX = 1_023;

    @TempDir
    private Path directory;

    private @Nullable SeriesTally tally;

    /** Reading the time of the last record takes as long as is asked for, before any is handed over. */
    private static final class SlowClock implements SourceClock {
        private final long slowNs;
        private int readsOfFirst;
        private int readsOfLast;

        SlowClock(Duration slow) {
            slowNs = slow.toNanos();
        }

        @Override
        public long epochNs(RecordLookup lookup, DirectBuffer buffer, int offset, int length) {
            long timeNs = buffer.getLong(offset, ByteOrder.LITTLE_ENDIAN);
            readsOfFirst += timeNs == 0 ? 1 : 0;
            readsOfLast += timeNs == POINTS - 1 ? 1 : 0;
            if (timeNs == POINTS - 1 && readsOfLast == readsOfFirst) {
                long startNs = System.nanoTime();
                while (System.nanoTime() - startNs < slowNs) {
                    Thread.onSpinWait();
                }
            }
            return timeNs;
        }

        @Override
        public IndexFunction function() {
            return TIME;
        }

        @Override
        public TimeRange times(Value min, Value max) {
            return TimeRange.closed(min.longValue(), max.longValue());
        }

        @Override
        public boolean start() {
            return false;
        }

        @Override
        public long withoutTime() {
            return 0;
        }
    }

    @Test
    void shouldGiveAllPointsInTime() {
        assertEquals(Completeness.Limit.NONE, limitOf(Duration.ofMinutes(10), Duration.ZERO));
        assertEquals(POINTS, points());
    }

    @Test
    void shouldEndWhenTimeIsOverAsPointsAreHandedOver() {
        Duration time = Duration.ofMillis(500);
        assertEquals(Completeness.Limit.TIME, limitOf(time, time));
        assertTrue(points() <= LATE_MAX, () -> "points=" + points());
    }

    private long points() {
        return tally == null ? 0 : tally.points();
    }

    private Completeness.Limit limitOf(Duration timeMax, Duration slow) {
        try (Loom loom = Loom.open(LoomConfig.at(directory).build())) {
            int source = loom.defineSource("m", FORMAT);
            byte[] point = "{\"name\":\"m\",\"value\":1}".getBytes(StandardCharsets.UTF_8);
            UnsafeBuffer payload = new UnsafeBuffer(new byte[Long.BYTES + point.length]);
            payload.putBytes(Long.BYTES, point);
            for (int i = 0; i < POINTS; i++) {
                payload.putLong(0, i, ByteOrder.LITTLE_ENDIAN);
                loom.push(source, payload, 0, payload.capacity());
            }
            SeriesRequest request = new SeriesRequest(
                    new RecordSelection(loom.source("m").orElseThrow(), TimeRange.closed(0, POINTS), true, List.of()),
                    "m",
                    List.of(),
                    null,
                    new SeriesRequest.Functions(true, false, false, List.of()),
                    Duration.ZERO,
                    1,
                    QueryLimits.NONE.withTimeMax(timeMax));
            QueryService service =
                    new QueryService(each -> new SlowClock(slow), new QueryMemory(16 << 20), () -> false);
            ResultHandler results = new ResultHandler() {
                @Override
                public void onRecord(long timeNs, long address, DirectBuffer buffer, int offset, int length) {
                    throw new AssertionError("series have no records");
                }

                @Override
                public void onSeriesEnd(SeriesRequest asked, SeriesTally found) {
                    tally = found;
                }
            };
            try (Snapshot snapshot = loom.snapshot()) {
                return service.run(snapshot, request, results).completeness().limit();
            }
        }
    }
}
