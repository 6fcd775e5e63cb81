package dev.loom.record;

import dev.loom.log.LogView;
import dev.loom.log.PageDescriptor;
import dev.loom.log.PageReader;
import dev.loom.log.PageState;
import dev.loom.value.RecordBatch;
import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Reads records of one source page by page, one record at a time. A payload is read in place; a jumbo is assembled in a
 * separate buffer. For one thread.
 */
public final class PageRecords implements AutoCloseable {
    /** In place of a fragment's length if the log was cut before it. */
    private static final int CUT = -1;

    /** Stands for a fragment whose page was deleted. */
    private static final int EXPIRED = -2;

    private final PageReader pages;
    private final LogView view;
    private long tail;
    private final int sourceId;

    private UnsafeBuffer buffer;
    private long pageAddress = -1;
    private int pageOffset;
    private int used;
    private long baseTimeNs;
    private int epoch;
    private int next;
    private int malformed;

    private long address;
    private long timeNs;
    private long back;
    private int currentSourceId;
    private @Nullable PageReader fragments;
    private @Nullable ExpandableArrayBuffer jumbo;
    private boolean jumboCurrent;
    private int payloadOffset;
    private int payloadLength;
    private long damagedRecords;
    private boolean expired;
    private boolean insists;
    private boolean undelivered;

    /** @param sourceId the source to read, or -1 for all sources */
    public PageRecords(LogView view, long tail, int sourceId) {
        this(view, tail, sourceId, PageReader.BLOCK_PAGES);
    }

    /** @param blockPages as for {@link PageReader#PageReader(LogView, int)} */
    public PageRecords(LogView view, long tail, int sourceId, int blockPages) {
        this.view = view;
        this.pages = new PageReader(view, blockPages);
        this.tail = tail;
        this.sourceId = sourceId;
        this.buffer = pages.buffer();
    }

    /** Extends the end of the log, to one no lower than before. */
    void extend(long newTail) {
        tail = newTail;
    }

    /** From now on asks again for what the disk does not deliver, as {@link PageReader#readInsistently}. */
    void insist() {
        insists = true;
    }

    /** Whether the disk has not delivered the page read last, or one that a record met in it goes on in, and may deliver it later. */
    boolean undelivered() {
        return undelivered;
    }

    private PageState read(PageReader reader, long wanted) {
        PageState state = insists ? reader.readInsistently(wanted, tail) : reader.read(wanted, tail);
        undelivered |= reader.failed() || (insists && state == PageState.DAMAGED && view.hasFiller(wanted));
        return state;
    }

    /** Reads a page, and moves before its first record. */
    public PageState read(long newPageAddress) {
        undelivered = false;
        PageState state = read(pages, newPageAddress);
        if (state == PageState.PRESENT) {
            pageAddress = newPageAddress;
            buffer = pages.buffer();
            pageOffset = pages.pageOffset();
            used = pages.used();
            baseTimeNs = PageDescriptor.baseTimeNs(buffer, pageOffset);
            epoch = PageDescriptor.epoch(buffer, pageOffset);
            next = PageDescriptor.HEADER_LENGTH;
            malformed = 0;
        } else {
            pageAddress = -1;
        }
        return state;
    }

