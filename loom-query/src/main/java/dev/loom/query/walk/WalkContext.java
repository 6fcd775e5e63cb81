package dev.loom.query.walk;

import dev.loom.query.plan.QueryTerms;
import dev.loom.query.plan.WherePlan;
import dev.loom.query.where.PayloadPredicate;
import dev.loom.read.SnapshotLookup;
import dev.loom.read.SnapshotReader;
import org.jspecify.annotations.Nullable;

/**
 * What the walks of one query share. For one thread.
 *
 * @param predicate what a record's payload must meet; null if any will do
 */
record WalkContext(
        QueryTerms terms,
        SnapshotReader reader,
        SnapshotLookup lookup,
        WherePlan plan,
        ScanLimits limits,
        @Nullable PayloadPredicate predicate) {
    /** Bytes read of bins, and of records that others refer to. */
    long bytesReadBesides() {
        return lookup.bytesRead() + reader.binBytesRead();
    }
}
