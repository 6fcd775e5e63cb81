package dev.loom.query.service;

import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.Store;
import dev.loom.error.StoreNotFoundException;
import dev.loom.error.StoreReopenedException;
import dev.loom.format.RecordLookup;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import dev.loom.query.model.Completeness;
import dev.loom.query.model.Order;
import dev.loom.query.model.TimeRange;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.agrona.collections.LongHashSet;
import org.jspecify.annotations.Nullable;

/**
 * Hands over the last records of a source and those that arrive, each once, even if the writer restarts: it remembers the
 * address from which on nothing is handed over yet. For one thread.
 */
final class TailScan {
    private static final long POLL_NS = 10_000_000L;
    private static final long NOT_BEGUN = -1;
    private static final int ATTEMPTS_MAX = 100;

    /** Of more damaged pages than these that references lead to, some are told again. */
    private static final int TOLD_PAGES_MAX = 4096;

    private final Supplier<Store> stores;
    private final Function<Snapshot, TailRequest> asked;
    private final ResultHandler results;
    private final Function<QueryLimits, QueryExecution> executions;
    private @Nullable Running running;
    private int attempts;
    private long storeId;
    private long nextAddress = NOT_BEGUN;
    private long nextTimeNs = Long.MIN_VALUE;
    /** The records of the source that were lost when it was last looked at. */
    private long lost;

    /** The damaged pages to which references led, and which were told of: later records may refer to them, too. */
    private final LongHashSet toldPages = new LongHashSet();

    /** Whether the source was closed when it was last looked at. */
    private boolean closed;

    TailScan(
            Supplier<Store> stores,
            Function<Snapshot, TailRequest> asked,
            ResultHandler results,
            Function<QueryLimits, QueryExecution> executions) {
        this.stores = stores;
        this.asked = asked;
        this.results = results;
        this.executions = executions;
    }

    /** The request, known from the first snapshot on, and its scans. */
    private record Running(TailRequest request, QueryExecution scans) {}

    /**
     * Returns when everything is handed over or, if following, when cancelled, when the time is over, or when the source is closed
     * and everything of it is handed over.
     */
    QueryReport run() {
        boolean going = true;
        while (going) {
            try (Store store = stores.get()) {
                going = poll(store) && running().request().follow() && follow(store);
            } catch (StoreReopenedException e) {
                // The writer restarted. What follows the last address handed over is in the store it opened.
                going = running == null ? attachAgain(e) : running.request().follow() && pause();
            }
        }
        if (running().request().follow()) {
            scans().endByCancellation();
        }
        return scans().report(0, true);
    }

    /** Before anything is known of the request, and so of its time. */
    private boolean attachAgain(StoreReopenedException e) {
        if (++attempts == ATTEMPTS_MAX) {
            throw e;
        }
        LockSupport.parkNanos(POLL_NS);
        return true;
    }

    private Running running() {
        return Objects.requireNonNull(running);
    }

    private QueryExecution scans() {
        return running().scans();
    }

    private boolean poll(Store store) {
        try (Snapshot snapshot = store.snapshot()) {
            return poll(snapshot);
        }
    }

    private boolean poll(Snapshot snapshot) {
        if (running == null) {
            storeId = snapshot.storeId();
            TailRequest request = asked.apply(snapshot);
            running = new Running(request, executions.apply(request.limits()));
            results.onBegin(request.source());
        } else if (snapshot.storeId() != storeId) {
            throw new StoreNotFoundException("another store has taken the place of the one that was followed: id="
                    + Long.toHexString(storeId) + ", now=" + Long.toHexString(snapshot.storeId()));
        }
        try (RecordLookup lookup = snapshot.lookup()) {
            results.onLookup(lookup);
            return nextAddress == NOT_BEGUN ? handOverLast(snapshot) : handOverNew(snapshot);
        }
    }

    private boolean follow(Store store) {
        boolean going = pause();
        while (going) {
            boolean ends;
            try (Snapshot snapshot = store.snapshot()) {
                going = snapshot.tailAddress() == nextAddress || poll(snapshot);
                ends = ends(snapshot);
            }
            if (going && ends) {
                results.onClosed(running().request().source());
                return false;
            }
            going = going && pause();
        }
        return false;
    }

    /**
     * Whether no record of the source can follow, as it was closed. The first snapshot that says so may be without its last records:
     * its definitions are newer than its tail.
     */
    private boolean ends(Snapshot snapshot) {
        Source source = running().request().source();
        boolean before = closed;
        closed = snapshot.source(source.name())
                .filter(found -> found.id() == source.id() && !found.closed())
                .isEmpty();
        return before && closed;
    }

    private boolean pause() {
        QueryExecution scans = running().scans();
        if (scans.timeLeft().isZero()) {
            scans.endByTime();
            return false;
        }
        LockSupport.parkNanos(POLL_NS);
        return !scans.cancelled();
    }

