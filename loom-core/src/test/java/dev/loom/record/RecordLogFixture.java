package dev.loom.record;

import dev.loom.api.Pressure;
import dev.loom.filter.UnitFiles;
import dev.loom.io.Storage;
import dev.loom.log.Durability;
import dev.loom.log.Evictor;
import dev.loom.log.HybridLog;
import dev.loom.log.LogKind;
import dev.loom.log.LogView;
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
            Segments segments = new Segments(directory.resolve(kind.name()), 16L << 20);
            Storage.DISK.createDirectories(segments.folder());
            UnsharedLog unshared = new UnsharedLog(kind, STORE_ID, 1, Storage.DISK, segments, 0, RING);
            ByteBuffer live = ByteBuffer.allocateDirect(Watermarks.LENGTH).order(ByteOrder.LITTLE_ENDIAN);
            unshared.log().moveTo(unshared.log().ringBytes(), live);
            unshared.log().watermarks().reset(0, 0);
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
    final RecordLog log;
    long clockNs = FIRST_TIME;

    RecordLogFixture(Path directory, int sourceCount) {
        this(directory, sourceCount, Pressure.DROP_NEWEST);
    }

    RecordLogFixture(Path directory, int sourceCount, Pressure pressure) {
        records = Part.of(LogKind.RECORD, directory);
        times = Part.of(LogKind.TIME, directory);
        chunks = Part.of(LogKind.CHUNK, directory);
        for (int id = 0; id <= sourceCount; id++) {
            sources.add(id, false, new SourceTotals(), 0);
        }
        slots = SourceSlots.allocate(sourceCount + 1);
        losses = LossSlots.allocate(sourceCount + 1);
        log = new RecordLog(new RecordLog.Parts(
                records.log(),
                times.log(),
                chunks.log(),
                sources,
                slots,
                losses,
                lossCounts,
                () -> clockNs++,
                Evictor.create(List.of(), STORE_ID, new NoDurability(), SegmentBudget.UNLIMITED, 1, 1),
                new PressureGauge(ByteBuffer.allocateDirect(PressureGauge.LENGTH), 0),
                pressure,
                Long.MAX_VALUE,
                FIRST_TIME,
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
