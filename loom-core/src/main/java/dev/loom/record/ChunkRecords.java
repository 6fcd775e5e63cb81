package dev.loom.record;

import dev.loom.api.Index;
import dev.loom.format.RecordLookup;
import dev.loom.index.ActiveIndex;
import dev.loom.index.ActiveSummary;
import dev.loom.log.LogKind;
import dev.loom.log.LogView;
import dev.loom.log.PageDescriptor;
import dev.loom.log.PageReader;
import dev.loom.log.PageState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.agrona.collections.Int2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads the records of one chunk after the other, and checks them: their times, their chains within the chunk, and that
 * nothing else is in their pages. Finds what the chunk's directory should say of each source. For one thread.
 */
final class ChunkRecords implements AutoCloseable {
    private final LogView view;
    private final long end;
    private final PageRecords pages;
    private final RecordLookup lookup;
    private final FaultHandler faults;
    private final Int2ObjectHashMap<FoundSource> found = new Int2ObjectHashMap<>();
    private final Int2ObjectHashMap<ActiveSummary> summaries = new Int2ObjectHashMap<>();
    private final Int2ObjectHashMap<ActiveIndex> active = new Int2ObjectHashMap<>();
    private @Nullable PageReader following;

    private long chunkAddress;
    private boolean inPlace;
    private boolean whole;
    private long firstTimeNs;
    private long lastTimeNs;
    /** The time of the last record read, of whatever chunk. */
    private long newestNs = Long.MIN_VALUE;

    private long damagedRecords;
    private long records;

    /** What the records read so far say of one source. */
    static final class FoundSource {
        final int id;
        int records;
        long bytes;
        long firstTimeNs;
        long lastTimeNs;
        long lastRecord;

        @Nullable
        ActiveSummary summary;

        FoundSource(int id) {
            this.id = id;
        }
    }

    ChunkRecords(LogView view, long end, RecordLookup lookup, FaultHandler faults) {
        this.view = view;
        this.end = end;
        this.lookup = lookup;
        this.faults = faults;
        this.pages = new PageRecords(view, end, -1);
    }

    /** Whether a page can be read and continues the chunk of the page before. */
    boolean continues(long pageAddress) {
        return pageAddress < end && pages.read(pageAddress) == PageState.PRESENT && pages.continues();
    }

    /** Whether a page can be read and does not continue the chunk of the page before. */
    boolean beginsChunk(long pageAddress) {
        return pageAddress < end && pages.read(pageAddress) == PageState.PRESENT && !pages.continues();
    }

    /**
     * Begins a chunk.
     *
     * @param inOnePage whether it is known to have one page only
     * @param from false if a part of the chunk before is missing
     */
    void begin(long address, boolean inOnePage, boolean from) {
        chunkAddress = address;
        inPlace = inOnePage;
        whole = from;
        found.clear();
        firstTimeNs = Long.MAX_VALUE;
        lastTimeNs = Long.MIN_VALUE;
    }

    /** Fills indexes of a source from the chunk's records, before any is read. */
    void fill(int sourceId, Collection<Index> indexes) {
        List<ActiveIndex> wanted = new ArrayList<>();
        for (Index index : indexes) {
            if (index.function().isReadable()) {
                wanted.add(active.computeIfAbsent(index.id(), unused -> new ActiveIndex(index, lookup)));
            }
        }
        if (!wanted.isEmpty()) {
            ActiveSummary summary = summaries.computeIfAbsent(sourceId, unused -> new ActiveSummary());
            summary.define(wanted);
            FoundSource source = new FoundSource(sourceId);
            source.summary = summary;
            found.put(sourceId, source);
        }
    }

    /** The index as filled from the chunk's records, or null if it was not or could not be. */
    @Nullable
    ActiveIndex filled(Index index) {
        ActiveIndex filled = active.get(index.id());
        return filled != null && filled.isComplete() ? filled : null;
    }

