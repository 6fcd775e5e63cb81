package dev.loom.bench.scan;

import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The limit of a scan: pages of records of one length in memory, copied one by one, and walked by the lengths in their headers. One source, no
 * checksums, no chains. For one thread.
 */
public final class RecordLoop {
    private static final int PAGE_LENGTH = 1 << 16;
    private static final int HEADER_LENGTH = 16;
    private static final long LENGTH_MASK = (1 << 24) - 1;

    private final UnsafeBuffer pages;
    private final UnsafeBuffer page = new UnsafeBuffer(ByteBuffer.allocateDirect(PAGE_LENGTH));
    private final int recordsEach;
    private long expected;

    /**
     * Writes the records, as many whole pages as hold them.
     *
     * @param payload bytes, a multiple of 8
     */
    public RecordLoop(long records, int payload) {
        final int recordLength = HEADER_LENGTH + payload;
        recordsEach = PAGE_LENGTH / recordLength;
        final long count = (records + recordsEach - 1) / recordsEach;
        pages = new UnsafeBuffer(ByteBuffer.allocateDirect(Math.toIntExact(count * PAGE_LENGTH)));
        for (int begin = 0; begin < pages.capacity(); begin += PAGE_LENGTH) {
            for (int i = 0; i < recordsEach; i++) {
                final int at = begin + i * recordLength;
                pages.putLong(at, payload);
                pages.putLong(at + HEADER_LENGTH, at);
                expected += at;
            }
        }
    }

    /** Bytes of all pages. */
    public long bytes() {
        return pages.capacity();
    }

    /** Records in all pages. */
    public long records() {
        return (long) pages.capacity() / PAGE_LENGTH * recordsEach;
    }

    /** Reads the first word of each payload. */
    public void scan() {
        long sum = 0;
        for (int begin = 0; begin < pages.capacity(); begin += PAGE_LENGTH) {
            page.putBytes(0, pages, begin, PAGE_LENGTH);
            int at = 0;
            for (int i = 0; i < recordsEach; i++) {
                sum += page.getLong(at + HEADER_LENGTH);
                at += HEADER_LENGTH + (int) (page.getLong(at) & LENGTH_MASK);
            }
        }
        if (sum != expected) {
            throw new IllegalStateException("records differ: sum=" + sum + ", expected=" + expected);
        }
    }
}
