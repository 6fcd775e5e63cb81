package dev.loom.read;

import dev.loom.api.Index;
import dev.loom.api.ValueType;
import dev.loom.error.CorruptStoreException;
import dev.loom.index.ChunkIndexReader;
import dev.loom.index.IndexSummaryCodec;
import dev.loom.index.KeyedBinsDescriptor;
import dev.loom.index.Varints;
import dev.loom.rollup.RunReader;
import dev.loom.value.BinScale;
import dev.loom.value.KeyEncoder;
import java.util.List;
import java.util.Objects;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A cursor over the keys of a chunk in an index by keys: records, totals and bins of each. Allocates nothing. For one thread.
 */
public final class KeyedSummary {
    /** No list with a key is shorter. */
    private static final int KEY_LENGTH_MIN = 8;

    private final @Nullable SnapshotReader reader;
    private final Index index;
    private final ValueType type;
    private final ChunkSummary chunk;
    private final ChunkSummary totals;
    private final List<String> fields;
    private final BinListReader bins;
    private final Varints bytes = new Varints(new UnsafeBuffer(new byte[0]));

    private DirectBuffer buffer = new UnsafeBuffer(new byte[0]);
    private int begin;
    private int end;
    private int keys;
    private int keysLeft;
    private int keyOffset;
    private int keyLength;
    private long records;
    private long valuesOfKeys;
    private int binsOffset;
    private int binsLength;

    /** The chunk read last, and the reader's {@linkplain ChunkIndexReader#reads() count} then; -1 if there is none. */
    private long chunkRead;

    private long readsThen = -1;

    /** Makes a cursor over the keys of {@linkplain #wrap bytes}. */
    public KeyedSummary(Index index) {
        this(null, index);
    }

    KeyedSummary(@Nullable SnapshotReader reader, Index index) {
        this.reader = reader;
        this.index = index;
        this.type = index.function().type();
        this.fields = Objects.requireNonNull(index.key(), "index has no key").fields();
        this.chunk = new ChunkSummary(reader);
        this.totals = new ChunkSummary(reader);
        this.bins = new BinListReader(BinScale.of(index.bins(), type), type);
    }

    /** The index. */
    public Index index() {
        return index;
    }

    /** The scale of the bins: the same object as theirs. */
    public BinScale scale() {
        return bins.scale();
    }

    /** The fields of the keys. */
    public List<String> fields() {
        return fields;
    }

    /**
     * Reads what the index has of the part that a cursor stands on, and moves before the first key. Valid until bins are read again, for any
     * index of the snapshot.
     *
     * @return false if the part's records have to be read: the index did not see all of them, or has not all keys apart
     * @throws CorruptStoreException if its contents are impossible
     */
    public boolean read(ChunkCursor part) {
        if (reader != null && isHere(reader, part)) {
            rewind();
            return true;
        }
        readsThen = -1;
        if (reader == null || !chunk.read(part, index) || !chunk.hasBins()) {
            return false;
        }
        if (part.isRun()) {
            RunReader run = chunk.runBins();
            return run != null && wrap(run.bins(), 0, run.binsLength()) && valuesOfKeys == chunk.count();
        }
        ChunkIndexReader entries = reader.bins();
        boolean whole = entries.readKeyed(chunk.binsAddress(), part.start(), index.id())
                && wrap(entries.buffer(), entries.offset(), entries.length())
                && valuesOfKeys == chunk.count();
        chunkRead = part.start();
        readsThen = whole ? entries.reads() : -1;
        return whole;
    }

    /** Whether a part was read last, and nothing after it. */
    private boolean isHere(SnapshotReader from, ChunkCursor part) {
        return readsThen >= 0
                && part.listed()
                && !part.isRun()
                && part.start() == chunkRead
                && from.bins().reads() == readsThen;
    }

    /**
     * Moves before the first key of those at {@code [offset, offset + length)}.
     *
     * @return false if not all keys are apart
     * @throws CorruptStoreException if the contents are impossible
     */
    public boolean wrap(DirectBuffer from, int offset, int length) {
        buffer = from;
        begin = offset;
        end = offset + length;
        bytes.wrap(buffer, begin, end);
        keys = number(KeyedBinsDescriptor.RUN_KEYS_MAX);
        if (keys > 0 && length < KEY_LENGTH_MIN) {
            throw bytes.malformed("length"); // totals are read back from eight bytes before their end
        }
        long rest = bytes.next();
        begin = bytes.position();
        if (rest != 0 || !isWhole()) {
            return false;
        }
        rewind();
        return true;
    }

    /** Goes over all keys once, so that a user meets no impossible one half way. Their bins are the user's to check. */
    private boolean isWhole() {
        valuesOfKeys = 0;
        rewind();
        while (next()) {
            if (!KeyEncoder.isKey(buffer, keyOffset, keyLength, fields.size())) {
                throw bytes.malformed("key");
            }
            valuesOfKeys += totals.count();
        }
        return bytes.isAtEnd();
    }

    private int number(int max) {
        long number = bytes.next();
        if (number < 0 || number > max) {
            throw bytes.malformed("number");
        }
        return (int) number;
    }

    /** Moves before the first key. */
    public void rewind() {
        bytes.wrap(buffer, begin, end);
        keysLeft = keys;
    }

    /** Moves to the next key; false after the last. */
    public boolean next() {
        if (keysLeft == 0) {
            return false;
        }
        keysLeft--;
        keyLength = number(KeyedBinsDescriptor.KEY_LENGTH_MAX);
        keyOffset = bytes.position();
        bytes.skipBytes(keyLength);
        records = number(Integer.MAX_VALUE);
        int at = bytes.position();
        int lengths = IndexSummaryCodec.lengths(buffer, at, end);
        totals.set(type, buffer, at, end, lengths);
        bytes.position(at + IndexSummaryCodec.summaryLength(lengths));
        binsLength = (int) bytes.nextBytes(Integer.BYTES);
        binsOffset = bytes.position();
        if (binsLength < 0) {
            throw bytes.malformed("length");
        }
        bytes.skipBytes(binsLength);
        return true;
    }

    /** What holds the key, as {@link dev.loom.value.KeyEncoder} makes it. */
    public DirectBuffer buffer() {
        return buffer;
    }

    public int keyOffset() {
        return keyOffset;
    }

    public int keyLength() {
        return keyLength;
    }

    /** The number of records with the key. */
    public long records() {
        return records;
    }

    /** The totals of those that have a value; they have no bins of their own. */
    public ChunkSummary totals() {
        return totals;
    }

    /** The bins of those values, before the first one; null if there are none. Their contents may be impossible. */
    public @Nullable BinListReader bins() {
        if (binsLength == 0) {
            return null;
        }
        bins.wrap(buffer, binsOffset, binsLength);
        return bins;
    }
}
