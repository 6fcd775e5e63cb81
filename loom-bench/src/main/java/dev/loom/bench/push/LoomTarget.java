package dev.loom.bench.push;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.Eviction;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.format.Formats;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import dev.loom.query.model.Order;

/** A store with one source; subclasses define how to push to it. */
public abstract class LoomTarget implements PushTarget {
    private static final String SOURCE_NAME = "bench";

    final PayloadPool pool;
    final Loom loom;
    final int sourceId;
    long pushed;

    private final PushSettings settings;
    private final TargetFiles files;

    LoomTarget(PushSettings settings, PayloadPool pool, TargetFiles files) {
        this.settings = settings;
        this.pool = pool;
        this.files = files;
        loom = Loom.open(LoomConfig.at(files.directory().resolve("store"))
                .stagingDirectory(files.staging())
                .recordRingBytes(settings.ringBytes())
                .segmentBytes(settings.segmentBytes())
                .eviction(settings.direct() ? Eviction.DIRECT : Eviction.PAGE_CACHE)
                .maxBytes(LoomConfig.UNLIMITED)
                .build());
        sourceId = loom.defineSource(SOURCE_NAME, Formats.parse("bytes"));
    }

    /** Opens a target of {@link PushKind#LOOM}. */
    public static LoomTarget open(PushSettings settings, PayloadPool pool) {
        return (LoomTarget) PushKind.LOOM.open(settings, pool);
    }

    /** The store, for readers. */
    public final Loom store() {
        return loom;
    }

    public final int sourceId() {
        return sourceId;
    }

    @Override
    public final long pushed() {
        return pushed;
    }

    @Override
    public final void drain() {
        loom.force();
        loom.releaseWriter(); // another thread may push what follows
    }

    @Override
    public final void finish() {
        loom.force();
    }

    @Override
    public final void verify() {
        try (Snapshot snapshot = loom.snapshot()) {
            final Source source = snapshot.source(SOURCE_NAME).orElseThrow();
            final Source.Statistics statistics = snapshot.statistics(source.id());
            final long bytes = pushed * settings.payloadLength();
            if (statistics.records() != pushed || statistics.bytes() != bytes || statistics.lost() != 0) {
                throw new IllegalStateException("store counts differ: expected=" + pushed + " records of " + bytes
                        + " bytes, actual=" + statistics);
            }
            verifyRecords(snapshot, source);
        }
    }

    @Override
    public final void close() {
        loom.close();
        files.close();
    }

    /** Fails if the store refused. */
    static void check(long answer) {
        if (answer < 0) {
            throw new IllegalStateException("push was refused: status=" + answer);
        }
    }

    private void verifyRecords(Snapshot snapshot, Source source) {
        long records = 0;
        long lastNs = Long.MIN_VALUE;
        try (QueryCursor cursor =
                RawScan.of(snapshot, source).order(Order.OLDEST_FIRST).open()) {
            while (cursor.next()) {
                if (!pool.matches(records, cursor.buffer(), cursor.offset(), cursor.length())
                        || cursor.timeNs() < lastNs) {
                    throw new IllegalStateException("store record differs: record=" + records + ", address="
                            + cursor.address() + ", time=" + cursor.timeNs() + ", previous=" + lastNs);
                }
                lastNs = cursor.timeNs();
                records++;
            }
            if (records != pushed || !cursor.completeness().complete()) {
                throw new IllegalStateException("scan gave another number of records: expected=" + pushed + ", actual="
                        + records + ", " + cursor.completeness());
            }
        }
    }
}