    /** Seeks back to the first of the last records and hands over from there on, so that it keeps none in memory. */
    private boolean handOverLast(Snapshot snapshot) {
        long left = running().request().lines();
        long address = NOT_BEGUN;
        long timeNs = 0;
        if (left > 0) {
            try (QueryCursor record = open(raw(snapshot)
                    .order(Order.NEWEST_FIRST)
                    .countDamagedReferences(new LongHashSet()::add))) { // those that are handed over will be told
                while (left > 0 && scans().next(record)) {
                    address = record.address();
                    timeNs = record.timeNs();
                    left--;
                }
                // what all of the source lacks counts if there are fewer records than wanted
                if (!(left == 0 ? scans().addAgain(record) : scans().add(record))) {
                    return false;
                }
            }
        }
        if (address == NOT_BEGUN) {
            endAt(snapshot);
            lost = lostOf(snapshot);
            results.onFlush(); // what begins an answer, such as its columns, shall not wait for a record
            return true;
        }
        nextAddress = address;
        nextTimeNs = timeNs;
        lost = lostOf(snapshot);
        return handOver(snapshot, Completeness::lost, left == 0 ? scans()::add : scans()::addAgain);
    }

    private boolean handOverNew(Snapshot snapshot) {
        if (snapshot.tailAddress() < nextAddress) { // a power cut took records, and new ones have their addresses
            nextAddress = snapshot.beginAddress();
            nextTimeNs++;
            toldPages.clear();
        }
        // a loss that lasts would be in the range of each look
        long lostNow = lostOf(snapshot);
        long more = Math.max(0, lostNow - lost);
        return handOver(snapshot, missing -> more, record -> {
            lost = lostNow;
            return scans().add(record, more);
        });
    }

    /**
     * @param losing how many records were lost that were not reported, by what the range lacks
     * @param adding takes what the cursor did and lacked; false if something cut it short
     */
    private boolean handOver(Snapshot snapshot, ToLongFunction<Completeness> losing, Predicate<QueryCursor> adding) {
        boolean whole;
        Gaps gaps = new Gaps(losing);
        try (QueryCursor record = open(raw(snapshot)
                .range(new TimeRange(nextTimeNs, Long.MAX_VALUE))
                .fromAddress(nextAddress)
                .order(Order.OLDEST_FIRST)
                .countDamagedReferences(this::isNewDamage))) {
            while (gaps.next(record)) {
                results.onRecord(record.timeNs(), record.address(), record.buffer(), record.offset(), record.length());
                nextAddress = record.address() + 1;
                nextTimeNs = record.timeNs();
            }
            whole = adding.test(record);
        }
        results.onFlush();
        if (whole) {
            endAt(snapshot);
        }
        return whole;
    }

    private boolean isNewDamage(long page) {
        if (toldPages.size() == TOLD_PAGES_MAX) {
            toldPages.clear();
        }
        return toldPages.add(page);
    }

    /** Reports what one look misses, where it is missing: a tail that follows has no end at which it would be reported. */
    private final class Gaps {
        private final ToLongFunction<Completeness> losing;
        private boolean begun;
        private long damaged;
        private long pagesExpired;

        Gaps(ToLongFunction<Completeness> losing) {
            this.losing = losing;
        }

        /** Moves to the next record, and reports what is missing before it, or before the end. */
        boolean next(QueryCursor record) {
            boolean found = scans().next(record);
            if (running().request().follow()) {
                tell(record);
            }
            return found;
        }

        private void tell(QueryCursor record) {
            long lost = 0;
            boolean expired;
            if (begun) {
                // retention that reaches what was read in this look takes nothing from it
                expired = record.pagesExpired() > pagesExpired;
            } else {
                begun = true;
                Completeness lacks = record.completeness();
                lost = losing.applyAsLong(lacks);
                expired = lacks.expired();
            }
            long damagedPages = record.damaged() - damaged;
            if (lost > 0 || damagedPages > 0 || expired) {
                results.onMissing(new Completeness(lost, damagedPages, expired, Completeness.Limit.NONE, false));
            }
            damaged += damagedPages;
            pagesExpired = record.pagesExpired();
        }
    }

    private QueryCursor open(RawScan scan) {
        return scans().prepare(scan).open();
    }

    private RawScan raw(Snapshot snapshot) {
        RawScan scan = RawScan.of(snapshot, running().request().source());
        running().request().conditions().forEach(scan::where);
        return scan;
    }

    private long lostOf(Snapshot snapshot) {
        return snapshot.statistics(running().request().source().id()).lost();
    }

    private void endAt(Snapshot snapshot) {
        nextAddress = snapshot.tailAddress();
        nextTimeNs = snapshot.lastTimeNs();
    }
}
