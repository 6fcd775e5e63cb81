package dev.loom.read;

import dev.loom.api.Snapshot;
import dev.loom.format.RecordLookup;
import dev.loom.record.ReferencedRecords;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

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
    private final ReferencedRecords records;
    /** Null if somebody else holds the lease. */
    private final @Nullable SnapshotReader own;

    SnapshotLookup(ReferencedRecords records, @Nullable SnapshotReader own) {
        this.records = records;
        this.own = own;
    }

    /**
     * Opens a lookup with a lease of its own.
     *
     * @throws IllegalStateException if the snapshot is closed
     */
    public static SnapshotLookup of(Snapshot snapshot) {
        SnapshotReader reader = SnapshotReader.of(snapshot);
        return new SnapshotLookup(reader.referenced(), reader);
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

    /** Damaged pages met so far. */
    public long pagesDamaged() {
        return records.pagesDamaged();
    }

    /** Bytes of the record log read so far. */
    public long bytesRead() {
        return records.bytesRead();
    }

    /** Frees the memory; from then on nothing is found. */
    @Override
    public void close() {
        records.close();
        if (own != null) {
            own.close();
        }
    }
}
