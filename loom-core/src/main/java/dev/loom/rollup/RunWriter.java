package dev.loom.rollup;

import dev.loom.api.ValueType;
import dev.loom.error.StoreIoException;
import dev.loom.index.IndexSummary;
import dev.loom.index.IndexSummaryCodec;
import dev.loom.io.LoomFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.function.LongPredicate;
import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Writes runs, each in three steps: the bins of all indexes, then sources with their indexes' totals in the order of their ids, then the
 * whole. Holds one run. For one thread.
 */
public final class RunWriter implements AutoCloseable {
    /** The most bytes of an index's bins. */
    public static final int BINS_LENGTH_MAX = RunFileDescriptor.LENGTH_MAX;

    private final RunFiles files;
    private final long storeId;
    private final RunChecksum checksum;

    private ByteBuffer bytes = ByteBuffer.allocate(64 << 10).order(RunFileDescriptor.ORDER);
    private final UnsafeBuffer view = new UnsafeBuffer(bytes);
    private int level;
    private long number;
    private final Set<Path> written = new HashSet<>();
    private Path path = Path.of("");
    private @Nullable LoomFile file;
    private boolean isNew;
    /** What the file takes of the disk. */
    private long taken;

    private long at;
    private int length;
    private int directoryOffset;
    /** The bytes of the directory in memory. */
    private int directoryLength;

    private final RunDirectoryCodec packed = new RunDirectoryCodec();
    private final ExpandableArrayBuffer encoded = new ExpandableArrayBuffer();
    private int source;
    private long before;

    public RunWriter(RunFiles files, long storeId) {
        this.files = files;
        this.storeId = storeId;
        this.checksum = new RunChecksum(storeId);
    }

    /** Begins a run; an earlier one that was not finished is forgotten. */
    public void begin(int runLevel, long runNumber) {
        close();
        level = runLevel;
        number = runNumber;
        path = files.path(runLevel, runNumber);
        at = RunFileDescriptor.headLength();
        isNew = !files.storage().exists(path);
        taken = 0;
        if (!isNew) {
            open();
        }
        length = 0;
        directoryOffset = -1;
    }

    /** Opens the file that exists; one that is damaged will be begun again, and one whose head can't be read makes way for another. */
    private void open() {
        LoomFile opened = files.storage().openToWrite(path, false);
        file = opened;
        ByteBuffer header = ByteBuffer.allocate(RunFileDescriptor.SLOTS_OFFSET);
        long size = opened.size();
        try {
            opened.read(header, 0);
        } catch (StoreIoException e) {
            close();
            files.storage().delete(path);
            files.count(-RunFiles.taken(size));
            written.remove(path);
            isNew = true;
            return;
        }
        taken = RunFiles.taken(size);
        if (size < at || !header.flip().equals(RunFileDescriptor.header(storeId, level, number))) {
            isNew = true;
        } else {
            at = size;
        }
    }

    private void require(int more) {
        if (bytes.capacity() - length < more) {
            ByteBuffer larger = ByteBuffer.allocate(Math.max(2 * bytes.capacity(), length + more))
                    .order(RunFileDescriptor.ORDER);
            larger.put(0, bytes, 0, length);
            bytes = larger;
            view.wrap(larger);
        }
    }

    /**
     * Adds the bins of an index.
     *
     * @return their address, or {@link IndexSummary#NO_BINS} if they are too long
     */
    public long addBins(DirectBuffer source, int binsLength) {
        if (binsLength > BINS_LENGTH_MAX) {
            return IndexSummary.NO_BINS;
        }
        require(RunFileDescriptor.BINS_HEADER_LENGTH + binsLength);
        int from = length + RunFileDescriptor.BINS_HEADER_LENGTH;
        view.putBytes(from, source, 0, binsLength);
        bytes.putInt(length, binsLength);
        bytes.putInt(length + Integer.BYTES, checksum.of(level, number, bytes, from, binsLength));
        long address = at + length;
        length = from + binsLength;
        return address;
    }

    /**
     * Begins the directory.
     *
     * @param lastEntry the address, in the timestamp index, of the last part of the last chunk's directory
     * @param sourceCount the number of sources that will be added
     */
    public void beginDirectory(long start, long end, long lastEntry, int chunks, int sourceCount) {
        directoryOffset = length;
        directoryLength = RunFileDescriptor.TABLE_OFFSET + sourceCount * RunFileDescriptor.TABLE_ENTRY_LENGTH;
        packed.begin(encoded, 0, level, number, start, end, lastEntry, length, chunks, sourceCount);
        source = -1;
    }

