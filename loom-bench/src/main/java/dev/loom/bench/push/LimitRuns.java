package dev.loom.bench.push;

import static dev.loom.bench.push.LimitPageDescriptor.CHECKSUM_OFFSET;
import static dev.loom.bench.push.LimitPageDescriptor.PAGE_HEADER_LENGTH;
import static dev.loom.bench.push.LimitPageDescriptor.PAGE_LENGTH;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** Writes pages of the limit's ring in long runs, each page with its checksum. For one thread. */
final class LimitRuns {
    /** The longest run in one write. */
    static final int LENGTH_MAX = 16 * 1024 * 1024;

    private final LimitRing ring;
    private final SegmentFiles segments;
    private final ByteBuffer checksumView;
    private final ByteBuffer runView;
    private final CRC32C checksum = new CRC32C();

    LimitRuns(LimitRing ring, SegmentFiles segments) {
        this.ring = ring;
        this.segments = segments;
        checksumView = ring.view();
        runView = ring.view();
    }

    /** Writes the pages from an address on, as many as one write takes of those waiting, and returns their bytes. */
    int write(long address, long waiting) {
        final int offset = (int) (address & (ring.length() - 1));
        final int length =
                (int) Math.min(Math.min(waiting, LENGTH_MAX), Math.min(ring.length() - offset, segments.room()));
        for (int page = offset; page < offset + length; page += PAGE_LENGTH) {
            checksum.reset();
            checksum.update(checksumView.limit(page + PAGE_LENGTH).position(page + PAGE_HEADER_LENGTH));
            checksumView.putLong(page + CHECKSUM_OFFSET, checksum.getValue());
        }
        segments.write(runView.limit(offset + length).position(offset));
        return length;
    }
}
