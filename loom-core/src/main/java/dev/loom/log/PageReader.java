package dev.loom.log;

import dev.loom.error.StoreIoException;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.NoSuchFileException;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Reads pages of one log, from the ring or from segment files, into its own memory. For one thread; a page is valid
 * until the next read.
 *
 * <p>The protocol for pages in the ring (paper, section 5.5), evicted or not: copy the page without interpreting it;
 * acquire fence; the copy is valid if its page is not below {@code overwritten}; otherwise the page has reached its
 * segment file, and is read from there. Pages from files are checked against their checksums; pages from the ring are
 * not, since not all have one yet.
 */
public final class PageReader implements AutoCloseable {
    /** The block size of a reader that moves between neighbouring pages, which it reads in one go. */
    public static final int BLOCK_PAGES = 4;

    /** How often a page is asked for that the disk does not deliver, while it delivers others. */
    private static final int READ_ATTEMPTS = 5;

    private static final byte[] NO_BYTES = {};
    private static final UnsafeBuffer NOTHING = new UnsafeBuffer(NO_BYTES);

    private final LogView view;
    private final SegmentReader segments;
    private final PageChecksum checksum;
    private final ByteBuffer blockBytes;
    private final UnsafeBuffer block;

    private UnsafeBuffer buffer = NOTHING;
    private int pageOffset;
    private int used;
    private boolean complete;
    private long currentPageAddress = -1;
    private long previousPageAddress = Long.MIN_VALUE;
    private long blockStart;
    private long blockEnd;
    private long bytesRead;
    private long pagesRead;
    private long lapped;
    private long askedBegin;
    private long askedEnd;
    private long laterBegin;
    private boolean closed;
    private @Nullable StoreIoException failure;
    /** The page by which {@link #deliversOther} last saw that the disk works. */
    private long otherPageAddress = -1;

    public PageReader(LogView view) {
        this(view, BLOCK_PAGES);
    }

    /** @param blockPages its memory in pages, which is also the most neighbours read in one go */
    public PageReader(LogView view, int blockPages) {
        this.blockBytes = ByteBuffer.allocateDirect(blockPages * PageDescriptor.PAGE_LENGTH)
                .order(ByteOrder.LITTLE_ENDIAN);
        this.block = new UnsafeBuffer(blockBytes);
        this.view = view;
        this.segments = new SegmentReader(view);
        this.checksum = new PageChecksum(view.kind(), view.storeId());
    }

    /**
     * Reads the page at an address, as far as a snapshot sees it.
     *
     * @param pageAddress a page's address, below {@code tail}
     * @param tail the snapshot's end
     */
    public PageState read(long pageAddress, long tail) {
        if (pageAddress < 0 || pageAddress >= tail || PageDescriptor.offsetInPage(pageAddress) != 0) {
            // no valid reference leads there
            currentPageAddress = -1;
            failure = null;
            return PageState.DAMAGED;
        }
        if (pageAddress != currentPageAddress || !complete) {
            PageState state = load(pageAddress, tail);
            if (state != PageState.PRESENT) {
                currentPageAddress = -1;
                return state;
            }
            currentPageAddress = pageAddress;
        }
        int sealed = complete ? PageDescriptor.used(buffer, pageOffset) : 0;
        // a page filled to its last byte may not have been sealed yet
        used = (int) Math.min(sealed == 0 ? PageDescriptor.PAGE_LENGTH : sealed, tail - pageAddress);
        if (used < PageDescriptor.HEADER_LENGTH || used > PageDescriptor.PAGE_LENGTH) {
            currentPageAddress = -1;
            return PageState.DAMAGED;
        }
        return PageState.PRESENT;
    }

