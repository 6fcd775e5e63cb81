package dev.loom.query;

import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.format.RecordLookup;
import dev.loom.record.ReferencedRecords;
import dev.loom.record.SnapshotView;
import dev.loom.store.StoreSnapshot;
import java.util.HashMap;
import java.util.Map;
import org.agrona.DirectBuffer;

/**
 * Finds the records of a snapshot that other records refer to, for callers who read record fields themselves:
 *
 * <pre>
 *     FieldValue value = new FieldValue();
 *     value.lookup(lookup);
 *     while (cursor.next()) {
 *         lookup.from(cursor.address());
 *         reader.read(cursor.buffer(), cursor.offset(), cursor.length(), value);
 *     }
 * </pre>
 *
 * <p>Queries do this themselves for their conditions and indexes. Memory: at most 256 KiB, and the longest jumbo payload
 * that is referred to; none until the first lookup. It remains valid after the snapshot is closed, until it is closed
 * itself. For one thread.
 */
public final class SnapshotLookup implements RecordLookup, AutoCloseable {
    private final StoreSnapshot snapshot;
    private final ReferencedRecords records;
    private boolean closed;

    private SnapshotLookup(StoreSnapshot snapshot) {
        this.snapshot = snapshot;
        this.records = within(snapshot);
    }

    /**
     * Opens a lookup.
     *
     * @throws IllegalStateException if the snapshot is closed
     */
    public static SnapshotLookup of(Snapshot snapshot) {
        StoreSnapshot store = (StoreSnapshot) snapshot;
        store.acquire();
        return new SnapshotLookup(store);
    }

    /** A lookup for a caller that holds a lease of the snapshot. */
    static ReferencedRecords within(StoreSnapshot snapshot) {
        SnapshotView view = snapshot.view();
        Map<Integer, String> formats = new HashMap<>();
        return new ReferencedRecords(view.records(), view::recordTail, id -> {
            if (formats.isEmpty()) {
                for (Source source : snapshot.sources()) {
                    formats.put(source.id(), source.format().text());
                }
            }
            return formats.get(id);
        });
    }

    @Override
    public void from(long recordAddress) {
        records.from(recordAddress);
    }

    @Override
    public boolean find(long address, String format) {
        return records.find(address, format);
    }

    @Override
    public DirectBuffer buffer() {
        return records.buffer();
    }

    @Override
    public int offset() {
        return records.offset();
    }

    @Override
    public int length() {
        return records.length();
    }

    @Override
    public long failures() {
        return records.failures();
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            records.close();
            snapshot.release();
        }
    }
}
