package dev.loom.record;

import dev.loom.api.Pressure;
import dev.loom.filter.UnitFiles;
import dev.loom.io.Storage;
import dev.loom.log.Durability;
import dev.loom.log.Evictor;
import dev.loom.log.HybridLog;
import dev.loom.log.LogKind;
import dev.loom.log.LogView;
import dev.loom.log.PageDescriptor;
import dev.loom.log.SegmentBudget;
import dev.loom.log.Segments;
import dev.loom.log.UnsharedLog;
import dev.loom.log.Watermarks;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;

/**
 * A record log and its indexes, without a store or a thread: the test evicts. The watermarks of each log lie in a buffer whose limit
 * the test may lower, so that one of them can't be stored, and the writer stops there.
 */
final class RecordLogFixture implements AutoCloseable {
    static final int RING = 1 << 19;
    static final long FIRST_TIME = 1_000_000_000_000L;

    /** Offsets in the watermarks, as in their picture. */
    static final int TAIL_OFFSET = 0;

    static final int SEALED_OFFSET = 8;
    static final int COVERED_OFFSET = 24;

    private static final long STORE_ID = 7;

    /** One log, and the bytes of its watermarks. */
    record Part(UnsharedLog unshared, Segments segments, ByteBuffer live) {
        static Part of(LogKind kind, Path directory) {
            return of(kind, directory, 0);
        }

        /** @param first the address of its first page */
        static Part of(LogKind kind, Path directory, long first) {
            Segments segments = new Segments(directory.resolve(kind.name()), 16L << 20);
            Storage.DISK.createDirectories(segments.folder());
            UnsharedLog unshared = new UnsharedLog(kind, STORE_ID, 1, Storage.DISK, segments, first, RING);
            ByteBuffer live = ByteBuffer.allocateDirect(Watermarks.LENGTH).order(ByteOrder.LITTLE_ENDIAN);
            unshared.log().moveTo(unshared.log().ringBytes(), live);
            unshared.log().watermarks().reset(0, first);
            return new Part(unshared, segments, live);
        }

        HybridLog log() {
            return unshared.log();
        }

        Watermarks watermarks() {
            return log().watermarks();
        }

        LogView view() {
            return new LogView(log().kind(), STORE_ID, Storage.DISK, segments, watermarks(), log().ring());
        }

        /** Watermarks from an offset on can't be stored, until {@link #allow}. */
        void refuse(int offset) {
            live.limit(offset);
        }

        void allow() {
            live.clear();
        }
    }

    /** Nothing has to be durable. */
    static final class NoDurability implements Durability {
        @Override
        public void syncSchema() {}

        @Override
        public void writeMark(long[] durable) {}

        @Override
        public void tick() {}
    }

    final Part records;
    final Part times;
    final Part chunks;
    final WriterSources sources = new WriterSources();
    final SourceSlots slots;
    final LossSlots losses;
    final LossCounts lossCounts = new LossCounts(ByteBuffer.allocateDirect(LossCounts.LENGTH), 0);
    final PressureGauge gauge =
            new PressureGauge(ByteBuffer.allocateDirect(PressureGauge.LENGTH).order(ByteOrder.LITTLE_ENDIAN), 0);

    /** Not started: the test alone evicts. */
    final Evictor evictor = Evictor.create(List.of(), STORE_ID, new NoDurability(), SegmentBudget.UNLIMITED, 1, 1);

    final RecordLog log;
    long clockNs = FIRST_TIME;

    RecordLogFixture(Path directory, int sourceCount) {
        this(directory, sourceCount, Pressure.DROP_NEWEST);
    }

    RecordLogFixture(Path directory, int sourceCount, Pressure pressure) {
        this(
                Part.of(LogKind.RECORD, directory),
                Part.of(LogKind.TIME, directory),
                Part.of(LogKind.CHUNK, directory),
                sourceCount,
                pressure);
    }

    private RecordLogFixture(Part records, Part times, Part chunks, int sourceCount, Pressure pressure) {
        this.records = records;
        this.times = times;
        this.chunks = chunks;
        for (int id = 0; id <= sourceCount; id++) {
            sources.add(id, false, new SourceTotals(), 0);
        }
        slots = SourceSlots.allocate(sourceCount + 1);
        losses = LossSlots.allocate(sourceCount + 1);
        log = writer(sources, pressure, FIRST_TIME);
    }

    /**
     * The same records, and indexes that begin behind a gap, as if those before were lost.
     *
     * @param gapEnd a page's address
     */
    RecordLogFixture behindGap(Path directory, int sourceCount, long gapEnd) {
        Part nextTimes = Part.of(LogKind.TIME, directory, gapEnd);
        Part nextChunks = Part.of(LogKind.CHUNK, directory, gapEnd);
        for (Part index : List.of(nextTimes, nextChunks)) {
            index.watermarks().gap(0, gapEnd, 0, records.log().tail());
        }
        RecordLogFixture next = new RecordLogFixture(records, nextTimes, nextChunks, sourceCount, Pressure.DROP_NEWEST);
        next.clockNs = clockNs;
        for (int id = 0; id <= sourceCount; id++) {
            SourceTotals totals = next.sources.states()[id].totals;
            totals.directoryAddress = gapEnd - PageDescriptor.PAGE_LENGTH; // the chain leads into the gap
            next.slots.put(id, totals);
        }
        return next;
    }

    /** A writer that goes on where the records end. */
    RecordLog writer(WriterSources writerSources, Pressure pressure, long lastTimeNs) {
        return new RecordLog(new RecordLog.Parts(
                records.log(),
                times.log(),
                chunks.log(),
                writerSources,
                slots,
                losses,
                lossCounts,
                () -> clockNs++,
                evictor,
                gauge,
                pressure,
                Long.MAX_VALUE,
                lastTimeNs,
                -1));
    }

    void evict() {
        records.unshared.evict();
        times.unshared.evict();
        chunks.unshared.evict();
    }

    /** What a reader sees now. */
    SnapshotView snapshot() {
        return new SnapshotView(
                records.view(),
                times.view(),
                chunks.view(),
                records.watermarks().beginAcquire(),
                records.watermarks().tailAcquire(),
                Math.min(times.watermarks().coveredAcquire(), times.watermarks().tailAcquire()),
                chunks.watermarks().tailAcquire(),
                slots,
                UnitFiles.beside(
                        records.view().storage(), records.view().segments().folder()));
    }

    @Override
    public void close() {
        records.unshared.close();
        times.unshared.close();
        chunks.unshared.close();
    }
}