    private PageState load(long pageAddress, long tail) {
        failure = null;
        // what precedes the begin in its segment is still there for those who refer to it
        if (pageAddress < view.segments().first(view.watermarks().beginAcquire())) {
            return PageState.EXPIRED;
        }
        pagesRead++;
        if (isNowhere(pageAddress)) {
            return PageState.DAMAGED;
        }
        if (copyFromRing(pageAddress, tail)) {
            return PageState.PRESENT;
        }
        complete = true;
        try {
            if (copyFromFile(pageAddress) || copyFromReopenedFile(pageAddress)) {
                return PageState.PRESENT;
            }
        } catch (StoreIoException e) {
            segments.reset();
            failure = e.getCause() instanceof NoSuchFileException ? null : e;
        }
        return isDeleted(pageAddress) ? PageState.EXPIRED : PageState.DAMAGED;
    }

    /** Whether a page is neither in the ring nor in a file: its log ended there for whoever took the view, and nobody knows what it held. */
    private boolean isNowhere(long pageAddress) {
        UnsafeBuffer ring = view.ring();
        return pageAddress - view.watermarks().evictedAcquire() >= (ring == null ? 0 : ring.capacity());
    }

    /** Whether retention has deleted a page that was not found: asks once for each range that is missing. */
    private boolean isDeleted(long pageAddress) {
        if (segments.isMissing(pageAddress) && (pageAddress < askedBegin || pageAddress >= askedEnd)) {
            askedBegin = segments.missingBegin();
            askedEnd = segments.missingEnd();
            laterBegin = Math.max(laterBegin, view.laterBegin().getAsLong());
        }
        return pageAddress < Math.max(laterBegin, view.watermarks().beginAcquire());
    }

    private boolean copyFromRing(long pageAddress, long tail) {
        UnsafeBuffer ring = view.ring();
        Watermarks watermarks = view.watermarks();
        if (ring == null || pageAddress < watermarks.overwrittenOpaque()) {
            return false;
        }
        int length = (int) Math.min(PageDescriptor.PAGE_LENGTH, tail - pageAddress);
        // valid or not, the copy has replaced what the block read from a file
        blockEnd = 0;
        block.putBytes(0, ring, (int) (pageAddress & (ring.capacity() - 1)), length);
        VarHandle.acquireFence();
        if (pageAddress < watermarks.overwrittenOpaque()) {
            lapped++;
            return false;
        }
        buffer = block;
        pageOffset = 0;
        complete = length == PageDescriptor.PAGE_LENGTH;
        bytesRead += length;
        return true;
    }

    private boolean copyFromFile(long pageAddress) {
        if (pageAddress < blockStart || pageAddress >= blockEnd) {
            fillBlock(pageAddress);
        }
        previousPageAddress = pageAddress;
        buffer = block;
        pageOffset = (int) (pageAddress - blockStart);
        return pageOffset + PageDescriptor.PAGE_LENGTH <= blockEnd - blockStart
                && checksum.valid(block, blockBytes, pageOffset, pageAddress);
    }

    /** An interrupt may have had the file opened again, when a compressed one had taken its place. */
    private boolean copyFromReopenedFile(long pageAddress) {
        if (view.segments().decoders() == null) {
            return false;
        }
        segments.reset();
        blockEnd = 0;
        return copyFromFile(pageAddress);
    }

    /** Reads one page, or, if the last read was of its neighbour, a block in that direction. */
    private void fillBlock(long pageAddress) {
        long segmentStart = view.segments().first(pageAddress);
        long start = pageAddress;
        long end = pageAddress + PageDescriptor.PAGE_LENGTH;
        if (previousPageAddress == pageAddress - PageDescriptor.PAGE_LENGTH) {
            long limit = Math.min(
                    segmentStart + view.segments().segmentLength(),
                    view.watermarks().evictedAcquire());
            end = Math.max(end, Math.min(pageAddress + block.capacity(), limit));
        } else if (previousPageAddress == end) {
            start = Math.max(end - block.capacity(), segmentStart);
        }
        try {
            readBlock(start, end);
        } catch (StoreIoException e) {
            if (end - start == PageDescriptor.PAGE_LENGTH || e.getCause() instanceof NoSuchFileException) {
                throw e;
            }
            segments.reset();
            readBlock(pageAddress, pageAddress + PageDescriptor.PAGE_LENGTH); // a neighbour may be what can't be read
        }
    }

