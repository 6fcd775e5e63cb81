package dev.loom.store;

import dev.loom.api.DoubleSum;
import dev.loom.api.Index;
import dev.loom.api.LongSum;
import dev.loom.api.ValueType;
import dev.loom.error.CorruptStoreException;
import dev.loom.index.ActiveIndex;
import dev.loom.index.BinListWriter;
import dev.loom.index.ChunkIndexReader;
import dev.loom.index.IndexSummary;
import dev.loom.log.LogKind;
import dev.loom.log.LogView;
import dev.loom.read.BinListReader;
import dev.loom.record.FaultHandler;
import dev.loom.record.SummaryComparison;
import dev.loom.value.BinScale;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.agrona.ExpandableArrayBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Compares the totals and bins of a store's indexes with what the records give. Those of a function that is not known here
 * are compared with each other alone. For one thread.
 */
final class BinsAudit implements SummaryComparison, AutoCloseable {
    private final ChunkIndexReader chunks;
    private final FaultHandler faults;
    private final BinListWriter writer = new BinListWriter();
    private final ExpandableArrayBuffer expected = new ExpandableArrayBuffer();
    private final TreeMap<Integer, Bins> readers = new TreeMap<>();
    private final TreeSet<Integer> uncompared = new TreeSet<>();
    private final IndexSummary totals = new IndexSummary();

    /** Readers of an index's bins: as they are stored, and as the records give them. */
    private record Bins(BinListReader stored, BinListReader expected) {
        static Bins of(Index index) {
            ValueType type = index.function().type();
            BinScale scale = BinScale.of(index.bins(), type);
            return new Bins(new BinListReader(scale, type), new BinListReader(scale, type));
        }
    }

    BinsAudit(LogView chunks, long end, FaultHandler faults) {
        this.chunks = new ChunkIndexReader(chunks, end);
        this.faults = faults;
    }

    /** The ids of indexes that could not be compared with the records, because their functions are not known here. */
    Set<Integer> uncompared() {
        return uncompared;
    }

    @Override
    public long compare(Index index, @Nullable ActiveIndex found, IndexSummary listed, long part, long chunkAddress) {
        if (!index.function().isReadable()) {
            uncompared.add(index.id());
        }
        if (found != null) {
            found.summarize(totals);
            compareTotals(index, listed, part, chunkAddress);
        }
        long address = listed.binsAddress();
        if (address == IndexSummary.NO_BINS) {
            return 0;
        }
        boolean keyed = index.key() != null;
        if (keyed
                ? !chunks.readKeyed(address, chunkAddress, index.id())
                : !chunks.read(address, chunkAddress, index.id())) {
            return unread(index, address, part, chunkAddress);
        }
        long end = chunks.end();
        try {
            String difference = keyed
                    ? keyedDifference(found)
                    : found == null ? inconsistency(index, listed) : difference(index, found);
            if (difference != null) {
                faults.onFault(
                        LogKind.CHUNK,
                        address,
                        "bins differ from their chunk: chunk address=" + chunkAddress + ", index=" + index.id() + ", "
                                + difference);
            }
        } catch (CorruptStoreException e) {
            faults.onFault(
                    LogKind.CHUNK,
                    address,
                    "bins are malformed: chunk address=" + chunkAddress + ", index=" + index.id() + ", reason="
                            + e.getMessage());
        }
        return end;
    }

    private long unread(Index index, long address, long part, long chunkAddress) {
        String what = "chunk address=" + chunkAddress + ", index=" + index.id() + ", address=" + address;
        if (chunks.begins(address)) {
            faults.onFault(
                    LogKind.CHUNK, address, "bins are of another chunk or index than their directory says: " + what);
        } else if (!chunks.contains(address) || chunks.readable(address)) {
            faults.onFault(
                    LogKind.TIME,
                    part,
                    "directory differs from its chunk: it leads to bins that are not there: " + what);
        }
        return UNKNOWN;
    }

    private void compareTotals(Index index, IndexSummary listed, long part, long chunkAddress) {
        String difference = totalsDifference(index.function().type(), listed);
        if (difference != null) {
            faults.onFault(
                    LogKind.TIME,
                    part,
                    "directory differs from its chunk: chunk address=" + chunkAddress + "; it differs: index="
                            + index.id() + ", " + difference);
        }
    }

    /** How listed totals differ from {@link #totals}, or null. */
    private @Nullable String totalsDifference(ValueType type, IndexSummary listed) {
        if (listed.count() != totals.count()) {
            return "values=" + listed.count() + ", expected=" + totals.count();
        }
        if (listed.count() > 0 && listed.minKey() != totals.minKey()) {
            return "minimum key=" + listed.minKey() + ", expected=" + totals.minKey();
        }
        if (listed.count() > 0 && listed.maxKey() != totals.maxKey()) {
            return "maximum key=" + listed.maxKey() + ", expected=" + totals.maxKey();
        }
        if (type == ValueType.F64) {
            double sum = listed.doubleSum().value();
            double right = totals.doubleSum().value();
            return same(sum, right, listed.count(), listed.minKey(), listed.maxKey())
                    ? null
                    : "sum=" + sum + ", expected=" + right;
        }
        LongSum sum = new LongSum();
        LongSum right = new LongSum();
        listed.addValuesTo(sum, type);
        totals.addValuesTo(right, type);
        return same(sum, right) ? null : "sum=" + sum + ", expected=" + right;
    }

    /** How the stored bins of keys differ from those that the records give, or null. They have one form, except for sums of doubles. */
    private @Nullable String keyedDifference(@Nullable ActiveIndex found) {
        if (found == null) {
            return null;
        }
        expected.checkLimit(found.binsLengthMax());
        int length = found.encodeBins(writer, expected, 0);
        return sameBytes(length) ? null : "bins of keys differ: bytes=" + chunks.length() + ", expected=" + length;
    }

