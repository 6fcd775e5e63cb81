package dev.loom.store;

import dev.loom.api.Index;
import dev.loom.api.RecordCursor;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.TextIndexInfo;
import dev.loom.format.RecordLookup;
import dev.loom.log.Watermarks;
import dev.loom.read.SnapshotReader;
import dev.loom.record.LeasedSnapshot;
import dev.loom.record.LossSlots;
import dev.loom.record.ReferencedRecords;
import dev.loom.record.SnapshotView;
import dev.loom.record.SourceCounter;
import dev.loom.record.SourceFormats;
import dev.loom.record.SourceSlots;
import dev.loom.schema.Schema;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** A snapshot: a few addresses, and a lease on the mappings. */
final class StoreSnapshot implements Snapshot, LeasedSnapshot {
    /** How long a moment without a new loss is waited for. */
    private static final long QUIET_NS = 2_000_000;

    /**
     * The end of the record log, and the losses without a marker below it.
     *
     * @param unmarked as from {@link LossSlots#unmarked}
     */
    @SuppressWarnings("ArrayRecordComponent") // nobody compares them
    record Losses(long recordTail, long[] unmarked) {
        /**
         * Reads both at one moment or, while losses go on, so that one may be counted twice but none is missing.
         *
         * @param live whether the slots may change; those of a dead writer do not
         */
        static Losses read(LossSlots slots, LongSupplier tail, boolean live, LongSupplier nanoTime) {
            long start = nanoTime.getAsLong();
            do {
                long sequence = slots.sequenceAcquire();
                long recordTail = tail.getAsLong();
                long[] unmarked = slots.unmarked(recordTail);
                if (!live || slots.unchanged(sequence)) {
                    return new Losses(recordTail, unmarked);
                }
                Thread.onSpinWait();
            } while (nanoTime.getAsLong() - start < QUIET_NS);
            long[] unmarked = slots.unmarkedAtLeast();
            return new Losses(tail.getAsLong(), unmarked);
        }
    }

    private final SnapshotView view;
    private final Schema schema;
    private final LossSlots losses;
    private final boolean live;
    private final Leases leases;
    private final long[] unmarked;
    private final AtomicBoolean closed = new AtomicBoolean();

    private StoreSnapshot(
            SnapshotView view, Schema schema, LossSlots losses, long[] unmarked, boolean live, Leases leases) {
        this.view = view;
        this.schema = schema;
        this.losses = losses;
        this.unmarked = unmarked;
        this.live = live;
        this.leases = leases;
    }

    /** Takes a snapshot, for which the caller has taken a lease. */
    static StoreSnapshot take(
            StoreLogs logs, SourceSlots slots, LossSlots losses, Supplier<Schema> schema, boolean live, Leases leases) {
        Watermarks records = logs.records().watermarks();
        long recordBegin = records.beginAcquire();
        Losses lost = Losses.read(losses, records::tailAcquire, live, System::nanoTime);
        long recordTail = lost.recordTail();
        // read before the tail, which is never below it
        long covered = logs.times().watermarks().coveredAcquire();
        long timeTail = Math.min(covered, logs.times().watermarks().tailAcquire());
        long chunkTail = logs.chunks().watermarks().tailAcquire();
        SnapshotView view = new SnapshotView(
                logs.records(),
                logs.times(),
                logs.chunks(),
                recordBegin,
                recordTail,
                timeTail,
                chunkTail,
                slots,
                logs.text());
        return new StoreSnapshot(view, schema.get(), losses, lost.unmarked(), live, leases);
    }

    /** @throws IllegalArgumentException for an id that no source can have */
    static void requireSource(int id) {
        if (id < 0) {
            throw new IllegalArgumentException("bad source: id=" + id);
        }
    }

    @Override
    public SnapshotView view() {
        if (closed.get()) {
            throw new IllegalStateException("snapshot is closed");
        }
        return view;
    }

    @Override
    public void acquire() {
        if (closed.get() || !leases.acquireMore()) {
            throw new IllegalStateException("snapshot is closed");
        }
    }

    @Override
    public void release() {
        leases.release();
    }

    @Override
    public long unmarkedLost(int sourceId, long fromNs, long toNs) {
        for (int i = 0; i < unmarked.length; i += LossSlots.UNMARKED_FIELDS) {
            if (unmarked[i] == sourceId) {
                boolean overlaps = unmarked[i + 2] < toNs && unmarked[i + 3] >= fromNs;
                return overlaps ? unmarked[i + 1] : 0;
            }
        }
        return 0;
    }

    @Override
    public long storeId() {
        return view.records().storeId();
    }

    @Override
    public long tailAddress() {
        return view.recordTail();
    }

    @Override
    public long beginAddress() {
        acquire();
        try {
            return view.retainedBegin();
        } finally {
            release();
        }
    }

    @Override
    public long lastTimeNs() {
        acquire();
        try {
            return view.lastTimeNs();
        } finally {
            release();
        }
    }

    @Override
    public boolean live() {
        return live;
    }

    @Override
    public List<Source> sources() {
        return schema.sources();
    }

    @Override
    public Optional<Source> source(String name) {
        return schema.source(name);
    }

    @Override
    public List<Index> indexes(int sourceId) {
        return schema.indexes(sourceId);
    }

    @Override
    public Optional<Index> index(int sourceId, String name) {
        Index found = null;
        for (Index index : schema.indexes(sourceId)) {
            // an open index is the last with its name
            found = index.name().equals(name) ? index : found;
        }
        return Optional.ofNullable(found);
    }

    @Override
    public Source.Statistics statistics(int sourceId) {
        requireSource(sourceId);
        acquire();
        try {
            return SourceCounter.count(view, sourceId, losses.lost(sourceId));
        } finally {
            release();
        }
    }

    @Override
    public Optional<TextIndexInfo> textIndex(int sourceId) {
        try (SnapshotReader reader = SnapshotReader.of(this)) {
            return sources().stream()
                    .filter(source -> source.id() == sourceId && TextIndexing.mayHaveText(source))
                    .findFirst()
                    .map(source -> UnindexedTexts.info(
                            reader, view, source, TextIndexing.indexedOrNone(source), statistics(source.id())));
        }
    }

    @Override
    public RecordCursor newestFirst(int sourceId, long fromNs, long toNs) {
        return SnapshotCursor.newestFirst(this, sourceId, fromNs, toNs);
    }

    @Override
    public RecordCursor oldestFirst(int sourceId, long fromNs, long toNs) {
        return SnapshotCursor.oldestFirst(this, sourceId, fromNs, toNs);
    }

    @Override
    public RecordLookup lookup() {
        acquire();
        return new ReferencedRecords(view.records(), view::recordTail, new SourceFormats(this), this::release);
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            leases.release();
        }
    }
}
