package dev.loom.bench.push;

import static dev.loom.bench.push.LimitPageDescriptor.BACK_SHIFT;
import static dev.loom.bench.push.LimitPageDescriptor.BASE_TIME_OFFSET;
import static dev.loom.bench.push.LimitPageDescriptor.NUMBER_OFFSET;
import static dev.loom.bench.push.LimitPageDescriptor.PAGE_HEADER_LENGTH;
import static dev.loom.bench.push.LimitPageDescriptor.PAGE_LENGTH;
import static dev.loom.bench.push.LimitPageDescriptor.RECORD_HEADER_LENGTH;
import static dev.loom.bench.push.LimitPageDescriptor.RECORD_TYPE;
import static dev.loom.bench.push.LimitPageDescriptor.RECORD_WORD_1_OFFSET;
import static dev.loom.bench.push.LimitPageDescriptor.SOURCE_ID;
import static dev.loom.bench.push.LimitPageDescriptor.TIME_SHIFT;
import static dev.loom.bench.push.LimitPageDescriptor.USED_OFFSET;

import java.util.concurrent.locks.LockSupport;

/**
 * The least work that a log with checksums can do: read the clock, store header and payload in a mapped ring, and have one thread
 * compute the checksums and write the pages. No sources, no chains, no bounds checks, and only the watermark per page that the
 * second thread needs.
 *
 * <p>With {@code publishEvery} it also publishes the tail and the head of a chain after that number of records: the difference
 * between two such loops is the cost of publishing.
 */
final class LimitLoop implements PushTarget {
    private static final int COPY_BY_WORD_MAX = 64;
    private static final long WAIT_NS = 50_000;
    private static final int PUBLISHED_LENGTH = 128;
    private static final int HEAD_OFFSET = 64;

    private final PushSettings settings;
    private final PayloadPool pool;
    private final TargetFiles files;
    private final LimitRing ring;
    private final LimitRing live;
    private final SegmentFiles segments;
    private final LimitEvictor evictor;
    private final int publishEvery;
    private final int clockMask;

    private long position;
    private long pageEnd;
    private long pageBaseNs;
    private long pushed;
    private int untilPublish;
    private boolean finished;

    /**
     * Creates files and ring, and starts the evictor.
     *
     * @param clockEvery records for each reading of the clock, a power of two
     * @param publishEvery records between two publications of tail and head; 0 for none
     * @param syncIntervalNs how often to sync the files; 0 for never
     */
    LimitLoop(
            PushSettings settings,
            PayloadPool pool,
            TargetFiles files,
            int clockEvery,
            int publishEvery,
            long syncIntervalNs) {
        this.settings = settings;
        this.pool = pool;
        this.files = files;
        clockMask = clockEvery - 1;
        this.publishEvery = publishEvery == 0 ? Integer.MAX_VALUE : publishEvery;
        ring = new LimitRing(files.staging().resolve("limit.ring"), settings.ringBytes());
        live = new LimitRing(files.staging().resolve("limit.live"), 2 * PAGE_LENGTH);
        segments = new SegmentFiles(files.directory(), settings.segmentBytes(), settings.direct());
        evictor = new LimitEvictor(ring, segments, syncIntervalNs);
        untilPublish = this.publishEvery;
        openPage(0, System.nanoTime());
    }

    @Override
    public void push(int count) {
        final int payloadLength = settings.payloadLength();
        final int recordLength = settings.recordLength();
        final long ringAddress = ring.nativeAddress();
        final long ringMask = ring.length() - 1L;
        final long word0 = payloadLength | RECORD_TYPE | (long) (recordLength >> 3) << BACK_SHIFT;
        final boolean byWord = payloadLength <= COPY_BY_WORD_MAX;
        final long payloads = pool.nativeAddress();
        long next = position;
        long nowNs = 0;
        for (int i = 0; i < count; i++) {
            if ((i & clockMask) == 0) {
                nowNs = System.nanoTime();
            }
            if (next + recordLength > pageEnd) {
                sealPage(next);
                next = openPage(pageEnd, nowNs);
            }
            final long at = ringAddress + (next & ringMask);
            OffHeap.putLong(at, word0);
            OffHeap.putLong(at + RECORD_WORD_1_OFFSET, SOURCE_ID | (nowNs - pageBaseNs) << TIME_SHIFT);
            final long from = payloads + (long) (i & (PayloadPool.COUNT - 1)) * payloadLength;
            final long to = at + RECORD_HEADER_LENGTH;
            if (byWord) {
                for (int j = 0; j < payloadLength; j += Long.BYTES) {
                    OffHeap.putLong(to + j, OffHeap.getLong(from + j));
                }
            } else {
                OffHeap.copy(from, to, payloadLength);
            }
            if (--untilPublish == 0) {
                publish(next, recordLength);
            }
            next += recordLength;
        }
        position = next;
        pushed += count;
    }

    @Override
    public long pushed() {
        return pushed;
    }

    /** All runs of pages: what is less than a run waits for more. */
    @Override
    public void drain() {
        while (pageEnd - PAGE_LENGTH - ring.evictedAcquire() >= evictor.runLengthMin()) {
            evictor.throwIfFailed();
            LockSupport.parkNanos(this, WAIT_NS);
        }
    }

    @Override
    public void finish() {
        if (!finished) {
            finished = true;
            sealPage(position);
            evictor.stop();
        }
    }

    @Override
    public void verify() {
        new LimitVerifier(pool).verify(segments, pushed);
    }

    @Override
    public void close() {
        finish();
        ring.close();
        live.close();
        files.close();
    }

    private void publish(long address, int recordLength) {
        final long at = live.nativeAddress();
        OffHeap.putLong(at + HEAD_OFFSET, address);
        OffHeap.putLongRelease(at + PUBLISHED_LENGTH, address + recordLength);
        untilPublish = publishEvery;
    }

    private void sealPage(long end) {
        final long page = ring.nativeAddress() + ((pageEnd - PAGE_LENGTH) & (ring.length() - 1));
        final long used = end - (pageEnd - PAGE_LENGTH);
        OffHeap.putLong(page + USED_OFFSET, used);
        OffHeap.zero(page + used, PAGE_LENGTH - used);
        ring.sealedRelease(pageEnd);
    }

    private long openPage(long address, long nowNs) {
        while (address + PAGE_LENGTH - ring.evictedAcquire() > ring.length()) {
            evictor.throwIfFailed();
            LockSupport.parkNanos(this, WAIT_NS);
        }
        final long page = ring.nativeAddress() + (address & (ring.length() - 1));
        OffHeap.zero(page, PAGE_HEADER_LENGTH);
        OffHeap.putLong(page + NUMBER_OFFSET, address / PAGE_LENGTH);
        OffHeap.putLong(page + BASE_TIME_OFFSET, nowNs);
        pageBaseNs = nowNs;
        pageEnd = address + PAGE_LENGTH;
        position = address + PAGE_HEADER_LENGTH;
        return position;
    }
}
