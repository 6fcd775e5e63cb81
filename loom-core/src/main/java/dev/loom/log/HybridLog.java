package dev.loom.log;

import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The writer's side of one log: pages in a ring. Owned by the writer's thread. Its state is plain; {@link #publish()}
 * makes it visible.
 *
 * <p>Invariants:
 * <ul>
 * <li>{@code offset == tail & (ringLength - 1)}, except that both are at a page's end while no page is open;
 * <li>a page begins only after the page that it replaces in the ring was evicted;
 * <li>the replaced page is announced as overwritten before the first byte of the new one is stored.
 * </ul>
 */
public final class HybridLog {
    private final LogKind kind;
    private final long storeId;
    private final int epoch;
    private ByteBuffer ringBytes;
    private ByteBuffer evictorBytes;
    private final UnsafeBuffer ring;
    private final int ringLength;
    private final Watermarks watermarks;
    private final long first;

    private long tail;
    private long sealed;
    private long evictedSeen;
    private int offset;
    private int limit;
    private boolean pageOpen;

    /**
     * A log that continues after its last page.
     *
     * @param end the address of the first page to write
     * @param ringBytes direct, little-endian, a power of two in length, at least two pages
     */
    public HybridLog(
            LogKind kind, long storeId, int epoch, ByteBuffer ringBytes, Watermarks watermarks, long begin, long end) {
        this.kind = kind;
        this.storeId = storeId;
        this.epoch = epoch;
        this.ringBytes = ringBytes;
        this.evictorBytes = duplicate(ringBytes);
        this.ring = new UnsafeBuffer(ringBytes);
        this.ringLength = ringBytes.capacity();
        this.watermarks = watermarks;
        this.first = end;
        this.tail = end;
        this.sealed = end;
        this.evictedSeen = end;
        watermarks.reset(begin, end);
    }

    /**
     * Continues in another ring and other watermarks with the same contents. For the writer's thread, while the evictor
     * is paused. Without memory for it, nothing has changed.
     *
     * @param live the buffer that holds the watermarks
     */
    public void moveTo(ByteBuffer newRing, ByteBuffer live) {
        ByteBuffer newEvictorBytes = duplicate(newRing);
        ringBytes = newRing;
        evictorBytes = newEvictorBytes;
        ring.wrap(newRing);
        watermarks.moveTo(live);
    }

    public LogKind kind() {
        return kind;
    }

    /** The ring as a buffer; use {@code duplicate()} to move its position. */
    public ByteBuffer ringBytes() {
        return ringBytes;
    }

    private static ByteBuffer duplicate(ByteBuffer bytes) {
        return bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    }

    /** The ring for the evictor, which moves the buffer's position. */
    ByteBuffer evictorBytes() {
        return evictorBytes;
    }

    public Watermarks watermarks() {
        return watermarks;
    }

    /** The ring; {@link #offset()} is where the next byte goes. */
    public UnsafeBuffer ring() {
        return ring;
    }

    public int ringLength() {
        return ringLength;
    }

    /** The address of the next byte. */
    public long tail() {
        return tail;
    }

    /** The address of the open page, or of the next one if none is open. */
    public long pageAddress() {
        return PageDescriptor.pageAddress(tail - (pageOpen ? 1 : 0));
    }

    public int offset() {
        return offset;
    }

    /** Bytes left in the open page; 0 when none is open. */
    public int remaining() {
        return limit - offset;
    }

    public boolean pageOpen() {
        return pageOpen;
    }

    /** Whether the ring has room for {@code pages} pages after the open one. */
    public boolean hasRoom(int pages) {
        long end = nextPageAddress() + (long) pages * PageDescriptor.PAGE_LENGTH;
        if (end - ringLength <= evictedSeen) {
            return true;
        }
        evictedSeen = watermarks.evictedAcquire();
        return end - ringLength <= evictedSeen;
    }

    private long nextPageAddress() {
        return pageOpen ? pageAddress() + PageDescriptor.PAGE_LENGTH : tail;
    }

    /**
     * Begins the next page. Requires room for it, and that no page is open.
     *
     * @param continues whether the page begins with a later fragment of a record
     * @throws IllegalStateException when there is no room; otherwise pages would be lost
     */
    public void beginPage(long baseTimeNs, long baseAddress, boolean continues) {
        if (!hasRoom(1)) {
            throw new IllegalStateException(
                    "no room for a page: log=" + kind + ", tail=" + tail + ", ring=" + ringLength);
        }
        watermarks.overwrittenOpaque(Math.max(first, tail + PageDescriptor.PAGE_LENGTH - ringLength));
        VarHandle.storeStoreFence();
        offset = (int) (tail & (ringLength - 1));
        limit = offset + PageDescriptor.PAGE_LENGTH;
        PageDescriptor.begin(ring, offset, kind, continues, storeId, tail, baseTimeNs, baseAddress, epoch);
        pageOpen = true;
        advance(PageDescriptor.HEADER_LENGTH);
    }

    /** Takes the next bytes of the open page. The caller fills them before it publishes. */
    public void advance(int length) {
        offset += length;
        tail += length;
    }

    /** Ends the open page, if there is one; the tail moves to its end. Neither is published yet. */
    public void sealPage(long lastTimeNs) {
        if (!pageOpen) {
            return;
        }
        int pageOffset = limit - PageDescriptor.PAGE_LENGTH;
        PageDescriptor.seal(ring, pageOffset, offset - pageOffset, lastTimeNs);
        tail += limit - offset;
        offset = limit;
        sealed = tail;
        pageOpen = false;
    }

    /** Makes everything up to the tail visible to readers. */
    public void publish() {
        watermarks.tailRelease(tail);
    }

    /** Tells readers that the source slots know the log's entries up to the tail. */
    public void publishCovered() {
        watermarks.coveredRelease(tail);
    }

    /** Hands the sealed pages, already published, to the evictor. */
    public void publishSealed() {
        watermarks.sealedRelease(sealed);
    }
}
