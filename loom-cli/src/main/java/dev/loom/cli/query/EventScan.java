package dev.loom.cli.query;

import dev.loom.cli.time.EventTime;
import dev.loom.format.RecordLookup;
import dev.loom.query.Order;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import dev.loom.query.TimeRange;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Supplier;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Prints records in event-time order, though they are stored in arrival order, in constant memory. Each scan keeps as many of the
 * next records in order as fit, so an answer that fits takes one scan, and a longer one several. A scan starts from the end of
 * the log that is wanted first, and skips what is printed and what no longer fits. If there is an index over event times and
 * records arrive roughly in order, each part of the log is therefore read about once. For one thread.
 */
final class EventScan {
    private static final Comparator<KeptRecord> OLDEST_FIRST =
            Comparator.comparingLong(KeptRecord::eventNs).thenComparingLong(KeptRecord::address);
    private static final byte[] NONE = {};

    private final QueryRun run;
    private final EventTime.Reader eventTime;
    private final RecordLookup lookup;
    private final RecordOutput output;
    private final long roomBytes;
    private Order eventOrder = Order.OLDEST_FIRST;
    private TimeRange window = TimeRange.ALL;
    private Comparator<KeptRecord> order = OLDEST_FIRST;
    private PriorityQueue<KeptRecord> kept = new PriorityQueue<>();
    private long keptBytes;
    /** The first record, in order, that did not fit. */
    private @Nullable KeptRecord cutoff;
    /** The last record printed. */
    private @Nullable KeptRecord last;

    /**
     * Prepares a scan.
     *
     * @param lookup finds the records that others refer to
     * @param roomBytes memory for the records kept at a time
     */
    EventScan(QueryRun run, EventTime.Reader eventTime, RecordLookup lookup, RecordOutput output, long roomBytes) {
        this.run = run;
        this.eventTime = eventTime;
        this.lookup = lookup;
        this.output = output;
        this.roomBytes = roomBytes;
    }

    /** Prints the records of an event-time range. */
    void run(Supplier<RawScan> scans, RecordFilter filter, TimeRange eventRange, Order inOrder) {
        eventOrder = inOrder;
        order = eventOrder == Order.OLDEST_FIRST ? OLDEST_FIRST : OLDEST_FIRST.reversed();
        kept = new PriorityQueue<>(order.reversed());
        boolean going = !output.full();
        while (going) {
            cutoff = null;
            setWindow();
            run.repeat();
            eventTime.forgetWithoutTime();
            RawScan scan = scans.get()
                    .order(eventOrder)
                    .eventRange(eventTime, eventRange)
                    .eventWindow(() -> window);
            going = run.scan(scan, filter, this::visit);
            printKept();
            going &= cutoff != null && !output.full();
        }
    }

    /** Limits the next scan to the times from the last record printed to the first that did not fit, both included. */
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
        return eventTime.withoutTime();
    }

    private boolean visit(QueryCursor record) {
        lookup.from(record.address());
        long eventNs = eventTime.epochNs(lookup, record.buffer(), record.offset(), record.length());
        KeptRecord place = new KeptRecord(eventNs, record.address(), NONE);
        boolean printed = last != null && order.compare(place, last) <= 0;
        boolean behind = cutoff != null && order.compare(place, cutoff) >= 0;
        if (!printed && !behind) {
            keep(record, eventNs);
        }
        return true;
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

    private void printKept() {
        List<KeptRecord> inOrder = new ArrayList<>(kept);
        inOrder.sort(order);
        UnsafeBuffer view = new UnsafeBuffer(0, 0);
        for (KeptRecord record : inOrder) {
            view.wrap(record.payload());
            output.print(record.eventNs(), record.address(), view, 0, record.payload().length);
            last = record;
        }
        kept.clear();
        keptBytes = 0;
    }
}
