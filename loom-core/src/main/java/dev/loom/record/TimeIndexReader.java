package dev.loom.record;

import dev.loom.log.LogView;
import dev.loom.log.PageDescriptor;
import dev.loom.log.PageReader;
import dev.loom.log.PageState;
import dev.loom.log.Watermarks;
import java.util.Arrays;
import java.util.function.LongConsumer;
import org.agrona.collections.LongHashSet;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Moves over the entries of the timestamp index, to an address or sequentially in either direction. Skips damaged pages,
 * and the gap of an index that is being rebuilt; callers that care compare the chunks' addresses. For one thread.
 */
abstract class TimeIndexReader implements AutoCloseable {
    private static final int ENTRIES_MAX =
            (PageDescriptor.PAGE_LENGTH - PageDescriptor.HEADER_LENGTH) / TimeEntryDescriptor.LIST_OFFSET;

    final LogView view;
    private final long begin;
    private final long gapBegin;
    private final long gapEnd;
    final long tail;
    private final PageReader pages;
    private final int[] offsets = new int[ENTRIES_MAX];

    /** Empty unless the index is damaged. */
    private final LongHashSet rejected = new LongHashSet();

    private boolean strict;
    private long unreadable;
    private long undelivered;
    private LongConsumer malformed = address -> {};
    private long pageAddress = -1;
    private int entries;
    private int current;
    /** Holds the current entry at {@link #entry}. */
    UnsafeBuffer buffer;

    int entry;

    private int length;
    private byte type;
    private byte flags;
    private long chunkAddress;
    private int chunkPages;
    private long firstTimeNs;
    private long lastTimeNs;

    /**
     * Makes a reader.
     *
     * @param tail the snapshot's end of the index
     * @param blockPages as for {@link PageReader#PageReader(LogView, int)}
     */
    TimeIndexReader(LogView view, long tail, int blockPages) {
        this.view = view;
        this.pages = new PageReader(view, blockPages);
        Watermarks watermarks = view.watermarks();
        this.begin = watermarks.beginAcquire();
        this.gapBegin = watermarks.gapBeginAcquire();
        this.gapEnd = watermarks.gapEnd();
        this.tail = tail;
        this.buffer = pages.buffer();
    }

    /** From now on a page that the disk can't deliver is a failure, not damage to skip. */
    final void failUnreadable() {
        strict = true;
    }

    /** From now on reports the addresses of what is no entry in pages that are intact. */
    final void onMalformed(LongConsumer handler) {
        malformed = handler;
    }

    /** The number of pages passed over so far because they can't be read. */
    final long unreadable() {
        return unreadable;
    }

    /** The number of those that the disk did not deliver, and may deliver later. */
    public final long undelivered() {
        return undelivered;
    }

    /** Whether a page that the disk can't deliver is a failure. */
    final boolean failsUnreadable() {
        return strict;
    }

    /** The epoch of the current entry's page. */
    final int epoch() {
        return PageDescriptor.epoch(buffer, pages.pageOffset());
    }

    /** Whether what precedes the index's first entry may have been deleted. */
    final boolean cutAtBegin() {
        return begin > 0;
    }

    /** Whether the current entry is the first of its page. */
    final boolean beginsPage() {
        return offsets[current] == PageDescriptor.HEADER_LENGTH;
    }

    /** Whether there is a gap below the end. */
    final boolean hasGap() {
        return gapBegin < gapEnd && gapEnd <= tail && begin < gapEnd;
    }

    /** Whether an address lies in the gap; a walk that arrives there continues with {@link #toGap()}. */
    final boolean inGap(long address) {
        return address >= gapBegin && address < gapEnd;
    }

    /**
     * Entries before the gap describe records below this address, those after it records from here on. The former, once
     * complete, end with a checkpoint that ends here.
     */
    final long rebuildTo() {
        return view.watermarks().rebuildTo();
    }

    /** Moves after the last entry before the gap; the next move must be to the previous one. */
    final void toGap() {
        pageAddress = gapEnd;
        entries = 0;
        current = -1;
    }

    /** Moves before the first entry after the gap. */
    final void toGapEnd() {
        pageAddress = gapBegin - PageDescriptor.PAGE_LENGTH;
        entries = 0;
        current = 0;
    }

    private long pageAfter(long address) {
        long after = address + PageDescriptor.PAGE_LENGTH;
        return inGap(after) ? gapEnd : after;
    }

    private long pageBefore(long address) {
        long before = address - PageDescriptor.PAGE_LENGTH;
        return inGap(before) ? gapBegin - PageDescriptor.PAGE_LENGTH : before;
    }

