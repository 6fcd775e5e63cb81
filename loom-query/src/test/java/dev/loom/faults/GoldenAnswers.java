package dev.loom.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.api.IndexKey;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.Store;
import dev.loom.api.ValueType;
import dev.loom.api.ValueUnit;
import dev.loom.format.FieldValue;
import dev.loom.format.RecordLookup;
import dev.loom.query.EventExtent;
import dev.loom.query.Group;
import dev.loom.query.GroupedAggregate;
import dev.loom.query.Groups;
import dev.loom.query.Histogram;
import dev.loom.query.IndexedAggregate;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import dev.loom.query.model.EventClock;
import dev.loom.query.model.Order;
import dev.loom.query.model.QueryIndex;
import dev.loom.query.model.QueryStatistics;
import dev.loom.query.model.TimeRange;
import dev.loom.query.model.Value;
import java.math.BigDecimal;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.zip.CRC32;
import org.agrona.DirectBuffer;

/** All that a golden store answers, as lines of text: its schema, records, totals, percentiles and counts by bin. */
final class GoldenAnswers {
    /** A program's own function, which a store knows by name alone. */
    static final IndexFunction LENGTH = IndexFunction.of(
            "length",
            ValueType.I64,
            ValueUnit.ofName("length"),
            (buffer, offset, length, into) -> into.setInteger(length));

    /** Event times in the first 8 bytes of payloads, as {@code timed:} formats have them. */
    private record Times(IndexFunction function) implements EventClock {
        @Override
        public long epochNs(RecordLookup lookup, DirectBuffer payload, int offset, int length) {
            return payload.getLong(offset, ByteOrder.LITTLE_ENDIAN);
        }

        @Override
        public TimeRange times(Value min, Value max) {
            return new TimeRange(min.longValue(), max.longValue() + 1);
        }
    }

    private GoldenAnswers() {}

    static List<String> of(Store store) {
        List<String> lines = new ArrayList<>();
        try (Snapshot snapshot = store.snapshot()) {
            lines.add("begin " + snapshot.beginAddress());
            for (Source source : snapshot.sources()) {
                lines.add(source(source));
                lines.add(statistics(source.id(), snapshot.statistics(source.id())));
                lines.addAll(records(snapshot, source));
                for (Index index : snapshot.indexes(source.id())) {
                    addIndex(snapshot, index, lines);
                }
            }
        }
        return lines;
    }

    static String source(Source source) {
        return "source " + source.id() + " " + source.name() + " "
                + source.format().text() + " closed=" + source.closed() + " " + new TreeMap<>(source.attributes());
    }

    /** The time of the first record is exact as long as nothing was deleted. */
    static String statistics(int source, Source.Statistics totals) {
        return "statistics " + source + " records=" + totals.records() + " bytes=" + totals.bytes()
                + " first=" + (totals.deletedRecords() == 0 ? totals.firstTimeNs() : "?")
                + " last=" + totals.lastTimeNs() + " lost=" + totals.lost() + " deleted=" + totals.deletedRecords()
                + " " + totals.deletedBytes();
    }

    static String record(long address, long timeNs, byte[] payload) {
        CRC32 crc = new CRC32();
        crc.update(payload);
        return "record " + address + " " + timeNs + " " + payload.length + " " + Long.toHexString(crc.getValue());
    }

    private static List<String> records(Snapshot snapshot, Source source) {
        List<String> oldestFirst = records(RawScan.of(snapshot, source).order(Order.OLDEST_FIRST));
        List<String> newestFirst = records(RawScan.of(snapshot, source));
        Collections.reverse(newestFirst);
        assertEquals(oldestFirst, newestFirst, "in both orders");
        return oldestFirst;
    }

    private static List<String> records(RawScan scan) {
        List<String> lines = new ArrayList<>();
        try (QueryCursor cursor = scan.open()) {
            while (cursor.next()) {
                byte[] payload = new byte[cursor.length()];
                cursor.buffer().getBytes(cursor.offset(), payload);
                lines.add(record(cursor.address(), cursor.timeNs(), payload));
            }
            assertEquals(0, cursor.completeness().damagedPages());
        }
        return lines;
    }

    private static void addIndex(Snapshot snapshot, Index index, List<String> lines) {
        lines.add(index(index));
        if (index.key() != null) {
            lines.addAll(groups(snapshot, index, index.key()));
            return;
        }
        IndexFunction function = index.function().isLambda() ? LENGTH : index.function();
        IndexedAggregate.Result byIndex = aggregate(snapshot, index, function, true);
        String answer = aggregate(index.id(), byIndex);
        assertEquals(answer, aggregate(index.id(), aggregate(snapshot, index, function, false)), "without the index");
        if (index.bins().keepsValues()) {
            QueryStatistics totals = IndexedAggregate.of(snapshot, index.sourceId(), function)
                    .run()
                    .statistics();
            assertEquals(
                    totals.recordsReturned() == 0,
                    byIndex.statistics().recordsReturned() == 0,
                    () -> "percentiles read records whose values are kept: " + byIndex.statistics());
        }
        if (index.kind() == Index.Kind.EVENT_TIME) {
            EventExtent.Result found = EventExtent.of(snapshot, index.sourceId(), new Times(function))
                    .run();
            long first = byIndex.min().orElseThrow().longValue();
            long last = byIndex.max().orElseThrow().longValue();
            assertEquals(new TimeRange(first, last + 1), found.times());
            requireUsed(index, found.statistics());
        } else if (byIndex.count() > 0) {
            requireUsed(index, byIndex.statistics());
        }
        lines.add(answer);
        if (hasBins(index)) {
            Histogram.Counts counts = Histogram.of(snapshot, index.sourceId(), function)
                    .bins(index.bins())
                    .run();
            for (int bin = 0; bin < counts.bins(); bin++) {
                if (counts.count(0, bin) > 0) {
                    lines.add("bin " + index.id() + " " + counts.low(bin) + " " + counts.high(bin) + " "
                            + counts.count(0, bin));
                }
            }
        }
    }

