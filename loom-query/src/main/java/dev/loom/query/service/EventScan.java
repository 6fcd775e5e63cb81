package dev.loom.query.service;

import dev.loom.format.RecordLookup;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import dev.loom.query.model.Order;
import dev.loom.query.model.TimeRange;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Supplier;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Hands over records in event-time order, though they are stored in arrival order, in constant memory. Each scan keeps as many of the
 * next records in order as fit, so an answer that fits takes one scan, and a longer one several. A scan starts from the end of
 * the log that is wanted first, and skips what is handed over and what no longer fits. If there is an index over event times and
 * records arrive roughly in order, each part of the log is therefore read about once. For one thread.
 */
final class EventScan {
    private static final Comparator<KeptRecord> OLDEST_FIRST =
            Comparator.comparingLong(KeptRecord::eventNs).thenComparingLong(KeptRecord::address);
    private static final byte[] NONE = {};

    private final QueryExecution run;
    private final SourceClock eventTime;
    private final RecordLookup lookup;
    private final LimitedRecords output;
    private final long roomBytes;
    private Order eventOrder = Order.OLDEST_FIRST;
    private TimeRange window = TimeRange.ALL;
    private Comparator<KeptRecord> order = OLDEST_FIRST;
    private PriorityQueue<KeptRecord> kept = new PriorityQueue<>();
    private long keptBytes;
    private long withoutTime;
    /** The first record, in order, that did not fit. */
    private @Nullable KeptRecord cutoff;
    /** The last record handed over. */
    private @Nullable KeptRecord last;

    /**
     * Prepares a scan.
     *
     * @param lookup finds the records that others refer to
     * @param roomBytes memory for the records kept at a time
     */
    EventScan(QueryExecution run, SourceClock eventTime, RecordLookup lookup, LimitedRecords output, long roomBytes) {
        this.run = run;
        this.eventTime = eventTime;
        this.lookup = lookup;
        this.output = output;
        this.roomBytes = roomBytes;
    }

    /** Hands over the records of an event-time range. */
    void run(Supplier<RawScan> scans, TimeRange eventRange, Order inOrder) {
        eventOrder = inOrder;
        order = eventOrder == Order.OLDEST_FIRST ? OLDEST_FIRST : OLDEST_FIRST.reversed();
        kept = new PriorityQueue<>(order.reversed());
        boolean going = !output.full();
        while (going) {
            cutoff = null;
            setWindow();
            run.repeat();
            long withoutTimeBefore = eventTime.withoutTime();
            RawScan scan = scans.get()
                    .order(eventOrder)
                    .eventRange(eventTime, eventRange)
                    .eventWindow(() -> window);
            going = scan(scan);
            withoutTime = eventTime.withoutTime() - withoutTimeBefore;
            handOverKept();
            going &= cutoff != null && !output.full();
        }
    }

    /** Limits the next scan to the times from the last record handed over to the first that did not fit, both included. */
    private void setWindow() {
        long begin = last == null ? Long.MIN_VALUE : last.eventNs();
        long end = cutoff == null ? Long.MAX_VALUE : cutoff.eventNs();
        if (eventOrder == Order.NEWEST_FIRST) {
            begin = cutoff == null ? Long.MIN_VALUE : cutoff.eventNs();
            end = last == null ? Long.MAX_VALUE : last.eventNs();
        }
        window = TimeRange.closed(begin, end);
    }

    /** Records without an event time, which therefore have no place in the answer. */
    long withoutTime() {
        return withoutTime;
    }

    private boolean scan(RawScan scan) {
        try (QueryCursor record = run.prepare(scan).open()) {
            while (run.next(record)) {
                consider(record);
            }
            return run.add(record);
        }
    }

    private void consider(QueryCursor record) {
        lookup.from(record.address());
        long eventNs = eventTime.epochNs(lookup, record.buffer(), record.offset(), record.length());
        KeptRecord place = new KeptRecord(eventNs, record.address(), NONE);
        boolean done = last != null && order.compare(place, last) <= 0;
        boolean behind = cutoff != null && order.compare(place, cutoff) >= 0;
        if (!done && !behind) {
            keep(record, eventNs);
        }
    }

    private void keep(QueryCursor record, long eventNs) {
        byte[] payload = new byte[record.length()];
        record.buffer().getBytes(record.offset(), payload);
        KeptRecord added = new KeptRecord(eventNs, record.address(), payload);
        kept.add(added);
        keptBytes += added.size();
        while (kept.size() > 1 && (keptBytes > roomBytes || kept.size() > output.left())) {
            KeptRecord dropped = kept.remove();
            keptBytes -= dropped.size();
            boolean narrower = cutoff == null || cutoff.eventNs() != dropped.eventNs();
            cutoff = dropped;
            if (narrower) {
                setWindow();
            }
        }
    }

    private void handOverKept() {
        List<KeptRecord> inOrder = new ArrayList<>(kept);
        inOrder.sort(order);
        UnsafeBuffer view = new UnsafeBuffer(0, 0);
        for (KeptRecord record : inOrder) {
            view.wrap(record.payload());
            output.add(record.eventNs(), record.address(), view, 0, record.payload().length);
            last = record;
        }
        kept.clear();
        keptBytes = 0;
    }
}