    /** Reads a page of the chunk. */
    void read(long pageAddress) {
        if (pages.read(pageAddress) != PageState.PRESENT) {
            whole = false;
            return;
        }
        if (pages.baseTimeNs() < newestNs) {
            fault(pageAddress, "time decreases: time=" + pages.baseTimeNs() + ", previous=" + newestNs);
        }
        newestNs = pages.baseTimeNs();
        firstTimeNs = Math.min(firstTimeNs, newestNs);
        while (pages.next()) {
            add();
        }
        lastTimeNs = Math.max(lastTimeNs, newestNs);
        if (pages.damagedRecords() != damagedRecords) {
            damagedRecords = pages.damagedRecords();
            whole = false;
            if (followingReadable(pageAddress)) {
                fault(pageAddress, "record spanning pages is incomplete: page address=" + pageAddress);
            }
        }
        if (pages.malformed() >= 0) {
            whole = false;
            fault(pages.malformed(), "no record begins here: address=" + pages.malformed());
        }
        if (inPlace) {
            found.values().forEach(source -> {
                if (source.summary != null) {
                    source.summary.complete();
                }
            });
        }
    }

    private void add() {
        records++;
        if (pages.timeNs() < newestNs) {
            fault(pages.address(), "time decreases: time=" + pages.timeNs() + ", previous=" + newestNs);
        }
        newestNs = pages.timeNs();
        FoundSource source = found.get(pages.sourceId());
        if (source == null) {
            source = new FoundSource(pages.sourceId());
            found.put(source.id, source);
        }
        long back = source.records == 0 ? 0 : pages.address() - source.lastRecord;
        if (whole && pages.back() != back) {
            fault(
                    pages.address(),
                    "record does not lead to the previous one of its source: source=" + source.id + ", distance="
                            + pages.back() + ", expected=" + back);
        }
        if (source.records++ == 0) {
            source.firstTimeNs = newestNs;
            begin(source);
        }
        source.bytes += pages.length();
        source.lastTimeNs = newestNs;
        source.lastRecord = pages.address();
        fill(source);
    }

    private void begin(FoundSource source) {
        ActiveSummary summary = source.summary;
        if (summary != null) {
            int distance = pages.pageOffset() + RecordDescriptor.HEADER_LENGTH - (int) chunkAddress;
            summary.begin(chunkAddress, distance, Integer.MAX_VALUE);
        }
    }

    private void fill(FoundSource source) {
        ActiveSummary summary = source.summary;
        if (summary != null && inPlace) {
            summary.addInPlace(pages.buffer(), pages.offset(), pages.length());
        } else if (summary != null) {
            summary.add(pages.buffer(), pages.offset(), pages.length(), pages.address());
        }
    }

    /** Whether all pages of the record that goes on after a page can be read. */
    private boolean followingReadable(long pageAddress) {
        PageReader reader = following;
        if (reader == null) {
            reader = new PageReader(view, 1);
            following = reader;
        }
        long next = pageAddress + PageDescriptor.PAGE_LENGTH;
        PageState state = PageState.PRESENT;
        boolean more = true;
        while (more && next < end) {
            state = reader.read(next, end);
            more = state == PageState.PRESENT && PageDescriptor.continues(reader.buffer(), reader.pageOffset());
            next += PageDescriptor.PAGE_LENGTH;
        }
        return state == PageState.PRESENT;
    }

    private void fault(long address, String message) {
        faults.onFault(LogKind.RECORD, address, message);
    }

    /** Whether all pages and records of the chunk could be read. */
    boolean whole() {
        return whole;
    }

    /** The source's records in the chunk, or null if it has none. */
    @Nullable
    FoundSource source(int sourceId) {
        FoundSource source = found.get(sourceId);
        return source != null && source.records > 0 ? source : null;
    }

    /** The sources in the chunk, among them those whose indexes were to be filled. */
    Collection<FoundSource> sources() {
        return found.values();
    }

    /** The time of the chunk's first record. */
    long firstTimeNs() {
        return firstTimeNs;
    }

    /** The time of the chunk's last record. */
    long lastTimeNs() {
        return lastTimeNs;
    }

    /** The number of records read. */
    long records() {
        return records;
    }

    @Override
    public void close() {
        pages.close();
        if (following != null) {
            following.close();
        }
    }
}
