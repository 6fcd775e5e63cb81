package dev.loom.record;

import dev.loom.log.HybridLog;
import dev.loom.log.PageDescriptor;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Appends jumbo records, whose payloads are longer than a page, as runs of fragments, each but the last of which fills
 * its page. Owned by the writer's thread.
 */
final class JumboWriter {
    /** A jumbo record begins in a page only if this many bytes of it are left. */
    private static final int FIRST_FRAGMENT_MIN = 256;

    private final HybridLog log;
    private final UnsafeBuffer ring;
    private final ChunkWriter chunk;
    private final Backpressure pressure;

    JumboWriter(HybridLog log, ChunkWriter chunk, Backpressure pressure) {
        this.log = log;
        this.ring = log.ring();
        this.chunk = chunk;
        this.pressure = pressure;
    }

    /**
     * Appends and publishes a record. Its bounds are checked already, and the ring can hold it.
     *
     * @return its address, or a status
     */
    long append(SourceState source, long timeNs, DirectBuffer payload, int offset, int length, boolean wait) {
        long status = makeRoom(source, length, timeNs, wait);
        if (status < 0) {
            return status;
        }
        StackProbe.requireMuch();
        int at = log.offset();
        int fragment = log.remaining() - RecordDescriptor.HEADER_LENGTH;
        int copied = fragment - RecordDescriptor.TOTAL_LENGTH;
        ring.putLong(at + RecordDescriptor.HEADER_LENGTH, length);
        ring.putBytes(at + RecordDescriptor.HEADER_LENGTH + RecordDescriptor.TOTAL_LENGTH, payload, offset, copied);
        long address = chunk.link(source, at, RecordDescriptor.FIRST, fragment, length, timeNs, log.remaining());
        while (copied < length) {
            fragment = Math.min(length - copied, RecordDescriptor.PAYLOAD_LENGTH_MAX);
            int type = fragment == length - copied ? RecordDescriptor.LAST : RecordDescriptor.MIDDLE;
            chunk.appendFragment(source, type, timeNs, payload, offset + copied, fragment);
            copied += fragment;
        }
        chunk.publish();
        if (source.indexed) {
            source.summary.add(payload, offset, length, address);
        }
        chunk.publishSealed();
        return address;
    }

    /** Returns 0, with the first fragment's page open and room for the others, or a status. */
    private long makeRoom(SourceState source, int length, long timeNs, boolean wait) {
        long status = 0;
        boolean ready = false;
        while (!ready && status == 0) {
            boolean here = chunk.takesJumbo(FIRST_FRAGMENT_MIN, timeNs);
            int pages = pagesFor(length, here ? log.remaining() : 0);
            if (!here) {
                status = chunk.next(source, timeNs, pages, wait);
            } else if (log.hasRoom(pages)) {
                ready = true;
            } else {
                status = pressure.await(source, timeNs, () -> log.hasRoom(pages), wait);
            }
        }
        return status;
    }

    /** The pages to begin for a payload whose first fragment has {@code room} bytes; 0 for a whole page. */
    private static int pagesFor(int length, int room) {
        int pages = room == 0 ? 1 : 0;
        int first = room == 0 ? PageDescriptor.PAGE_LENGTH - PageDescriptor.HEADER_LENGTH : room;
        int rest = length - (first - RecordDescriptor.HEADER_LENGTH - RecordDescriptor.TOTAL_LENGTH);
        return pages + (rest + RecordDescriptor.PAYLOAD_LENGTH_MAX - 1) / RecordDescriptor.PAYLOAD_LENGTH_MAX;
    }
}
