package dev.loom.rollup;

import dev.loom.api.ValueType;
import dev.loom.error.CorruptStoreException;
import dev.loom.error.StoreIoException;
import dev.loom.index.BitReader;
import dev.loom.index.IndexSummary;
import dev.loom.index.IndexSummaryCodec;
import dev.loom.io.LoomFile;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Reads runs. One that is missing, damaged, or of another version is simply not there. Holds a file of each level open, and of one run
 * at most twice 64 KiB of directory and 64 KiB of bins. For one thread.
 */
public final class RunReader implements AutoCloseable {
    private static final int BUFFER_LENGTH_MIN = 512;

    private final RunFiles files;
    private final long storeId;
    private final RunChecksum checksum;
    private final OpenFile[] open = new OpenFile[RunShape.LEVELS + 1];

    private final RunDirectoryCodec codec = new RunDirectoryCodec();
    private final BitReader bits = new BitReader();
    private ByteBuffer packed = newBuffer(BUFFER_LENGTH_MIN);
    private final UnsafeBuffer packedView = new UnsafeBuffer(packed);
    /** The directory of the current run. */
    private final ExpandableArrayBuffer view = new ExpandableArrayBuffer(BUFFER_LENGTH_MIN);

    private int directoryLength;
    private ByteBuffer bins = newBuffer(BUFFER_LENGTH_MIN);
    private final UnsafeBuffer binsView = new UnsafeBuffer(bins);
    private int binsLength;

    private int level;
    private long number;
    private int part;
    private int partEnd;
    private long bytesRead;
    private long damaged;
    private boolean strict;

    public RunReader(RunFiles files, long storeId) {
        this.files = files;
        this.storeId = storeId;
        this.checksum = new RunChecksum(storeId);
        for (int i = 1; i < open.length; i++) {
            open[i] = new OpenFile();
        }
    }

    private static ByteBuffer newBuffer(int length) {
        return ByteBuffer.allocate(length).order(RunFileDescriptor.ORDER);
    }

    /** A file of a level; without one if it can't be used. */
    private static final class OpenFile {
        private long fileNumber = -1;
        private @Nullable LoomFile file;
        private @Nullable ByteBuffer head;

        void close() {
            if (file != null) {
                file.close();
            }
            file = null;
            fileNumber = -1;
        }
    }

    /** From now on what the disk can't deliver is a failure, not a run that is not there. */
    public void failUnreadable() {
        strict = true;
    }

    private void failIfStrict(StoreIoException e) {
        if (strict && !(e.getCause() instanceof NoSuchFileException)) {
            refresh();
            throw e;
        }
    }

    /** Moves to a run; false if it is not there, and then there is no current one. */
    public boolean read(int runLevel, long runNumber) {
        directoryLength = 0;
        ByteBuffer head = head(runLevel, runNumber);
        LoomFile file = open[runLevel].file;
        if (file == null || head == null) {
            return false;
        }
        int slot = RunFileDescriptor.SLOTS_OFFSET + RunShape.slot(runNumber) * RunFileDescriptor.SLOT_LENGTH;
        long at = head.getLong(slot);
        int length = head.getInt(slot + RunFileDescriptor.SLOT_LENGTH_OFFSET);
        if (at < RunFileDescriptor.headLength() || length <= 0 || length > RunFileDescriptor.PACKED_LENGTH_MAX) {
            return false;
        }
        if (packed.capacity() < length) {
            packed = newBuffer(Math.max(length, 2 * packed.capacity()));
            packedView.wrap(packed);
        }
        if (!readWhole(file, at, packed, length)
                || checksum.of(runLevel, runNumber, packed, 0, length)
                        != head.getInt(slot + RunFileDescriptor.SLOT_CRC_OFFSET)) {
            damaged++;
            return false;
        }
        level = runLevel;
        number = runNumber;
        try {
            bits.wrap(packedView, 0, length);
            directoryLength = codec.read(bits, runLevel, runNumber, at, view);
            return true;
        } catch (CorruptStoreException e) {
            damaged++;
            return false;
        }
    }

    private void open(OpenFile into, int runLevel, long runNumber) {
        into.close();
        into.fileNumber = RunShape.file(runNumber);
        Path path = files.path(runLevel, runNumber);
        LoomFile file;
        try {
            if (!files.storage().exists(path)) {
                return;
            }
            file = files.storage().openToRead(path);
        } catch (StoreIoException e) {
            failIfStrict(e);
            return;
        }
        into.file = file;
        int length = RunFileDescriptor.headLength();
        ByteBuffer head = into.head == null ? newBuffer(length) : into.head;
        into.head = head;
        ByteBuffer header = RunFileDescriptor.header(storeId, runLevel, runNumber);
        if (!readWhole(file, 0, head, length) || !header.equals(head.duplicate().limit(header.capacity()))) {
            into.file = null;
            file.close();
        }
    }