    /** Whether an index says how its values are distributed over bins. */
    static boolean hasBins(Index index) {
        return index.kind() == Index.Kind.VALUE && index.key() == null;
    }

    private static List<String> groups(Snapshot snapshot, Index index, IndexKey key) {
        List<String> lines = groups(snapshot, index, key, true);
        assertEquals(lines, groups(snapshot, index, key, false), "without the index");
        return lines;
    }

    private static List<String> groups(Snapshot snapshot, Index index, IndexKey key, boolean use) {
        List<String> lines = new ArrayList<>();
        try (Groups groups = GroupedAggregate.of(snapshot, index.sourceId(), index.function())
                .by(key.fields())
                .percentiles(50, 99)
                .use(QueryIndex.CHUNK, use)
                .run()) {
            if (use) {
                requireUsed(index, groups.statistics());
            }
            for (Group group : groups) {
                lines.add(aggregate(
                        "group " + index.id() + " "
                                + group.key().stream().map(FieldValue::text).collect(Collectors.joining(" ")),
                        group.count(),
                        new BigDecimal(group.sum()),
                        group.min().orElseThrow().toBigDecimal(),
                        group.max().orElseThrow().toBigDecimal(),
                        group.percentile(50).orElseThrow().toBigDecimal(),
                        group.percentile(99).orElseThrow().toBigDecimal()));
            }
        }
        Collections.sort(lines);
        return lines;
    }

    /** An index that can no longer be read makes answers slower, not wrong. */
    private static void requireUsed(Index index, QueryStatistics work) {
        assertTrue(
                work.chunksFromTotals() + work.chunksFromBins() > 0,
                () -> "no chunk was answered by its index: " + index);
    }

    private static String index(Index index) {
        return "index " + index.id() + " of " + index.sourceId() + " " + index.name() + " " + index.kind() + " "
                + (index.key() == null ? "" : "by " + index.key().text() + " ")
                + index.function().text() + " "
                + (index.kind() == Index.Kind.VALUE ? index.bins().text() : "");
    }

    private static IndexedAggregate.Result aggregate(
            Snapshot snapshot, Index index, IndexFunction function, boolean use) {
        return IndexedAggregate.of(snapshot, index.sourceId(), function)
                .percentiles(50, 99)
                .use(QueryIndex.CHUNK, use)
                .use(QueryIndex.TEXT, use)
                .run();
    }

    private static String aggregate(int index, IndexedAggregate.Result found) {
        if (found.count() == 0) {
            return "aggregate " + index + " none";
        }
        return aggregate(
                "aggregate " + index,
                found.count(),
                new BigDecimal(found.sum()),
                found.min().orElseThrow().toBigDecimal(),
                found.max().orElseThrow().toBigDecimal(),
                found.percentile(50).orElseThrow().toBigDecimal(),
                found.percentile(99).orElseThrow().toBigDecimal());
    }

    private static String aggregate(String what, long count, BigDecimal sum, BigDecimal... values) {
        StringBuilder line = new StringBuilder(what + " count=" + count + " sum=" + plain(sum));
        for (BigDecimal value : values) {
            line.append(' ').append(plain(value));
        }
        return line.toString();
    }

    /** As a list of all values gives it; percentile P of n values is that of rank ceil(P / 100 * n). */
    static String aggregate(String what, List<BigDecimal> values) {
        if (values.isEmpty()) {
            return what + " none";
        }
        List<BigDecimal> sorted = values.stream().sorted().toList();
        int n = sorted.size();
        return aggregate(
                what,
                n,
                sorted.stream().reduce(BigDecimal.ZERO, BigDecimal::add),
                sorted.get(0),
                sorted.get(n - 1),
                sorted.get((n + 1) / 2 - 1),
                sorted.get((99 * n + 99) / 100 - 1));
    }

    private static String plain(BigDecimal number) {
        return number.stripTrailingZeros().toPlainString();
    }

    /** Whether the bins of an index, among these lines, count these values. */
    static void requireBins(List<String> lines, int index, List<BigDecimal> values) {
        long counted = 0;
        for (String line : lines) {
            String[] words = line.split(" ", -1);
            if (words[0].equals("bin") && Integer.parseInt(words[1]) == index) {
                BigDecimal low = new BigDecimal(words[2]);
                BigDecimal high = new BigDecimal(words[3]);
                long within = values.stream()
                        .filter(value -> value.compareTo(low) >= 0 && value.compareTo(high) <= 0)
                        .count();
                assertEquals(within, Long.parseLong(words[4]), line);
                counted += within;
            }
        }
        assertEquals(values.size(), counted, () -> "values in bins, index=" + index);
    }
}
