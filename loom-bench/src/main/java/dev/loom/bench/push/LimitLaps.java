package dev.loom.bench.push;

import static dev.loom.bench.push.LimitPageDescriptor.NUMBER_OFFSET;
import static dev.loom.bench.push.LimitPageDescriptor.PAGE_LENGTH;

import java.nio.ByteBuffer;

/** Laps by the least code: checksums, long writes and a sync, on the caller's thread. */
final class LimitLaps extends RingLaps {
    private final SegmentFiles segments;
    private final LimitRuns runs;
    private final ByteBuffer pages;
    private long evicted;

    LimitLaps(PushSettings settings) {
        super(settings);
        segments = new SegmentFiles(files.directory(), settings.segmentBytes(), settings.direct());
        runs = new LimitRuns(ring, segments);
        pages = ring.view();
    }

    @Override
    void fillPages() {
        for (int page = 0; page < ring.length(); page += PAGE_LENGTH) {
            pages.putLong(page + NUMBER_OFFSET, (evicted + page) / PAGE_LENGTH);
        }
    }

    @Override
    void evictPages() {
        for (final long end = evicted + ring.length(); evicted < end; ) {
            evicted += runs.write(evicted, end - evicted);
        }
        segments.sync();
    }

    @Override
    public void close() {
        segments.close();
        super.close();
    }
}
