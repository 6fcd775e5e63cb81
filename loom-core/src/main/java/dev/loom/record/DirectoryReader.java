package dev.loom.record;

import dev.loom.api.ValueType;
import dev.loom.error.CorruptStoreException;
import dev.loom.index.IndexSummary;
import dev.loom.index.IndexSummaryCodec;
import dev.loom.log.LogView;
import dev.loom.log.PageReader;
import org.jspecify.annotations.Nullable;

/** Reads what the entries of the timestamp index list: the sources of directories and of checkpoints. For one thread. */
public final class DirectoryReader extends TimeIndexReader {
    private final Varint.Reader varints;
    private final EntryParts parts = EntryParts.forward();

    private int listedRecords;
    private long listedBytes;
    private long listedFirstTimeNs;
    private long listedLastTimeNs;
    private long listedLastRecord;
    private long listedPrevious;
    private int listedIndexes;
    private boolean listedUnchained;
    private @Nullable DirectoryReader following;

    /** @param tail the snapshot's end of the index */
    public DirectoryReader(LogView view, long tail) {
        this(view, tail, PageReader.BLOCK_PAGES);
    }

    /** @param blockPages as for {@link PageReader#PageReader(LogView, int)} */
    DirectoryReader(LogView view, long tail, int blockPages) {
        super(view, tail, blockPages);
        this.varints = new Varint.Reader(buffer);
    }

    /** The number of sources that the current part lists. */
    int listed() {
        return buffer.getShort(entry + TimeEntryDescriptor.SOURCES_OFFSET) & 0xffff;
    }

    private void wrapList() {
        varints.wrap(buffer, entry + TimeEntryDescriptor.LIST_OFFSET, entry + length());
    }

    /** The end address, in the chunk index, of a directory's bins. */
    public long binsEnd() {
        return buffer.getLong(entry + TimeEntryDescriptor.BINS_END_OFFSET);
    }

    /**
     * Looks up a source in a directory part; if found, sets the {@code listed...} values. A part that only continues
     * its indexes does not count.
     */
    public boolean find(int sourceId) {
        if (!isDirectory()) {
            return false;
        }
        wrapList();
        for (int i = listed(); i > 0; i--) {
            if (nextListed() == sourceId && listedRecords > 0) {
                return true;
            }
            varints.offset(indexesEnd());
        }
        return false;
    }

    /**
     * Reads the chunk's summary of an index of the found source.
     *
     * @return false if the directory does not list the index, which may then lack records of the chunk
     */
    public boolean summary(int sourceId, int indexId, ValueType type, IndexSummary into) {
        if (summaryHere(indexId, type, into)) {
            return true;
        }
        // a source's indexes continue in the next part only if it is the last source of this one
        boolean more = !isLastPart() && varints.limit() - indexesEnd() < TimeEntryDescriptor.ALIGNMENT;
        return more && following().goesOn(address(), sourceId) && following().summary(sourceId, indexId, type, into);
    }

    private boolean summaryHere(int indexId, ValueType type, IndexSummary into) {
        int limit = varints.limit();
        int at = varints.offset();
        long before = TimeEntryDescriptor.beforeBins(buffer.getLong(entry + TimeEntryDescriptor.BINS_BEGIN_OFFSET));
        for (int i = listedIndexes; i > 0; i--) {
            int lengths = IndexSummaryCodec.lengths(buffer, at, limit);
            if (IndexSummaryCodec.indexId(buffer, at, limit, lengths) == indexId) {
                IndexSummaryCodec.read(buffer, at, limit, lengths, type, before, into);
                return true;
            }
            before += IndexSummaryCodec.binsDistance(buffer, at, limit, lengths);
            at += IndexSummaryCodec.summaryLength(lengths);
        }
        return false;
    }

    /** The end offset of the indexes of the source read last. */
    private int indexesEnd() {
        int limit = varints.limit();
        int at = varints.offset();
        for (int i = listedIndexes; i > 0; i--) {
            at += IndexSummaryCodec.summaryLength(IndexSummaryCodec.lengths(buffer, at, limit));
        }
        return at;
    }

    private DirectoryReader following() {
        DirectoryReader reader = following;
        if (reader == null) {
            reader = new DirectoryReader(view, tail, 1);
            if (failsUnreadable()) {
                reader.failUnreadable();
            }
            following = reader;
        }
        return reader;
    }

    /** Moves to the part after the one at an address; returns whether it continues the indexes of a source. */
    private boolean goesOn(long partAddress, int sourceId) {
        if (!seek(partAddress) || !isDirectory()) {
            return false;
        }
        parts.beginAt(this);
        if (!next() || !parts.follows(this) || listed() == 0) {
            return false;
        }
        wrapList();
        return nextListed() == sourceId && listedRecords == 0;
    }

    /**
     * Reads the next listed source into the {@code listed...} values, and returns its id. The caller must skip its
     * unread indexes before the next source.
     */
    private int nextListed() {
        int id = nextId();
        listedRecords = (int) varints.next();
        listedBytes = varints.next();
        listedFirstTimeNs = firstTimeNs() + varints.next();
        listedLastTimeNs = lastTimeNs() - varints.next();
        listedLastRecord = chunkAddress() + varints.next() * RecordDescriptor.ALIGNMENT;
        long back = varints.next() * TimeEntryDescriptor.ALIGNMENT;
        listedPrevious = back == 0 ? SourceSlots.NO_DIRECTORY : address() - back;
        listedUnchained = back < 0 || back > address();
        if (listedUnchained) {
            // no entry is at a page's beginning, so a walk of the chain continues entry by entry
            listedPrevious = pageAddress();
        }
        listedIndexes = (int) varints.next();
        return id;
    }

