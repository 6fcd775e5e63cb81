package dev.loom.query.race;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.log.PageDescriptor;
import dev.loom.log.PageState;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import dev.loom.query.model.Order;
import dev.loom.query.model.TimeRange;
import dev.loom.record.LeasedSnapshot;
import dev.loom.record.PageRecords;
import dev.loom.record.SnapshotView;
import java.util.SplittableRandom;

/**
 * Checks snapshots of a store that a {@link RaceWriter} writes: no record torn, none missing, none double, counts right. The
 * records of each fixed source carry sequences from 0, so what a snapshot must hold follows from its count. For one thread.
 */
final class RaceReader {
    private static final int RECORDS_MAX = 1_000;
    private static final int EDGE_PAGES = 16;

    private final int[] ids;
    private final int ringBytes;
    private final SplittableRandom random;
    private final RacePayload payload = new RacePayload();

    private long scans;
    private long records;
    private long lapped;

    RaceReader(int[] ids, int ringBytes, SplittableRandom random) {
        this.ids = ids;
        this.ringBytes = ringBytes;
        this.random = random;
    }

    long scans() {
        return scans;
    }

    long records() {
        return records;
    }

    /** Copies of pages thrown away, because the writer had come around. */
    long lapped() {
        return lapped;
    }

    /** Checks one snapshot in one of several ways. */
    void check(Snapshot snapshot) {
        scans++;
        int source = random.nextInt(ids.length - 1);
        int choice = random.nextInt(100);
        if (choice < 30) {
            checkNewest(snapshot, ids[source]);
        } else if (choice < 60) {
            checkRange(snapshot, ids[source]);
        } else if (choice < 99) {
            checkEdgeOfRing(snapshot);
        } else {
            checkWhole(snapshot, ids[ids.length - 1]);
        }
    }

    private void checkNewest(Snapshot snapshot, int id) {
        Source.Statistics statistics = snapshot.statistics(id);
        long expected = statistics.records() - 1;
        long end = Math.max(-1, expected - random.nextInt(RECORDS_MAX));
        long time = statistics.lastTimeNs();
        try (QueryCursor cursor = RawScan.of(snapshot, id).open()) {
            while (expected > end) {
                assertTrue(cursor.next(), "a record is missing");
                assertEquals(expected--, checked(cursor, id), "newest first");
                assertTrue(cursor.timeNs() <= time, "times increase backward");
                time = cursor.timeNs();
            }
            assertTrue(expected >= 0 || !cursor.next(), "a record too many");
        }
    }

    private void checkRange(Snapshot snapshot, int id) {
        Source.Statistics statistics = snapshot.statistics(id);
        long to = statistics.lastTimeNs() + 1 - random.nextInt(3) * (long) random.nextInt(2_000_000);
        long from = to - random.nextInt(4_000_000);
        TimeRange range = new TimeRange(from, to);
        long first = -1;
        long next = -1;
        try (QueryCursor cursor =
                RawScan.of(snapshot, id).order(Order.OLDEST_FIRST).range(range).open()) {
            while (cursor.next()) {
                long sequence = checked(cursor, id);
                first = first < 0 ? sequence : first;
                assertEquals(next < 0 ? sequence : next, sequence, "oldest first");
                assertTrue(cursor.timeNs() >= from && cursor.timeNs() < to, "out of range");
                next = sequence + 1;
            }
        }
        // the same, and the neighbours on both sides, without the range
        long newest = statistics.records();
        try (QueryCursor cursor = RawScan.of(snapshot, id).open()) {
            while (cursor.next() && cursor.timeNs() >= to) {
                newest = checked(cursor, id);
            }
            assertTrue(next < 0 || next == newest, "records are missing at the range's end");
        }
        long oldest = -1;
        try (QueryCursor cursor = RawScan.of(snapshot, id).range(range).open()) {
            while (cursor.next()) {
                oldest = checked(cursor, id);
                assertEquals(--newest, oldest, "newest first");
            }
        }
        assertEquals(first, oldest, "the two orders begin or end differently");
    }

    /** Reads pages that are handed back to the writer at about the same time, which is where copies are lapped. */
    private void checkEdgeOfRing(Snapshot snapshot) {
        SnapshotView view = ((LeasedSnapshot) snapshot).view();
        long tail = view.recordTail();
        long lowest = Math.max(0, PageDescriptor.pageAddress(tail) - 2L * ringBytes);
        try (PageRecords reader = new PageRecords(view.records(), tail, -1)) {
            for (int i = 0; i < EDGE_PAGES; i++) {
                long newest =
                        PageDescriptor.pageAddress(view.records().watermarks().tailAcquire());
                long edge = newest - ringBytes + (long) random.nextInt(3) * PageDescriptor.PAGE_LENGTH;
                long page = Math.max(lowest, edge);
                if (page < tail) {
                    checkPage(reader, page);
                }
            }
            lapped += reader.lapped();
        }
    }

    private void checkPage(PageRecords reader, long page) {
        assertEquals(PageState.PRESENT, reader.read(page), "page can't be read");
        while (reader.next()) {
            if (reader.sourceId() != 0) {
                payload.check(reader.buffer(), reader.offset(), reader.length(), reader.sourceId());
            }
            records++;
        }
    }

    /** Every record of a rare source, in both orders, against its statistics. */
    void checkWhole(Snapshot snapshot, int id) {
        Source.Statistics statistics = snapshot.statistics(id);
        long bytes = 0;
        long sequence = 0;
        try (QueryCursor cursor =
                RawScan.of(snapshot, id).order(Order.OLDEST_FIRST).open()) {
            while (cursor.next()) {
                assertEquals(sequence++, checked(cursor, id), "oldest first");
                bytes += cursor.length();
                assertTrue(sequence > 1 || cursor.timeNs() == statistics.firstTimeNs(), "first time differs");
            }
        }
        assertEquals(statistics.records(), sequence, "records counted");
        assertEquals(statistics.bytes(), bytes, "bytes counted");
        try (QueryCursor cursor = RawScan.of(snapshot, id).open()) {
            while (cursor.next()) {
                assertEquals(--sequence, checked(cursor, id), "newest first");
            }
            assertTrue(cursor.completeness().complete(), () -> "incomplete: " + cursor.completeness());
        }
        assertEquals(0, sequence, "records are missing");
    }

    private long checked(QueryCursor cursor, int id) {
        records++;
        return payload.check(cursor.buffer(), cursor.offset(), cursor.length(), id);
    }

    @Override
    public String toString() {
        return "scans=" + scans + ", records=" + records + ", lapped=" + lapped;
    }
}
