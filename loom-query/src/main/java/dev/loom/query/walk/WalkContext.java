package dev.loom.query.walk;

import dev.loom.format.RecordLookup;
import dev.loom.query.plan.QueryTerms;
import dev.loom.query.plan.WherePlan;
import dev.loom.query.where.Where;
import dev.loom.read.SnapshotReader;
import org.jspecify.annotations.Nullable;

/**
 * What the walks of one query share. For one thread.
 *
 * @param predicate what a record's payload must meet; null if any will do
 * @param operands that the predicate may calculate with
 */
record WalkContext(
        QueryTerms terms,
        SnapshotReader reader,
        RecordLookup lookup,
        WherePlan plan,
        ScanLimits limits,
        Where.@Nullable Predicate predicate,
        int operands) {}