    private int nextId() {
        boolean there = varints.offset() < varints.limit();
        long id = varints.next();
        if (!there || id < 0 || id >= SourceSlots.SOURCES_MAX) {
            throw new CorruptStoreException(
                    "directory lists an impossible source: address=" + address() + ", source id=" + id);
        }
        return (int) id;
    }

    /** Receives the sources that a directory part lists. */
    public interface DirectoryHandler {
        void onListed(int sourceId, int records, long bytes, long firstTimeNs);
    }

    /**
     * Passes every source that the current directory part lists; a source whose indexes merely continue has 0 records.
     */
    public void forEachListed(DirectoryHandler handler) {
        wrapList();
        for (int i = listed(); i > 0; i--) {
            int id = nextListed();
            handler.onListed(id, listedRecords, listedBytes, listedFirstTimeNs);
            varints.offset(indexesEnd());
        }
    }

    /** Receives the whole contents of a directory part. */
    interface PartHandler {
        /** Called for each source in turn; the {@code listed...} values are its own. */
        void onSource(int sourceId);

        /** The type of an index's values; null if it is not known. */
        @Nullable
        ValueType typeOf(int indexId);

        /** Called for each index of a known type of the source named last. The summary is the handler's to keep. */
        void onIndex(IndexSummary summary);
    }

    /**
     * Passes everything that the current directory part lists.
     *
     * @throws CorruptStoreException when it can't be read to its end, that is not where the entry ends, or a field is longer
     *     than its value
     */
    void forEachEntry(PartHandler handler) {
        wrapList();
        for (int i = listed(); i > 0; i--) {
            handler.onSource(nextListed());
            int limit = varints.limit();
            int at = varints.offset();
            long before = TimeEntryDescriptor.beforeBins(buffer.getLong(entry + TimeEntryDescriptor.BINS_BEGIN_OFFSET));
            for (int j = listedIndexes; j > 0; j--) {
                int lengths = IndexSummaryCodec.lengths(buffer, at, limit);
                IndexSummaryCodec.checkForm(buffer, at, limit, lengths);
                ValueType type = handler.typeOf(IndexSummaryCodec.indexId(buffer, at, limit, lengths));
                if (type != null) {
                    IndexSummary summary = new IndexSummary();
                    IndexSummaryCodec.read(buffer, at, limit, lengths, type, before, summary);
                    handler.onIndex(summary);
                }
                before += IndexSummaryCodec.binsDistance(buffer, at, limit, lengths);
                at += IndexSummaryCodec.summaryLength(lengths);
            }
            varints.offset(at);
        }
        checkEnd();
    }

    /**
     * Checks that what was listed last is followed by the entry's padding alone.
     *
     * @throws CorruptStoreException when it is not
     */
    void checkEnd() {
        boolean padding = varints.limit() - varints.offset() < TimeEntryDescriptor.ALIGNMENT;
        for (int at = varints.offset(); padding && at < varints.limit(); at++) {
            padding = buffer.getByte(at) == 0;
        }
        if (!padding) {
            throw new CorruptStoreException(
                    "entry has more than it lists: address=" + address() + ", sources=" + listed());
        }
    }

    /** Where a directory's bins begin in the chunk index. */
    long binsBegin() {
        return buffer.getLong(entry + TimeEntryDescriptor.BINS_BEGIN_OFFSET);
    }

    /** The address of the checkpoint before the current one, or -1. */
    long previousCheckpoint() {
        return buffer.getLong(entry + TimeEntryDescriptor.PREVIOUS_CHECKPOINT_OFFSET);
    }

    /** Receives the sources that a checkpoint part lists. */
    interface CheckpointHandler {
        void onSource(int sourceId, long directoryAddress, long records, long bytes, long lost, long firstTimeNs);
    }

    /** Passes every source that the current checkpoint part lists. */
    void forEachCheckpointed(CheckpointHandler handler) {
        wrapList();
        for (int i = listed(); i > 0; i--) {
            int id = nextId();
            long directoryAddress = varints.next() - 1;
            handler.onSource(id, directoryAddress, varints.next(), varints.next(), varints.next(), varints.next());
        }
    }

    /** Looks up a source in the current checkpoint part; if absent, returns false and sets nothing. */
    boolean findCheckpointed(int sourceId, SourceTotals into) {
        wrapList();
        for (int i = listed(); i > 0; i--) {
            int id = (int) varints.next();
            long directoryAddress = varints.next() - 1;
            long records = varints.next();
            long bytes = varints.next();
            varints.next();
            long firstNs = varints.next();
            if (id == sourceId) {
                into.directoryAddress = directoryAddress;
                into.records = records;
                into.bytes = bytes;
                into.firstTimeNs = firstNs;
                return true;
            }
        }
        return false;
    }

    /** The number of records of the found source in the chunk. */
    public int listedRecords() {
        return listedRecords;
    }

    /** Payload bytes of the found source in the chunk. */
    public long listedBytes() {
        return listedBytes;
    }

    public long listedFirstTimeNs() {
        return listedFirstTimeNs;
    }

    public long listedLastTimeNs() {
        return listedLastTimeNs;
    }

    /** Address of the found source's last record in the chunk. */
    public long listedLastRecord() {
        return listedLastRecord;
    }

    /** Whether the found source's previous entry is at an impossible address. */
    boolean listedUnchained() {
        return listedUnchained;
    }

    /** The address of the previous entry that lists the found source, or {@link SourceSlots#NO_DIRECTORY}. */
    public long listedPrevious() {
        return listedPrevious;
    }

    @Override
    public long bytesRead() {
        DirectoryReader reader = following;
        return super.bytesRead() + (reader == null ? 0 : reader.bytesRead());
    }

    @Override
    public void close() {
        super.close();
        DirectoryReader reader = following;
        if (reader != null) {
            reader.close();
        }
    }
}