    /** Moves before the first entry. */
    public final void toBegin() {
        pageAddress = begin - PageDescriptor.PAGE_LENGTH;
        entries = 0;
        current = 0;
    }

    /** Moves after the last entry. */
    public final void toEnd() {
        pageAddress = PageDescriptor.pageAddress(tail + PageDescriptor.PAGE_LENGTH - 1);
        entries = 0;
        current = -1;
    }

    /** Moves to the next entry; false after the last. */
    public final boolean next() {
        current++;
        while (current >= entries) {
            long after = pageAfter(pageAddress);
            if (after >= tail) {
                current = entries;
                return false;
            }
            load(after);
            current = 0;
        }
        place();
        return true;
    }

    /** Moves to the previous entry; false before the first. */
    public final boolean previous() {
        current--;
        while (current < 0) {
            long before = pageBefore(pageAddress);
            if (before < begin) {
                current = -1;
                return false;
            }
            load(before);
            current = entries - 1;
        }
        place();
        return true;
    }

    /** Moves to the entry at an address. False if it can't be read; the position is then lost. */
    public final boolean seek(long address) {
        if (address < begin || address >= tail || inGap(address)) {
            return false;
        }
        load(PageDescriptor.pageAddress(address));
        int offset = PageDescriptor.offsetInPage(address);
        // a source's directories are usually adjacent
        boolean before = current > 0 && current <= entries && offsets[current - 1] == offset;
        int found = before ? current - 1 : Arrays.binarySearch(offsets, 0, entries, offset);
        if (found < 0) {
            current = entries;
            return false;
        }
        current = found;
        place();
        return true;
    }

    /**
     * Moves to the last entry whose chunk begins before a time, by binary search over the pages.
     *
     * @return false if there is none; the position is then before the first entry
     */
    public final boolean seekBefore(long timeNs) {
        return seekBefore(timeNs, false);
    }

    /** As {@link #seekBefore}, to the last entry whose chunk, or what a checkpoint counts, has a lower address. */
    final boolean seekBelow(long recordAddress) {
        return seekBefore(recordAddress, true);
    }

    /** @param byAddress whether entries are distinguished by their chunks' addresses instead of their times */
    private boolean seekBefore(long limit, boolean byAddress) {
        long low = begin;
        long high = withoutGap(PageDescriptor.pageAddress(tail + PageDescriptor.PAGE_LENGTH - 1));
        while (high - low > PageDescriptor.PAGE_LENGTH) {
            long middle = PageDescriptor.pageAddress((low + high) >>> 1);
            long good = middle;
            load(withGap(good));
            while (entries == 0 && good - PageDescriptor.PAGE_LENGTH > low) {
                good -= PageDescriptor.PAGE_LENGTH;
                load(withGap(good));
            }
            if (entries == 0) {
                low = middle;
            } else if ((byAddress ? baseAddress() : baseTimeNs()) < limit) {
                low = middle;
            } else {
                high = good;
            }
        }
        pageAddress = withGap(high);
        entries = 0;
        current = -1;
        while (previous()) {
            if ((byAddress ? chunkAddress() : firstTimeNs()) < limit) {
                return true;
            }
        }
        return false;
    }

    /** Maps an address to one without the gap, for binary search. */
    private long withoutGap(long address) {
        return address >= gapEnd ? address - (gapEnd - gapBegin) : address;
    }

    private long withGap(long address) {
        return address >= gapBegin ? address + (gapEnd - gapBegin) : address;
    }

    /** The base time of the current page. */
    final long baseTimeNs() {
        return PageDescriptor.baseTimeNs(buffer, pages.pageOffset());
    }

    private long baseAddress() {
        return PageDescriptor.baseAddress(buffer, pages.pageOffset());
    }

    private void load(long address) {
        if (address == pageAddress && entries > 0) {
            return;
        }
        pageAddress = address;
        entries = 0;
        if (pages.read(address, tail) != PageState.PRESENT) {
            if (strict) {
                pages.checkReadable();
            }
            unreadable++;
            undelivered += pages.failed() ? 1 : 0;
            return;
        }
        buffer = pages.buffer();
        int used = pages.used();
        int offset = PageDescriptor.HEADER_LENGTH;
        while (offset + TimeEntryDescriptor.LIST_OFFSET <= used) {
            int length = buffer.getInt(pages.pageOffset() + offset + TimeEntryDescriptor.LENGTH_OFFSET);
            if (length < TimeEntryDescriptor.LIST_OFFSET
                    || length % TimeEntryDescriptor.ALIGNMENT != 0
                    || length > used - offset) {
                break;
            }
            if (!possible(pages.pageOffset() + offset)) {
                reportImpossible(offset);
            } else if (rejected.isEmpty() || !rejected.contains(address + offset)) {
                offsets[entries++] = offset;
            }
            offset += length;
        }
        if (offset < used) {
            malformed.accept(address + offset);
        }
    }