    private void readBlock(long start, long end) {
        blockEnd = 0;
        blockBytes.limit((int) (end - start)).position(0);
        int read = segments.read(blockBytes, start);
        blockStart = start;
        blockEnd = start + read;
        bytesRead += read;
    }

    /**
     * As {@link #read}, but does not treat a page that the disk can't deliver now as damaged. For callers that go on to
     * write.
     *
     * @throws StoreIoException when the file exists but can't be read
     */
    public PageState readOrFail(long pageAddress, long tail) {
        failure = null;
        PageState state = read(pageAddress, tail);
        checkReadable();
        return state;
    }

    /**
     * As {@link #read}, but asks again for a page that the disk does not deliver, and once more when it has delivered another. Then the
     * page counts as damaged, since one bad sector must not keep a store from being opened; then {@link #failed()}.
     *
     * @throws StoreIoException when the disk delivers no other page either
     */
    public PageState readInsistently(long pageAddress, long tail) {
        PageState state = read(pageAddress, tail);
        for (int attempts = 1; failure != null && attempts < READ_ATTEMPTS; attempts++) {
            state = read(pageAddress, tail);
        }
        StoreIoException last = failure;
        if (last == null) {
            return state;
        }
        if (!deliversOther(pageAddress, tail)) {
            throw last;
        }
        return read(pageAddress, tail); // for a moment, the disk may have delivered nothing
    }

    /**
     * Whether the disk delivers a page other than one: first the one that it last delivered is asked for, then neighbours, then pages
     * ever farther away.
     */
    private boolean deliversOther(long pageAddress, long tail) {
        Watermarks watermarks = view.watermarks();
        long end = Math.min(tail, watermarks.evictedAcquire());
        if (view.ring() != null) {
            end = Math.min(end, watermarks.overwrittenOpaque()); // the ring is no disk
        }
        long begin = watermarks.beginAcquire();
        boolean delivers = otherPageAddress != pageAddress && delivers(otherPageAddress, begin, end);
        for (long distance = PageDescriptor.PAGE_LENGTH;
                !delivers && distance > 0 && distance < end - begin;
                distance *= 2) {
            delivers = delivers(pageAddress - distance, begin, end) || delivers(pageAddress + distance, begin, end);
        }
        return delivers;
    }

    private boolean delivers(long pageAddress, long begin, long end) {
        boolean delivers = pageAddress >= begin && pageAddress < end && read(pageAddress, end) == PageState.PRESENT;
        otherPageAddress = delivers ? pageAddress : otherPageAddress;
        return delivers;
    }

    /** Whether the file of the last requested page exists but could not be read. */
    public boolean failed() {
        return failure != null;
    }

    /** Why the file of the last requested page, which exists, could not be read; else null. */
    @Nullable
    StoreIoException failure() {
        return failure;
    }

    /** Throws if the file of the last requested page exists but could not be read. */
    public void checkReadable() {
        StoreIoException last = failure;
        if (last != null) {
            throw last;
        }
    }

    /** The buffer that holds the page, at {@link #pageOffset()}. */
    public UnsafeBuffer buffer() {
        return buffer;
    }

    /** The offset of the page in {@link #buffer()}. */
    public int pageOffset() {
        return pageOffset;
    }

    /** The used bytes of the page, header included, as far as the snapshot reaches. */
    public int used() {
        return used;
    }

    /** Bytes copied or read so far. */
    public long bytesRead() {
        return bytesRead;
    }

    /** Pages requested so far, not counting requests for the current one. */
    public long pagesRead() {
        return pagesRead;
    }

    /** Copies from the ring discarded so far because the writer had lapped them. */
    public long lapped() {
        return lapped;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            buffer = NOTHING;
            currentPageAddress = -1;
            // a stale use of the buffers then throws instead of touching freed memory
            block.wrap(NO_BYTES);
            segments.close();
            BufferUtil.free(blockBytes);
        }
    }
}
