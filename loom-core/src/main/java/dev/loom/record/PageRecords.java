package dev.loom.record;

import dev.loom.index.RecordBatch;
import dev.loom.log.LogView;
import dev.loom.log.PageDescriptor;
import dev.loom.log.PageReader;
import dev.loom.log.PageState;
import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Reads records of one source page by page. Stands on one record at a time, whose payload it gives in place, or, if it is
 * a jumbo, put together in a buffer of its own. For one thread.
 */
public final class PageRecords implements AutoCloseable {
    /** In place of a fragment's length: the log was cut before it. */
    private static final int CUT = -1;

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

    /** @param sourceId the source whose records are given, or -1 for those of every source */
    public PageRecords(LogView view, long tail, int sourceId) {
        this(view, tail, sourceId, PageReader.BLOCK_PAGES);
    }

    /** @param blockPages as of {@link PageReader#PageReader(LogView, int)} */
    public PageRecords(LogView view, long tail, int sourceId, int blockPages) {
        this.view = view;
        this.pages = new PageReader(view, blockPages);
        this.tail = tail;
        this.sourceId = sourceId;
        this.buffer = pages.buffer();
    }

    /** Reads on up to another end of the log, which is no lower than before. */
    void extend(long newTail) {
        tail = newTail;
    }

    /** Fails when the last page read is in a file that is there and could not be read. */
    void checkReadable() {
        pages.checkReadable();
    }

    /** Reads a page, and stands before its first record. */
    public PageState read(long newPageAddress) {
        PageState state = pages.read(newPageAddress, tail);
        if (state == PageState.PRESENT) {
            pageAddress = newPageAddress;
            buffer = pages.buffer();
            pageOffset = pages.pageOffset();
            used = pages.used();
            baseTimeNs = PageDescriptor.baseTimeNs(buffer, pageOffset);
            epoch = PageDescriptor.epoch(buffer, pageOffset);
            next = PageDescriptor.HEADER_LENGTH;
        } else {
            pageAddress = -1;
        }
        return state;
    }

    /** Moves to the source's next record that begins in the page; false behind the last. */
    public boolean next() {
        while (next + RecordDescriptor.HEADER_LENGTH <= used) {
            int offset = next;
            long word0 = buffer.getLong(pageOffset + offset + RecordDescriptor.WORD0_OFFSET);
            long word1 = buffer.getLong(pageOffset + offset + RecordDescriptor.WORD1_OFFSET);
            int type = RecordDescriptor.type(word0);
            int aligned = RecordDescriptor.alignedLength(RecordDescriptor.length(word0));
            if (type == 0 || type > RecordDescriptor.LAST || aligned > used - offset) {
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
     * Moves to the record at an address in the page read.
     *
     * @return false when no record of the source is there
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
     * Moves to the record that begins at an address, which may be any within the page read: those before it are gone over, so
     * that no bytes within one are taken for a record.
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
     * Follows the source's chain back from a record in the page read, without standing on its records, as long as they are whole
     * and the batch, which is begun anew, has room.
     *
     * @return the address at which it stopped; negative when the chain has no more in the chunk
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
            int length = RecordDescriptor.length(word0);
            if (RecordDescriptor.type(word0) != RecordDescriptor.WHOLE
                    || RecordDescriptor.alignedLength(length) > used - offset
                    || !isOfSource(buffer.getLong(pageOffset + offset + RecordDescriptor.WORD1_OFFSET))) {
                break;
            }
            batch.add(buffer, pageOffset + offset + RecordDescriptor.HEADER_LENGTH, length);
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
     * Puts a jumbo together; false when a fragment is missing. That is damage, unless the log ends there, or ended there once:
     * a power cut has taken the rest.
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
        long fragmentPage = pageAddress + PageDescriptor.PAGE_LENGTH;
        PageReader rest = fragments;
        if (rest == null) {
            rest = new PageReader(view, 1);
            fragments = rest;
        }
        while (copied < total) {
            int fragment = fragmentPage < tail ? appendFragment(rest, whole, fragmentPage, copied, (int) total) : CUT;
            if (fragment <= 0) {
                damagedRecords += fragment == CUT ? 0 : 1;
                return false;
            }
            copied += fragment;
            fragmentPage += PageDescriptor.PAGE_LENGTH;
        }
        payloadOffset = 0;
        payloadLength = (int) total;
        return true;
    }

    /** Returns the fragment's length, 0 when it is damaged, or {@link #CUT}. */
    private int appendFragment(
            PageReader pagesAfter, ExpandableArrayBuffer whole, long fragmentPage, int copied, int total) {
        if (pagesAfter.read(fragmentPage, tail) != PageState.PRESENT) {
            return 0;
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

    /** The base time of the page read. */
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

    /** Jumbo records that could not be put together. */
    public long damagedRecords() {
        return damagedRecords;
    }

    public long pagesRead() {
        return pages.pagesRead();
    }

    /** Copies of pages thrown away so far, because the writer had overtaken them. */
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
