package dev.loom.bench.push;

import dev.loom.io.Storage;
import dev.loom.log.Durability;
import dev.loom.log.Evictor;
import dev.loom.log.HybridLog;
import dev.loom.log.LogKind;
import dev.loom.log.LogView;
import dev.loom.log.PageDescriptor;
import dev.loom.log.SegmentBudget;
import dev.loom.log.SegmentWriter;
import dev.loom.log.Segments;
import dev.loom.log.Watermarks;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Laps of a log without a store: its pages, its evictor and its readers. */
public final class LoomLaps extends RingLaps {
    private static final long STORE_ID = 1;

    private final Segments segments;
    private final Watermarks watermarks;
    private final HybridLog log;
    private final Evictor evictor;

    /** Nothing but pages is to become durable. */
    private static final class PagesAlone implements Durability {
        @Override
        public void syncSchema() {}

        @Override
        public void writeMark(long[] durable) {}

        @Override
        public void tick() {}
    }

    /** Maps the ring, and starts the evictor. */
    public LoomLaps(PushSettings settings) {
        super(settings);
        segments = new Segments(files.directory(), settings.segmentBytes());
        watermarks = new Watermarks(ByteBuffer.allocateDirect(Watermarks.LENGTH).order(ByteOrder.LITTLE_ENDIAN), 0);
        log = new HybridLog(LogKind.RECORD, STORE_ID, 1, ring.view(), watermarks, 0, 0);
        final SegmentWriter writer = new SegmentWriter(Storage.DISK, segments, settings.direct(), () -> {});
        evictor = Evictor.create(
                List.of(new Evictor.Assignment(log, writer, null)),
                STORE_ID,
                new PagesAlone(),
                SegmentBudget.UNLIMITED,
                TimeUnit.DAYS.toNanos(1),
                Long.MAX_VALUE);
        evictor.start();
    }

    @Override
    void fillPages() {
        for (int page = 0; page < ring.length(); page += PageDescriptor.PAGE_LENGTH) {
            log.beginPage(page, log.tail(), false);
            log.advance(log.remaining());
            log.sealPage(page);
        }
    }

    @Override
    void evictPages() {
        log.publish();
        log.publishSealed();
        evictor.force();
    }

    /** The address after the last page. */
    public long end() {
        return log.tail();
    }

    /** What a reader needs of the log: with its ring, or of its files alone. */
    public LogView view(boolean withRing) {
        return new LogView(LogKind.RECORD, STORE_ID, Storage.DISK, segments, watermarks, withRing ? log.ring() : null);
    }

    @Override
    public void close() {
        evictor.close();
        super.close();
    }
}