    /** Reads bytes into a buffer's beginning; false if they are not all there. */
    private boolean readWhole(LoomFile file, long position, ByteBuffer into, int length) {
        into.limit(length).position(0);
        try {
            int read = file.read(into, position);
            bytesRead += read;
            return read == length;
        } catch (StoreIoException e) {
            failIfStrict(e);
            return false;
        } finally {
            into.clear();
        }
    }

    /** Whether a file is one of this store and version that can be read. */
    public boolean isUsable(RunFiles.RunFile file) {
        return file.level() <= RunShape.LEVELS && head(file.level(), file.first()) != null;
    }

    /** Whether a file is one of this store in an older version, whose runs are not there until they are rebuilt. */
    public boolean isOlder(RunFiles.RunFile file) {
        try (LoomFile opened = files.storage().openToRead(file.path())) {
            ByteBuffer header = newBuffer(RunFileDescriptor.SLOTS_OFFSET);
            if (!readWhole(opened, 0, header, RunFileDescriptor.SLOTS_OFFSET)) {
                return false;
            }
            int version = header.getInt(RunFileDescriptor.VERSION_OFFSET);
            header.putInt(RunFileDescriptor.VERSION_OFFSET, RunFileDescriptor.VERSION);
            return version > 0
                    && version < RunFileDescriptor.VERSION
                    && header.limit(RunFileDescriptor.SLOTS_OFFSET)
                            .equals(RunFileDescriptor.header(storeId, file.level(), file.first()));
        } catch (StoreIoException e) {
            return false;
        }
    }

    /** Whether there is something in a run's place, be it damaged. */
    public boolean claims(int runLevel, long runNumber) {
        ByteBuffer head = head(runLevel, runNumber);
        int slot = RunFileDescriptor.SLOTS_OFFSET + RunShape.slot(runNumber) * RunFileDescriptor.SLOT_LENGTH;
        return head != null && (head.getLong(slot) | head.getLong(slot + Long.BYTES)) != 0;
    }

    /** The beginning of the file of a run, with its slots; null if the file can't be used. */
    private @Nullable ByteBuffer head(int runLevel, long runNumber) {
        OpenFile from = open[runLevel];
        if (from.fileNumber != RunShape.file(runNumber)) {
            open(from, runLevel, runNumber);
        }
        return from.file == null ? null : from.head;
    }

    /** Forgets what was read of files that may have grown. */
    public void refresh() {
        for (int i = 1; i < open.length; i++) {
            open[i].close();
        }
        directoryLength = 0;
    }

    public int level() {
        return level;
    }

    public long number() {
        return number;
    }

    /** The address of its first chunk. */
    public long start() {
        return view.getLong(RunFileDescriptor.START_OFFSET, RunFileDescriptor.ORDER);
    }

    /** The address behind its last chunk; the start if it has none. */
    public long end() {
        return view.getLong(RunFileDescriptor.END_OFFSET, RunFileDescriptor.ORDER);
    }

    /** The address, in the timestamp index, of the last part of the last chunk's directory. */
    public long lastEntry() {
        return view.getLong(RunFileDescriptor.LAST_ENTRY_OFFSET, RunFileDescriptor.ORDER);
    }

    /** The number of its chunks. */
    public int chunks() {
        return view.getInt(RunFileDescriptor.CHUNKS_OFFSET, RunFileDescriptor.ORDER);
    }

    /** The number of sources that have records in it. */
    public int sources() {
        return view.getInt(RunFileDescriptor.SOURCES_OFFSET, RunFileDescriptor.ORDER);
    }

