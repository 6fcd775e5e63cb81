package dev.loom.record;

import dev.loom.api.Index;
import dev.loom.api.ValueType;
import dev.loom.error.CorruptStoreException;
import dev.loom.index.IndexSummary;
import dev.loom.log.LogKind;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** What a directory says, all parts together. Reused; for one thread. */
public final class ListedChunk implements DirectoryReader.PartHandler {
    private final IntFunction<@Nullable Index> indexes;
    private final IntPredicate lost;
    private final FaultHandler faults;
    private final Map<Integer, ListedSource> sources = new LinkedHashMap<>();
    private @Nullable DirectoryReader reader;
    private @Nullable ListedSource last;

    private long address;
    private long chunkAddress;
    private long chunkEnd;
    private long firstTimeNs;
    private long lastTimeNs;
    private long binsBegin;
    private long binsEnd;
    private boolean complete;

    /**
     * A source as listed.
     *
     * @param part the address of the first part that lists it
     * @param previous the address of the previous entry that lists it
     */
    public record ListedSource(
            int id,
            long part,
            int records,
            long bytes,
            long firstTimeNs,
            long lastTimeNs,
            long lastRecord,
            long previous,
            boolean unchained,
            List<ListedIndex> indexes) {}

    /** An index as listed in a part. */
    public record ListedIndex(long part, Index index, IndexSummary summary) {}

    /**
     * Makes a reader of directories.
     *
     * @param indexes the index by its id; null if it is not known
     * @param lost whether definitions of a source and its indexes may be lost; else an index that is not known is a fault
     */
    ListedChunk(IntFunction<@Nullable Index> indexes, IntPredicate lost, FaultHandler faults) {
        this.indexes = indexes;
        this.lost = lost;
        this.faults = faults;
    }

    /**
     * Adds the part that a reader stands on; a first part begins another directory.
     *
     * @throws CorruptStoreException when it can't be read to its end
     */
    void add(DirectoryReader part) {
        if (part.isFirstPart()) {
            sources.clear();
            last = null;
            complete = true;
            address = part.address();
            chunkAddress = part.chunkAddress();
            chunkEnd = part.chunkEnd();
            firstTimeNs = part.firstTimeNs();
            lastTimeNs = part.lastTimeNs();
            binsBegin = part.binsBegin();
            binsEnd = part.binsEnd();
        } else if (part.chunkEnd() != chunkEnd
                || part.firstTimeNs() != firstTimeNs
                || part.lastTimeNs() != lastTimeNs
                || part.binsBegin() != binsBegin
                || part.binsEnd() != binsEnd) {
            fault(part.address(), "differs from its first part: address=" + address);
        }
        reader = part;
        part.forEachEntry(this);
    }

    @Override
    public void onSource(int sourceId) {
        DirectoryReader part = reader();
        ListedSource before = sources.get(sourceId);
        if (part.listedRecords() > 0) {
            if (before != null) {
                fault(part.address(), "lists a source twice: source=" + sourceId);
            }
            last = new ListedSource(
                    sourceId,
                    part.address(),
                    part.listedRecords(),
                    part.listedBytes(),
                    part.listedFirstTimeNs(),
                    part.listedLastTimeNs(),
                    part.listedLastRecord(),
                    part.listedPrevious(),
                    part.listedUnchained(),
                    new ArrayList<>(0));
            sources.put(sourceId, last);
            return;
        }
        boolean goesOn = before != null
                && last != null
                && before.id == last.id
                && part.listedRecords() == 0
                && before.bytes == part.listedBytes()
                && before.firstTimeNs == part.listedFirstTimeNs()
                && before.lastTimeNs == part.listedLastTimeNs()
                && before.lastRecord == part.listedLastRecord()
                && before.part == part.listedPrevious();
        if (!goesOn) {
            fault(part.address(), "lists a source without records: source=" + sourceId);
        }
        last = before;
    }

    @Override
    public @Nullable ValueType typeOf(int indexId) {
        Index index = indexes.apply(indexId);
        if (index == null) {
            complete = false;
            if (indexId < 1 || (last != null && !lost.test(last.id))) {
                fault(reader().address(), "lists an index that nothing defines: index=" + indexId);
            }
            return null;
        }
        return index.function().type();
    }

    @Override
    public void onIndex(IndexSummary summary) {
        ListedSource source = last;
        Index index = indexes.apply(summary.indexId());
        if (source == null || index == null) {
            return;
        }
        if (index.sourceId() != source.id) {
            fault(
                    reader().address(),
                    "lists an index of another source: source=" + source.id + ", index=" + index.id());
            return;
        }
        source.indexes.add(new ListedIndex(reader().address(), index, summary));
    }

    private DirectoryReader reader() {
        DirectoryReader current = reader;
        if (current == null) {
            throw new IllegalStateException("no part was added");
        }
        return current;
    }

    /** Reports what is wrong with the directory. */
    void fault(long part, String what) {
        faults.onFault(
                LogKind.TIME, part, "directory differs from its chunk: chunk address=" + chunkAddress + "; it " + what);
    }

    @Nullable
    ListedSource source(int sourceId) {
        return sources.get(sourceId);
    }

    Collection<ListedSource> sources() {
        return sources.values();
    }

    /** Whether all indexes that it lists are known. */
    boolean complete() {
        return complete;
    }

    /** The address of its first part. */
    long address() {
        return address;
    }

    long chunkAddress() {
        return chunkAddress;
    }

    long chunkEnd() {
        return chunkEnd;
    }

    long firstTimeNs() {
        return firstTimeNs;
    }

    long lastTimeNs() {
        return lastTimeNs;
    }

    long binsBegin() {
        return binsBegin;
    }

    long binsEnd() {
        return binsEnd;
    }
}