    /** Moves to the source's next record that begins in the page; false after the last. */
    public boolean next() {
        while (next + RecordDescriptor.HEADER_LENGTH <= used) {
            int offset = next;
            long word0 = buffer.getLong(pageOffset + offset + RecordDescriptor.WORD0_OFFSET);
            long word1 = buffer.getLong(pageOffset + offset + RecordDescriptor.WORD1_OFFSET);
            int type = RecordDescriptor.type(word0);
            int aligned = RecordDescriptor.alignedLength(RecordDescriptor.length(word0));
            if (type == 0 || type > RecordDescriptor.LAST || aligned > used - offset) {
                malformed = offset;
                next = used;
                break;
            }
            next = offset + aligned;
            if (type <= RecordDescriptor.FIRST && isOfSource(word1) && place(offset, word0, word1)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Fills a batch, which it clears first, with the source's records that follow in the page, as long as they are whole and there is
     * room. The current record is then undefined.
     */
    void next(RecordBatch batch) {
        UnsafeBuffer from = buffer;
        int last = used - RecordDescriptor.HEADER_LENGTH;
        int offset = next;
        batch.begin(pageAddress, pageOffset + RecordDescriptor.HEADER_LENGTH);
        while (offset <= last && !batch.isFull()) {
            int at = pageOffset + offset;
            long word0 = from.getLong(at + RecordDescriptor.WORD0_OFFSET);
            long word1 = from.getLong(at + RecordDescriptor.WORD1_OFFSET);
            int length = RecordDescriptor.length(word0);
            int aligned = RecordDescriptor.alignedLength(length);
            if (RecordDescriptor.type(word0) != RecordDescriptor.WHOLE || aligned > used - offset) {
                break; // next() knows what it is
            }
            if (isOfSource(word1)) {
                long recordTimeNs = baseTimeNs + RecordDescriptor.timeDelta(word1);
                batch.add(from, at + RecordDescriptor.HEADER_LENGTH, length, recordTimeNs);
            }
            offset += aligned;
        }
        next = offset;
    }

    /**
     * Moves to the record at an address in the current page.
     *
     * @return false if no record of the source is there
     */
    public boolean seek(long recordAddress) {
        int offset = (int) (recordAddress - pageAddress);
        if (offset < PageDescriptor.HEADER_LENGTH || offset + RecordDescriptor.HEADER_LENGTH > used) {
            return false;
        }
        long word0 = buffer.getLong(pageOffset + offset + RecordDescriptor.WORD0_OFFSET);
        long word1 = buffer.getLong(pageOffset + offset + RecordDescriptor.WORD1_OFFSET);
        int type = RecordDescriptor.type(word0);
        int aligned = RecordDescriptor.alignedLength(RecordDescriptor.length(word0));
        return (type == RecordDescriptor.WHOLE || type == RecordDescriptor.FIRST)
                && aligned <= used - offset
                && isOfSource(word1)
                && place(offset, word0, word1);
    }

    /**
     * Moves to the record that begins at any address in the current page. Scans the records before it, so that bytes
     * within a record are never taken for one.
     */
    boolean find(long recordAddress) {
        int wanted = (int) (recordAddress - pageAddress);
        int offset = PageDescriptor.HEADER_LENGTH;
        while (offset < wanted && offset + RecordDescriptor.HEADER_LENGTH <= used) {
            long word0 = buffer.getLong(pageOffset + offset + RecordDescriptor.WORD0_OFFSET);
            int type = RecordDescriptor.type(word0);
            if (type == 0 || type > RecordDescriptor.LAST) {
                return false;
            }
            offset += RecordDescriptor.alignedLength(RecordDescriptor.length(word0));
        }
        return offset == wanted && seek(recordAddress);
    }

    /**
     * Follows the source's chain back from a record in the current page without visiting its records, as long as they
     * are intact and the batch, which it clears first, has room.
     *
     * @return the address where it stopped; negative at the chain's end in the chunk
     */
    public long previous(long recordAddress, RecordBatch batch) {
        batch.begin(pageAddress, pageOffset + RecordDescriptor.HEADER_LENGTH);
        long at = recordAddress;
        while (at >= pageAddress + PageDescriptor.HEADER_LENGTH && !batch.isFull()) {
            int offset = (int) (at - pageAddress);
            if (offset + RecordDescriptor.HEADER_LENGTH > used) {
                break;
            }
            long word0 = buffer.getLong(pageOffset + offset + RecordDescriptor.WORD0_OFFSET);
            long word1 = buffer.getLong(pageOffset + offset + RecordDescriptor.WORD1_OFFSET);
            int length = RecordDescriptor.length(word0);
            if (RecordDescriptor.type(word0) != RecordDescriptor.WHOLE
                    || RecordDescriptor.alignedLength(length) > used - offset
                    || !isOfSource(word1)) {
                break;
            }
            batch.add(
                    buffer,
                    pageOffset + offset + RecordDescriptor.HEADER_LENGTH,
                    length,
                    baseTimeNs + RecordDescriptor.timeDelta(word1));
            long distance = RecordDescriptor.back(word0);
            at = distance > 0 ? at - distance : -1;
        }
        return at;
    }

    private boolean isOfSource(long word1) {
        return sourceId < 0 || RecordDescriptor.sourceId(word1) == sourceId;
    }

    private boolean place(int offset, long word0, long word1) {
        address = pageAddress + offset;
        timeNs = baseTimeNs + RecordDescriptor.timeDelta(word1);
        back = RecordDescriptor.back(word0);
        currentSourceId = RecordDescriptor.sourceId(word1);
        jumboCurrent = RecordDescriptor.type(word0) == RecordDescriptor.FIRST;
        payloadOffset = pageOffset + offset + RecordDescriptor.HEADER_LENGTH;
        payloadLength = RecordDescriptor.length(word0);
        return !jumboCurrent || assemble();
    }

    /**
     * Assembles a jumbo; false if a fragment is missing. That is damage, unless the log ends there, or once ended there
     * because a power cut took the rest.
     */
    private boolean assemble() {
        int first = payloadLength - RecordDescriptor.TOTAL_LENGTH;
        if (first < 0) {
            return false;
        }
        long total = buffer.getLong(payloadOffset);
        if (total <= first || total > RecordDescriptor.JUMBO_LENGTH_MAX) {
            damagedRecords++;
            return false;
        }
        ExpandableArrayBuffer whole = jumbo;
        if (whole == null) {
            whole = new ExpandableArrayBuffer((int) total);
            jumbo = whole;
        }
        whole.putBytes(0, buffer, payloadOffset + RecordDescriptor.TOTAL_LENGTH, first);
        int copied = first;
        long fragmentPageAddress = pageAddress + PageDescriptor.PAGE_LENGTH;
        PageReader rest = fragments;
        if (rest == null) {
            rest = new PageReader(view, 1);
            fragments = rest;
        }
        while (copied < total) {
            int fragment = fragmentPageAddress < tail
                    ? appendFragment(rest, whole, fragmentPageAddress, copied, (int) total)
                    : CUT;
            if (fragment <= 0) {
                damagedRecords += fragment == 0 ? 1 : 0;
                expired |= fragment == EXPIRED;
                return false;
            }
            copied += fragment;
            fragmentPageAddress += PageDescriptor.PAGE_LENGTH;
        }
        payloadOffset = 0;
        payloadLength = (int) total;
        return true;
    }

    /** Returns the fragment's length, 0 if it is damaged, {@link #CUT} or {@link #EXPIRED}. */
    private int appendFragment(
            PageReader pagesAfter, ExpandableArrayBuffer whole, long fragmentPageAddress, int copied, int total) {
        PageState state = read(pagesAfter, fragmentPageAddress);
        if (state != PageState.PRESENT) {
            return state == PageState.EXPIRED ? EXPIRED : 0;
        }
        UnsafeBuffer source = pagesAfter.buffer();
        int at = pagesAfter.pageOffset() + PageDescriptor.HEADER_LENGTH;
        if (!PageDescriptor.continues(source, pagesAfter.pageOffset())) {
            return PageDescriptor.epoch(source, pagesAfter.pageOffset()) > epoch ? CUT : 0;
        }
        if (pagesAfter.used() < PageDescriptor.HEADER_LENGTH + RecordDescriptor.HEADER_LENGTH) {
            return 0;
        }
        long word0 = source.getLong(at + RecordDescriptor.WORD0_OFFSET);
        int length = RecordDescriptor.length(word0);
        boolean last = copied + length == total;
        int type = RecordDescriptor.type(word0);
        if (length == 0
                || length > total - copied
                || PageDescriptor.HEADER_LENGTH + RecordDescriptor.HEADER_LENGTH + length > pagesAfter.used()
                || type != (last ? RecordDescriptor.LAST : RecordDescriptor.MIDDLE)) {
            return 0;
        }
        whole.putBytes(copied, source, at + RecordDescriptor.HEADER_LENGTH, length);
        return length;
    }

    /**
     * The address of bytes in the current page that are no record, or -1; known once {@link #next} has returned false. The
     * records after them, if there are any, are not found.
     */
    long malformed() {
        int at = malformed == 0 && next < used ? next : malformed;
        return at == 0 ? -1 : pageAddress + at;
    }

    /** Whether the current page begins with a fragment of a record that began in an earlier page. */
    boolean continues() {
        return PageDescriptor.continues(buffer, pageOffset);
    }

    /** The offset in {@link #buffer()} of the current page. */
    int pageOffset() {
        return pageOffset;
    }

    /** The base time of the current page. */
    public long baseTimeNs() {
        return baseTimeNs;
    }

    /** The current record's address. */
    public long address() {
        return address;
    }

    public long timeNs() {
        return timeNs;
    }

    public int sourceId() {
        return currentSourceId;
    }

    /** Bytes back to the source's previous record in the chunk, or 0. */
    public long back() {
        return back;
    }

    /** The buffer that holds the current payload. */
    public DirectBuffer buffer() {
        ExpandableArrayBuffer whole = jumbo;
        return jumboCurrent && whole != null ? whole : buffer;
    }

    public int offset() {
        return payloadOffset;
    }

    public int length() {
        return payloadLength;
    }

    /** Whether a jumbo could not be assembled because its end is no longer retained. */
    public boolean expired() {
        return expired;
    }

    /** Jumbo records that could not be assembled. */
    public long damagedRecords() {
        return damagedRecords;
    }

    public long pagesRead() {
        return pages.pagesRead();
    }

    /** Page copies discarded so far because the writer had lapped them. */
    public long lapped() {
        PageReader rest = fragments;
        return pages.lapped() + (rest == null ? 0 : rest.lapped());
    }

    public long bytesRead() {
        PageReader rest = fragments;
        return pages.bytesRead() + (rest == null ? 0 : rest.bytesRead());
    }

    @Override
    public void close() {
        pages.close();
        PageReader rest = fragments;
        if (rest != null) {
            rest.close();
        }
    }
}
