package dev.loom.query;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.api.ValueType;
import dev.loom.api.ValueUnit;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.format.RecordLookup;
import dev.loom.query.model.EventClock;
import dev.loom.query.model.TimeRange;
import dev.loom.query.model.Value;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A store of random records of two sources, and the records as they were pushed: what an operator answers is compared with
 * what they say, which know nothing of pages and indexes. Indexes come and go while it is written, and it is opened again.
 */
final class OperatorStore implements AutoCloseable {
    static final PayloadFormat FORMAT = Formats.parse("struct:ts:i64,value:i64,duration:i64,score:f64");
    static final IndexFunction VALUE = IndexFunction.field(FORMAT, "value");
    static final IndexFunction DURATION = IndexFunction.field(FORMAT, "duration");
    static final IndexFunction SCORE = IndexFunction.field(FORMAT, "score");
    static final IndexFunction TS = IndexFunction.field(FORMAT, "ts");
    /** The value, but of every seventh id none. */
    static final IndexFunction SPARSE =
            IndexFunction.of("sparse", ValueType.I64, ValueUnit.NONE, (buffer, at, length, into) -> {
                long value = buffer.getLong(at + 8, ByteOrder.LITTLE_ENDIAN);
                if (value % 7 != 0) {
                    into.setInteger(value);
                }
            });

    private static final int FIELDS_LENGTH = 32;
    private static final int PADDING_MAX = 2500;

    /** A record as it was pushed. */
    record Row(long address, long timeNs, long ts, long value, long duration, double score) {}

    final List<Row> a = new ArrayList<>();
    final List<Row> b = new ArrayList<>();
    final int sourceA;
    final int sourceB;

    private final Path directory;
    private final Random random;
    private final UnsafeBuffer payload = new UnsafeBuffer(new byte[200_000]);
    private Loom loom;
    private long nowNs = 1_000_000;

    OperatorStore(Path directory, Random random) {
        this.directory = directory;
        this.random = random;
        loom = open();
        sourceA = loom.defineSource("a", FORMAT);
        sourceB = loom.defineSource("b", FORMAT);
    }

    private Loom open() {
        return Loom.open(LoomConfig.at(directory)
                .recordRingBytes(LoomConfig.RING_BYTES_MIN)
                .timeRingBytes(LoomConfig.RING_BYTES_MIN)
                .chunkRingBytes(LoomConfig.RING_BYTES_MIN)
                .clock(() -> nowNs)
                .build());
    }

    Loom loom() {
        return loom;
    }

    /** Pushes records in some phases, between which indexes are defined or closed, or the store is opened again. */
    void fill(int records) {
        int phases = 1 + random.nextInt(4);
        for (int phase = 0; phase < phases; phase++) {
            changeIndexes(sourceA);
            changeIndexes(sourceB);
            for (int i = 0; i < records / phases; i++) {
                push(random.nextInt(3) > 0 ? sourceA : sourceB);
            }
            if (random.nextInt(3) == 0) {
                loom.close();
                loom = open();
            } else if (random.nextInt(3) == 0) {
                loom.force();
            }
            if (random.nextBoolean()) {
                loom.force();
                loom.finishRollups((done, total) -> true);
            }
        }
    }

    private void changeIndexes(int source) {
        if (random.nextInt(4) == 0) {
            loom.indexes().stream()
                    .filter(index -> index.sourceId() == source && random.nextBoolean())
                    .forEach(index -> loom.closeIndex(index.id()));
            return;
        }
        define(source, "value", VALUE);
        define(source, "duration", DURATION);
        define(source, "score", SCORE);
        define(source, "sparse", SPARSE);
        if (random.nextInt(3) > 0) {
            loom.defineEventTimeIndex(source, "ts", TS);
        }
    }

    private void define(int source, String name, IndexFunction function) {
        Bins bins = loom.indexes().stream()
                .filter(index -> index.sourceId() == source && index.name().equals(name) && !index.closed())
                .map(index -> index.bins())
                .findFirst()
                .orElse(bins());
        if (random.nextInt(4) > 0) {
            loom.defineIndex(source, name, function, bins);
        }
    }

    Bins bins() {
        return random.nextInt(3) == 0 ? plainBins().withValues() : plainBins();
    }

    private Bins plainBins() {
        return switch (random.nextInt(4)) {
            case 0 -> Bins.linear(-100L, 1000L, 1 + random.nextInt(30));
            case 1 -> Bins.edges(0L, 10L, 100L + random.nextInt(800), 5_000L);
            case 2 -> Bins.match((long) random.nextInt(100));
            default -> Bins.logLinear(random.nextInt(5));
        };
    }

    private void push(int source) {
        // several at the same time now and then
        nowNs += random.nextInt(3) == 0 ? 0 : random.nextInt(2_000);
        long ts = random.nextInt(50) == 0 ? -1 : nowNs - random.nextInt(5_000);
        long value = random.nextInt(20) == 0 ? random.nextLong() >> random.nextInt(60) : random.nextInt(1_000) - 50;
        long duration = random.nextInt(100) == 0 ? -1 : random.nextInt(random.nextInt(200) == 0 ? 100_000 : 3_000);
        double score = random.nextInt(30) == 0 ? Double.NaN : Math.exp(random.nextGaussian() * 4);
        payload.putLong(0, ts, ByteOrder.LITTLE_ENDIAN);
        payload.putLong(8, value, ByteOrder.LITTLE_ENDIAN);
        payload.putLong(16, duration, ByteOrder.LITTLE_ENDIAN);
        payload.putDouble(24, score, ByteOrder.LITTLE_ENDIAN);
        int length = FIELDS_LENGTH + (random.nextInt(200) == 0 ? 90_000 : random.nextInt(PADDING_MAX));
        long address = loom.push(source, payload, 0, length);
        (source == sourceA ? a : b).add(new Row(address, nowNs, ts, value, duration, score));
    }

    List<Row> rows(int source) {
        return source == sourceA ? a : b;
    }

    /** A range of arrival, of which either end may be open; often at the time of a record. */
    TimeRange range() {
        List<Row> rows = random.nextBoolean() ? a : b;
        long from = random.nextInt(4) == 0 ? Long.MIN_VALUE : time(rows);
        long to = random.nextInt(4) == 0 ? Long.MAX_VALUE : time(rows);
        return new TimeRange(Math.min(from, to), Math.max(from, to));
    }

    long time(List<Row> rows) {
        return rows.get(random.nextInt(rows.size())).timeNs() + random.nextInt(3) - 1;
    }

    /** The times in {@code ts}, of which -1 is none. */
    static EventClock clock() {
        return new EventClock() {
            @Override
            public long epochNs(RecordLookup lookup, DirectBuffer buffer, int offset, int length) {
                long ts = buffer.getLong(offset, ByteOrder.LITTLE_ENDIAN);
                return ts == -1 ? NONE : ts;
            }

            @Override
            public IndexFunction function() {
                return TS;
            }

            @Override
            public TimeRange times(Value min, Value max) {
                boolean all = min.longValue() > -1 || max.longValue() < -1;
                return all ? new TimeRange(min.longValue(), max.longValue() + 1) : TimeRange.ALL;
            }
        };
    }

    @Override
    public void close() {
        loom.close();
    }
}
