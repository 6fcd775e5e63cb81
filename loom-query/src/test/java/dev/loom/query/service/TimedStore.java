package dev.loom.query.service;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.api.IndexFunction;
import dev.loom.api.LossReason;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.Store;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.format.RecordLookup;
import dev.loom.query.model.QueryMemory;
import dev.loom.query.model.TimeRange;
import dev.loom.query.model.Value;
import dev.loom.query.where.Where;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** A store with one source, whose records carry a time and their number. A record's arrival is its number in microseconds. */
final class TimedStore implements AutoCloseable {
    static final PayloadFormat FORMAT = Formats.parse("struct:t:i64,i:i64");
    private static final IndexFunction TIME = IndexFunction.field(FORMAT, "t");
    private static final int FIELDS_LENGTH = 16;
    private static final int SEGMENT_BYTES = 1 << 20;

    private final UnsafeBuffer payload = new UnsafeBuffer(new byte[1 << 20]);
    private final List<List<Long>> rows = new ArrayList<>();
    private final Path directory;
    private Loom loom;
    private final int sourceId;

    TimedStore(Path directory) {
        this.directory = directory;
        loom = Loom.open(LoomConfig.at(directory)
                .recordRingBytes(LoomConfig.RING_BYTES_MIN)
                .timeRingBytes(LoomConfig.RING_BYTES_MIN)
                .chunkRingBytes(LoomConfig.RING_BYTES_MIN)
                .clock(() -> rows.size() * 1_000L)
                .segmentBytes(SEGMENT_BYTES)
                .build());
        sourceId = loom.defineSource("s", FORMAT);
        loom.defineEventTimeIndex(sourceId, "event-time", TIME);
    }

    /** Pushes a record; a negative time means none. */
    void push(long timeNs, int fillingLength) {
        payload.putLong(0, timeNs, ByteOrder.LITTLE_ENDIAN);
        payload.putLong(8, rows.size(), ByteOrder.LITTLE_ENDIAN);
        loom.push(sourceId, payload, 0, FIELDS_LENGTH + fillingLength);
        rows.add(List.of(timeNs, (long) rows.size()));
    }

    /** Counts records as lost at one time. */
    void lose(long records, long timeNs) {
        lose(records, timeNs, timeNs);
    }

    /** Counts records as lost from one time to another. */
    void lose(long records, long firstNs, long lastNs) {
        loom.noteLoss(sourceId, LossReason.RECORDER_FULL, records, firstNs, lastNs);
    }

    /** The time and the number of each record, in order of arrival. */
    List<List<Long>> rows() {
        return rows;
    }

    Store reader() {
        return LoomReader.attach(directory);
    }

    /** Keeps no more than this from now on, and what is pushed first fills it. */
    void limit(long maxBytes) {
        loom.close();
        loom = Loom.open(LoomConfig.at(directory)
                .clock(() -> rows.size() * 1_000L)
                .maxBytes(maxBytes)
                .minFreeBytes(0)
                .build());
    }

    /** Closes the source, and defines another one of its name. */
    void defineAgain() {
        loom.closeSource(sourceId);
        loom.push(loom.defineSource("s", FORMAT), payload, 0, FIELDS_LENGTH);
    }

    void force() {
        loom.force();
    }

    /** Damages the page of an address, which no ring has any more. */
    void damage(long address) throws IOException {
        Path file = directory.resolve("record").resolve("%020d.seg".formatted(address / SEGMENT_BYTES * SEGMENT_BYTES));
        try (RandomAccessFile segment = new RandomAccessFile(file.toFile(), "rw")) {
            segment.seek(address % SEGMENT_BYTES);
            int read = segment.read();
            segment.seek(address % SEGMENT_BYTES);
            segment.write(~read);
        }
    }

    long tailAddress() {
        return loom.info().records().tail();
    }

    Snapshot snapshot() {
        return loom.snapshot();
    }

    Source source() {
        return loom.source("s").orElseThrow();
    }

    RecordSelection records(TimeRange range, boolean eventTime, String... where) {
        return new RecordSelection(
                source(),
                range,
                eventTime,
                Arrays.stream(where).map(Where::parse).toList());
    }

    static QueryService service(QueryMemory memory, BooleanSupplier cancelled) {
        return new QueryService(source -> new Clock(), memory, cancelled);
    }

    @Override
    public void close() {
        loom.close();
    }

    /** Reads the times of the records. */
    static final class Clock implements SourceClock {
        private long withoutTime;

        @Override
        public long epochNs(RecordLookup lookup, DirectBuffer buffer, int offset, int length) {
            long timeNs = buffer.getLong(offset, ByteOrder.LITTLE_ENDIAN);
            withoutTime += timeNs < 0 ? 1 : 0;
            return timeNs < 0 ? NONE : timeNs;
        }

        @Override
        public IndexFunction function() {
            return TIME;
        }

        @Override
        public TimeRange times(Value min, Value max) {
            return min.longValue() < 0 ? TimeRange.ALL : TimeRange.closed(min.longValue(), max.longValue());
        }

        @Override
        public boolean start() {
            return false;
        }

        @Override
        public long withoutTime() {
            return withoutTime;
        }
    }

    /** Keeps the time and the number of each record handed over. */
    static class Kept implements ResultHandler {
        final List<List<Long>> rows = new ArrayList<>();
        final List<Long> addresses = new ArrayList<>();

        @Override
        public void onRecord(long timeNs, long address, DirectBuffer buffer, int offset, int length) {
            rows.add(List.of(timeNs, buffer.getLong(offset + 8, ByteOrder.LITTLE_ENDIAN)));
            addresses.add(address);
        }
    }
}