    /** Moves to a source; false if it has no record in the run. */
    public boolean find(int sourceId) {
        int low = 0;
        int high = sources() - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            int id = sourceId(middle);
            if (id == sourceId) {
                seek(middle);
                return true;
            }
            low = id < sourceId ? middle + 1 : low;
            high = id > sourceId ? middle - 1 : high;
        }
        return false;
    }

    /** The id of the i-th source, ascending. */
    public int sourceId(int i) {
        return tableInt(i, 0);
    }

    private int tableInt(int i, int offset) {
        return view.getInt(
                RunFileDescriptor.TABLE_OFFSET + i * RunFileDescriptor.TABLE_ENTRY_LENGTH + offset,
                RunFileDescriptor.ORDER);
    }

    /** Moves to the i-th source. */
    public void seek(int i) {
        part = tableInt(i, Integer.BYTES);
        partEnd = i + 1 < sources() ? tableInt(i + 1, Integer.BYTES) : directoryLength;
    }

    private long partLong(int offset) {
        return view.getLong(part + offset, RunFileDescriptor.ORDER);
    }

    private int partInt(int offset) {
        return view.getInt(part + offset, RunFileDescriptor.ORDER);
    }

    /** The number of the source's records. */
    public long records() {
        return partLong(RunFileDescriptor.RECORDS_OFFSET);
    }

    /** Their payload bytes. */
    public long bytes() {
        return partLong(RunFileDescriptor.BYTES_OFFSET);
    }

    /** The arrival time of the first of them. */
    public long firstTimeNs() {
        return partLong(RunFileDescriptor.FIRST_TIME_OFFSET);
    }

    /** The arrival time of the last of them. */
    public long lastTimeNs() {
        return partLong(RunFileDescriptor.LAST_TIME_OFFSET);
    }

    /** The address, in the timestamp index, of the source's directory before the run. */
    public long previousDirectoryAddress() {
        return partLong(RunFileDescriptor.PREVIOUS_OFFSET);
    }

    /** The address of that directory's chunk. */
    public long previousChunkAddress() {
        return partLong(RunFileDescriptor.PREVIOUS_CHUNK_OFFSET);
    }

    /** The number of the run's chunks with the source. */
    public int sourceChunks() {
        return partInt(RunFileDescriptor.SOURCE_CHUNKS_OFFSET);
    }

    /** The number of the source's indexes that all of these list. */
    public int indexes() {
        return partInt(RunFileDescriptor.INDEXES_OFFSET);
    }

    /** The types of the values of indexes; null for those that are not known. */
    @FunctionalInterface
    public interface Types {
        @Nullable
        ValueType of(int indexId);
    }

    /** Receives the totals of indexes. */
    @FunctionalInterface
    public interface SummaryHandler {
        /** Called for each index in turn, with an object that is used again. */
        void onSummary(ValueType type, IndexSummary summary);
    }

    /**
     * Passes the totals of the source's indexes.
     *
     * @throws CorruptStoreException if they are impossible
     */
    public void forEachSummary(Types types, IndexSummary reused, SummaryHandler handler) {
        int at = part + RunFileDescriptor.SUMMARIES_OFFSET;
        long before = beforeBins();
        for (int i = indexes(); i > 0; i--) {
            int lengths = IndexSummaryCodec.lengths(view, at, partEnd);
            ValueType type = types.of(IndexSummaryCodec.indexId(view, at, partEnd, lengths));
            if (type != null) {
                IndexSummaryCodec.read(view, at, partEnd, lengths, type, before, reused);
                handler.onSummary(type, reused);
            }
            before += IndexSummaryCodec.binsDistance(view, at, partEnd, lengths);
            at += IndexSummaryCodec.summaryLength(lengths);
        }
    }

    /**
     * Reads an index's totals over the run.
     *
     * @return false if they are not known
     * @throws CorruptStoreException if they are impossible
     */
    public boolean summary(int indexId, ValueType type, IndexSummary into) {
        int at = part + RunFileDescriptor.SUMMARIES_OFFSET;
        long before = beforeBins();
        for (int i = indexes(); i > 0; i--) {
            int lengths = IndexSummaryCodec.lengths(view, at, partEnd);
            if (IndexSummaryCodec.indexId(view, at, partEnd, lengths) == indexId) {
                IndexSummaryCodec.read(view, at, partEnd, lengths, type, before, into);
                return true;
            }
            before += IndexSummaryCodec.binsDistance(view, at, partEnd, lengths);
            at += IndexSummaryCodec.summaryLength(lengths);
        }
        return false;
    }

    /** What the distance of the first bins is counted from. */
    private long beforeBins() {
        return view.getLong(RunFileDescriptor.BINS_OFFSET, RunFileDescriptor.ORDER) - 1;
    }

    /** Reads the bins of an index whose totals were read; false if there are none, or they are damaged. */
    public boolean readBins(IndexSummary totals) {
        binsLength = 0;
        LoomFile file = open[level].file;
        long address = totals.binsAddress();
        if (address == IndexSummary.NO_BINS || file == null) {
            return false;
        } else if (address < RunFileDescriptor.headLength()) {
            damaged++;
            return false;
        }
        if (readWhole(file, address, bins, RunFileDescriptor.BINS_HEADER_LENGTH)) {
            int length = bins.getInt(0);
            int expected = bins.getInt(Integer.BYTES);
            if (length >= 0 && length <= RunFileDescriptor.LENGTH_MAX) {
                if (bins.capacity() < length) {
                    bins = newBuffer(Math.max(length, Math.min(2 * bins.capacity(), RunFileDescriptor.LENGTH_MAX)));
                    binsView.wrap(bins);
                }
                boolean whole = readWhole(file, address + RunFileDescriptor.BINS_HEADER_LENGTH, bins, length);
                if (whole && checksum.of(level, number, bins, 0, length) == expected) {
                    binsLength = length;
                    return true;
                }
            }
        }
        damaged++;
        return false;
    }

    /** The bins last read, from offset 0 on. */
    public DirectBuffer bins() {
        return binsView;
    }

    public int binsLength() {
        return binsLength;
    }

    /** Bytes read so far. */
    public long bytesRead() {
        return bytesRead;
    }

    /** How often something was damaged. */
    public long damaged() {
        return damaged;
    }

    @Override
    public void close() {
        Arrays.stream(open).skip(1).forEach(OpenFile::close);
    }
}