    /** How the stored bins differ from those that the records give, or null. */
    private @Nullable String difference(Index index, ActiveIndex found) {
        expected.checkLimit(found.binsLengthMax());
        int length = found.encodeBins(writer, expected, 0);
        if (sameBytes(length)) {
            return null;
        }
        // the same bins could be written otherwise
        Bins bins = readers.computeIfAbsent(index.id(), unused -> Bins.of(index));
        bins.stored.wrap(chunks.buffer(), chunks.offset(), chunks.length());
        bins.expected.wrap(expected, 0, length);
        boolean more = bins.expected.next();
        boolean stored = bins.stored.next();
        while (more && stored) {
            String difference = difference(index.function().type(), bins);
            if (difference != null) {
                return difference;
            }
            more = bins.expected.next();
            stored = bins.stored.next();
        }
        return more == stored
                ? null
                : stored
                        ? "bin=" + bins.stored.bin() + " is not expected"
                        : "bin=" + bins.expected.bin() + " is missing";
    }

    private boolean sameBytes(int length) {
        boolean same = length == chunks.length();
        for (int i = 0; same && i < length; i++) {
            same = chunks.buffer().getByte(chunks.offset() + i) == expected.getByte(i);
        }
        return same;
    }

    private static @Nullable String difference(ValueType type, Bins bins) {
        BinListReader stored = bins.stored;
        BinListReader right = bins.expected;
        if (stored.bin() != right.bin()) {
            return "bin=" + stored.bin() + ", expected=" + right.bin();
        }
        if (stored.count() != right.count()) {
            return "bin=" + stored.bin() + ", values=" + stored.count() + ", expected=" + right.count();
        }
        if (stored.minKey() != right.minKey() || stored.maxKey() != right.maxKey()) {
            return "bin=" + stored.bin() + ", keys=" + stored.minKey() + " to " + stored.maxKey() + ", expected="
                    + right.minKey() + " to " + right.maxKey();
        }
        if (stored.isComplete() != right.isComplete()) {
            return "bin=" + stored.bin() + ", values kept=" + stored.isComplete() + ", expected=" + right.isComplete();
        }
        if (stored.isComplete() && !Arrays.equals(values(stored), values(right))) {
            return "bin=" + stored.bin() + ", its values differ";
        }
        String sum;
        String expectedSum;
        boolean same;
        if (type == ValueType.F64) {
            DoubleSum one = new DoubleSum();
            DoubleSum other = new DoubleSum();
            stored.addTo(one);
            right.addTo(other);
            same = same(one.value(), other.value(), stored.count(), stored.minKey(), stored.maxKey());
            sum = one.toString();
            expectedSum = other.toString();
        } else {
            LongSum one = new LongSum();
            LongSum other = new LongSum();
            stored.addKeysTo(one);
            right.addKeysTo(other);
            same = same(one, other);
            sum = one.toString();
            expectedSum = other.toString();
        }
        return same ? null : "bin=" + stored.bin() + ", sum=" + sum + ", expected=" + expectedSum;
    }

    private static long[] values(BinListReader bin) {
        long[] keys = new long[bin.count()];
        Arrays.setAll(keys, bin::key);
        Arrays.sort(keys);
        return keys;
    }

    /** How the listed totals differ from those of the stored bins, or null. */
    private @Nullable String inconsistency(Index index, IndexSummary listed) {
        ValueType type = index.function().type();
        BinListReader stored = readers.computeIfAbsent(index.id(), unused -> Bins.of(index)).stored;
        stored.wrap(chunks.buffer(), chunks.offset(), chunks.length());
        long count = 0;
        long min = Long.MAX_VALUE;
        long max = Long.MIN_VALUE;
        LongSum keys = new LongSum();
        DoubleSum doubles = new DoubleSum();
        while (stored.next()) {
            count += stored.count();
            min = Math.min(min, stored.minKey());
            max = Math.max(max, stored.maxKey());
            if (type == ValueType.F64) {
                stored.addTo(doubles);
            } else {
                stored.addKeysTo(keys);
            }
        }
        if (count != listed.count()) {
            return "values=" + count + ", directory's=" + listed.count();
        }
        if (min != listed.minKey() || max != listed.maxKey()) {
            return "keys=" + min + " to " + max + ", directory's=" + listed.minKey() + " to " + listed.maxKey();
        }
        if (type == ValueType.F64) {
            double sum = listed.doubleSum().value();
            return same(doubles.value(), sum, count, min, max) ? null : "sum=" + doubles + ", directory's=" + sum;
        }
        LongSum sum = new LongSum();
        listed.addValuesTo(sum, ValueType.I64);
        return same(keys, sum) ? null : "sum of keys=" + keys + ", directory's=" + sum;
    }

    private static boolean same(LongSum sum, LongSum expected) {
        return sum.high() == expected.high() && sum.low() == expected.low();
    }

    /** Whether two sums of doubles are as near to each other as compensation promises, in whatever order they were added. */
    private static boolean same(double sum, double expected, long count, long minKey, long maxKey) {
        if (Double.compare(sum, expected) == 0 || sum == expected) {
            return true;
        }
        double most = Math.max(Math.abs(ValueType.doubleOf(minKey)), Math.abs(ValueType.doubleOf(maxKey)));
        double rounding = 4 * Math.ulp(expected) + (double) count * count * Math.scalb(most, -100);
        return Math.abs(sum - expected) <= rounding;
    }

    @Override
    public void close() {
        chunks.close();
    }
}