    /** Adds a source, with a higher id than the one before. */
    public void addSource(
            int id,
            long records,
            long payloadBytes,
            long firstTimeNs,
            long lastTimeNs,
            long previousDirectoryAddress,
            long previousChunkAddress,
            int chunks) {
        if (id <= source) {
            throw new IllegalArgumentException("sources must ascend: id=" + id + ", before=" + source);
        }
        packed.addSource(
                id,
                records,
                payloadBytes,
                firstTimeNs,
                lastTimeNs,
                previousDirectoryAddress,
                previousChunkAddress,
                chunks);
        directoryLength += RunFileDescriptor.SUMMARIES_OFFSET;
        before = at - 1;
        source = id;
    }

    /** Adds the totals of an index of the source added last; its bins, if it has any, lie behind those of the indexes before. */
    public void addSummary(IndexSummary totals, ValueType type) {
        int offset = packed.totalsLength();
        int end = IndexSummaryCodec.write(totals, type, before, packed.totals(), offset);
        packed.addedTotals(end);
        directoryLength += end - offset;
        before = totals.binsAddress() == IndexSummary.NO_BINS ? before : totals.binsAddress();
    }

    /** Whether the directory is short enough for readers. */
    public boolean fits() {
        return directoryLength <= RunFileDescriptor.LENGTH_MAX;
    }

    /**
     * Writes the run, which readers then find.
     *
     * @param room whether files may take this number of bytes more
     * @return false if there is no room
     */
    public boolean finish(LongPredicate room) {
        if (!fits()) {
            throw new IllegalStateException("run can't be written: level=" + level + ", number=" + number
                    + ", directory bytes=" + directoryLength + ", max=" + RunFileDescriptor.LENGTH_MAX);
        }
        int packedLength = packed.finish();
        require(packedLength);
        view.putBytes(directoryOffset, encoded, 0, packedLength);
        length = directoryOffset + packedLength;
        long more = RunFiles.taken(at + length) - taken;
        if (!room.test(more)) {
            return false;
        }
        files.count(more);
        boolean whole = false;
        try {
            write();
            whole = true;
        } finally {
            if (!whole) {
                files.count(takenNow() - taken - more);
            }
        }
        close();
        return true;
    }

    /** What the file takes after a write that failed half way; if its length can't be read, as much as it would take if the write had succeeded. */
    private long takenNow() {
        LoomFile opened = file;
        if (opened == null) {
            return taken;
        }
        try {
            return RunFiles.taken(opened.size());
        } catch (StoreIoException e) {
            return RunFiles.taken(at + length);
        }
    }

    private void write() {
        LoomFile target = file;
        if (target == null) {
            files.storage().createDirectory(files.folder());
            target = files.storage().openToWrite(path, false);
            file = target;
        }
        written.add(path);
        if (isNew) {
            if (taken > 0) {
                target.truncate(0);
            }
            writeHead(target);
        }
        bytes.limit(length).position(0);
        target.write(bytes, at);
        bytes.clear();
        ByteBuffer slot = ByteBuffer.allocate(RunFileDescriptor.SLOT_LENGTH).order(RunFileDescriptor.ORDER);
        slot.putLong(at + directoryOffset)
                .putInt(length - directoryOffset)
                .putInt(checksum.of(level, number, bytes, directoryOffset, length - directoryOffset));
        target.write(
                slot.flip(),
                RunFileDescriptor.SLOTS_OFFSET + (long) RunShape.slot(number) * RunFileDescriptor.SLOT_LENGTH);
    }

    private void writeHead(LoomFile target) {
        ByteBuffer head = ByteBuffer.allocate(RunFileDescriptor.headLength()).order(RunFileDescriptor.ORDER);
        head.put(0, RunFileDescriptor.header(storeId, level, number), 0, RunFileDescriptor.SLOTS_OFFSET);
        target.write(head, 0);
    }

    /** Makes all runs that were written durable. Until then a power cut may leave anything in their files. */
    public void sync() {
        files.sync(written);
        written.clear();
    }

    /** Forgets a run that was begun; another can be. */
    @Override
    public void close() {
        LoomFile opened = file;
        file = null;
        if (opened != null) {
            opened.close();
        }
    }
}