    /** What a page of a later format has may be of a type that is not known here. */
    private void reportImpossible(int offset) {
        if (PageDescriptor.minor(buffer, pages.pageOffset()) <= PageDescriptor.MINOR) {
            malformed.accept(pageAddress + offset);
        }
    }

    /**
     * Rejects the current entry, whose contents are impossible, as if it did not exist; the next move starts from its
     * place.
     *
     * @param forward whether the next move is to the following entry, rather than the previous one
     */
    final void reject(boolean forward) {
        rejected.add(address());
        System.arraycopy(offsets, current + 1, offsets, current, entries - current - 1);
        entries--;
        current -= forward ? 1 : 0;
    }

    /** The number of rejected entries. */
    final int rejected() {
        return rejected.size();
    }

    /** Whether an entry's contents are possible; others are treated as absent. */
    private boolean possible(int at) {
        byte typeAt = buffer.getByte(at + TimeEntryDescriptor.TYPE_OFFSET);
        int chunkPagesAt = buffer.getInt(at + TimeEntryDescriptor.PAGES_OFFSET);
        boolean listable = typeAt == TimeEntryDescriptor.CHECKPOINT
                || (typeAt == TimeEntryDescriptor.DIRECTORY
                        && chunkPagesAt > 0
                        && chunkPagesAt <= RecordDescriptor.CHUNK_PAGES_MAX);
        return listable && PageDescriptor.isPage(buffer.getLong(at + TimeEntryDescriptor.ADDRESS_OFFSET));
    }

    /** Reads an entry's header once, since walks use it several times. */
    private void place() {
        entry = pages.pageOffset() + offsets[current];
        length = buffer.getInt(entry + TimeEntryDescriptor.LENGTH_OFFSET);
        type = buffer.getByte(entry + TimeEntryDescriptor.TYPE_OFFSET);
        flags = buffer.getByte(entry + TimeEntryDescriptor.FLAGS_OFFSET);
        chunkAddress = buffer.getLong(entry + TimeEntryDescriptor.ADDRESS_OFFSET);
        chunkPages = buffer.getInt(entry + TimeEntryDescriptor.PAGES_OFFSET);
        firstTimeNs = buffer.getLong(entry + TimeEntryDescriptor.FIRST_TIME_OFFSET);
        lastTimeNs = buffer.getLong(entry + TimeEntryDescriptor.LAST_TIME_OFFSET);
    }

    /** The current entry's address. */
    public final long address() {
        return pageAddress + offsets[current];
    }

    /** Bytes of the current entry. */
    public final int length() {
        return length;
    }

    public final boolean isDirectory() {
        return type == TimeEntryDescriptor.DIRECTORY;
    }

    public final boolean isCheckpoint() {
        return type == TimeEntryDescriptor.CHECKPOINT;
    }

    /** Whether it is the last part of its directory or checkpoint. */
    public final boolean isLastPart() {
        return (flags & TimeEntryDescriptor.FLAG_LAST) != 0;
    }

    /** Whether it is the first part. */
    public final boolean isFirstPart() {
        return (flags & TimeEntryDescriptor.FLAG_FIRST) != 0;
    }

    /** The chunk's address for a directory; the address below which all is counted for a checkpoint. */
    public final long chunkAddress() {
        return chunkAddress;
    }

    /** The number of a directory's chunk's pages. */
    public final int chunkPages() {
        return chunkPages;
    }

    /** The chunk's end address. */
    public final long chunkEnd() {
        return chunkAddress + (long) chunkPages * PageDescriptor.PAGE_LENGTH;
    }

    /** The number of this part of a directory or checkpoint. */
    final long part() {
        return isDirectory()
                ? buffer.getInt(entry + TimeEntryDescriptor.DIRECTORY_PART_OFFSET)
                : buffer.getLong(entry + TimeEntryDescriptor.CHECKPOINT_PART_OFFSET);
    }

    /** The time of the chunk's first record; for a checkpoint, of the last record below it. */
    public final long firstTimeNs() {
        return firstTimeNs;
    }

    /** The time of a directory's chunk's last record. */
    public final long lastTimeNs() {
        return lastTimeNs;
    }

    /** The address of the current entry's page, where no entry begins. */
    final long pageAddress() {
        return pageAddress;
    }

    /** Bytes copied or read so far. */
    public long bytesRead() {
        return pages.bytesRead();
    }

    @Override
    public void close() {
        pages.close();
    }
}
