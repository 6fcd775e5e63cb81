package dev.loom.server.prometheus.store;

import dev.loom.api.Bins;
import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.Store;
import dev.loom.query.model.Completeness;
import dev.loom.query.service.HistogramRequest;
import dev.loom.query.service.QueryLimits;
import dev.loom.query.service.QueryReport;
import dev.loom.query.service.QueryRequest;
import dev.loom.query.service.ResultHandler;
import dev.loom.server.http.MissingText;
import dev.loom.server.http.StoreQueries;
import dev.loom.server.prometheus.promql.EvaluationException;
import dev.loom.server.prometheus.promql.Meter;
import dev.loom.server.prometheus.promql.Remarks;
import dev.loom.server.time.EpochTime;
import dev.loom.server.time.StoreTime;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** The queries that a request makes to one snapshot, within one time and memory. For one thread. */
public final class SeriesQuery implements Meter {
    private static final long NS_PER_MS = 1_000_000;

    private final StoreQueries.Session session;
    private final Store store;
    private final Snapshot snapshot;
    private final Remarks remarks;
    private final BooleanSupplier cancelled;
    private final long deadlineNs;
    private final Map<String, FieldBuckets> layouts = new HashMap<>();
    private long kept;

    /**
     * Prepares to ask.
     *
     * @param timeMax for all queries together
     * @param cancelled whether nobody waits for the answer any more
     * @param remarks what answers lack is added to them
     */
    public SeriesQuery(
            StoreQueries.Session session,
            Store store,
            Snapshot snapshot,
            Duration timeMax,
            BooleanSupplier cancelled,
            Remarks remarks) {
        this.session = session;
        this.store = store;
        this.snapshot = snapshot;
        this.remarks = remarks;
        this.cancelled = cancelled;
        deadlineNs = System.nanoTime() + timeMax.toNanos();
    }

    Snapshot snapshot() {
        return snapshot;
    }

    /** The memory and what may be reserved of it. */
    StoreQueries.Session session() {
        return session;
    }

    /**
     * A time in nanoseconds.
     *
     * @throws EvaluationException if it has none
     */
    static long ns(long ms) {
        if (Math.abs(ms) > Long.MAX_VALUE / NS_PER_MS - 1) {
            throw new EvaluationException("time is out of range: epoch milliseconds=" + ms);
        }
        return ms * NS_PER_MS;
    }

    private Duration left() {
        return Duration.ofNanos(Math.max(0, deadlineNs - System.nanoTime()));
    }

    /** What is left of the time. */
    QueryLimits limits() {
        return QueryLimits.NONE.withTimeMax(left());
    }

    /** Runs a query; what its answer lacks is remarked. */
    void run(QueryRequest request, ResultHandler results) {
        check();
        QueryReport report = session.run(snapshot, request, results);
        Completeness missing = report.completeness();
        if (missing.limit() != Completeness.Limit.NONE) {
            throw new TimeOverException();
        }
        MissingText.of(missing).forEach(this::remarkMissing);
        if (report.withoutTime() > 0) {
            remarkMissing(MissingText.WITHOUT_TIME);
        }
    }

    /**
     * As {@link #run}; then the memory of the counts is released.
     *
     * @param results keeps none of the counts, and reserves memory by {@link #reserve} alone
     */
    void count(HistogramRequest request, ResultHandler results) {
        long keptBefore = kept;
        long before = session.memory().reserved();
        run(request, results);
        session.memory().release(session.memory().reserved() - before - (kept - keptBefore));
    }

    /** Remarks that the answer lacks something. */
    void remarkMissing(String text) {
        remarks.warn("incomplete: " + text);
    }

    /** Remarks if the machine's clock, which clients ask by, is behind the times that records got when they arrived. */
    void remarkClock() {
        long aheadNs = StoreTime.aheadNs(store, snapshot, EpochTime.of(Instant.now()));
        if (aheadNs > 0) {
            remarks.warn(StoreTime.tellOfMachineTimes(aheadNs));
        }
    }

    /** The layout of the bins that the histogram operator counts in: those of the last index over a field that has any. */
    FieldBuckets layout(Source source, String field) {
        Bins bins = Bins.logLinear();
        IndexFunction function = IndexFunction.field(source.format(), field);
        for (Index index : snapshot.indexes(source.id())) {
            if (index.kind() == Index.Kind.VALUE && index.function().equals(function)) {
                bins = index.bins();
            }
        }
        Bins found = bins;
        return layouts.computeIfAbsent(function.type() + " " + bins.text(), any -> new FieldBuckets(found));
    }

    @Override
    public void reserve(long bytes) {
        session.memory().reserve(bytes);
        kept += bytes;
    }

    /** The bytes reserved by {@link #reserve} and not released. */
    long kept() {
        return kept;
    }

    /** Releases some of the {@link #kept()} bytes. */
    public void release(long bytes) {
        session.memory().release(bytes);
        kept -= bytes;
    }

    @Override
    public void check() {
        if (left().isZero() || cancelled.getAsBoolean()) {
            throw new TimeOverException();
        }
    }
}
