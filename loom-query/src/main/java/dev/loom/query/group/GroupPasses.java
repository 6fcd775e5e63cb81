package dev.loom.query.group;

import dev.loom.api.Index;
import dev.loom.query.histogram.ChunkSteps;
import dev.loom.query.histogram.TimeSteps;
import dev.loom.query.model.Completeness.Limit;
import dev.loom.query.model.EventClock;
import dev.loom.query.model.Order;
import dev.loom.query.plan.EventRange;
import dev.loom.query.plan.EventTimes;
import dev.loom.query.plan.IndexSummaries;
import dev.loom.query.plan.IndexedFunction;
import dev.loom.query.walk.ChunkDecider;
import dev.loom.query.walk.PassGuard;
import dev.loom.query.walk.QueryScope;
import dev.loom.query.walk.SourceWalk;
import dev.loom.read.StoredRecord;
import dev.loom.value.KeyReader;
import org.jspecify.annotations.Nullable;

/** Passes over the records of a grouped aggregate: one for the totals, and some for percentiles. For one thread. */
public final class GroupPasses {
    private final QueryScope scope;
    private final TimeSteps steps;
    private final @Nullable EventClock clock;
    private final @Nullable KeyReader values;
    private final @Nullable IndexSummaries summaries;
    private final ChunkSteps chunkSteps;
    /** Whether chunks may be answered without reading their records: all of them belong to one group, but for steps. */
    private final boolean oneGroup;

    private final PassGuard guard;
    private long recordsRead;

    public GroupPasses(QueryScope scope, GroupTerms terms, TimeSteps steps) {
        this.scope = scope;
        this.steps = steps;
        EventRange events = scope.terms().eventRange();
        clock = events == null ? null : events.clock();
        IndexedFunction indexed = terms.values();
        values = indexed == null ? null : new KeyReader(indexed.function(), scope.lookup());
        oneGroup = terms.by().isEmpty() && terms.distinct() == null;
        summaries = indexed == null || !oneGroup
                ? null
                : indexed.summaries(scope.plan(), index -> index.kind() == Index.Kind.VALUE);
        chunkSteps = new ChunkSteps(steps, clock == null || !oneGroup ? null : EventTimes.of(clock, scope.plan()));
        guard = new PassGuard(scope);
    }

    TimeSteps steps() {
        return steps;
    }

    /** Makes the next pass the first one. */
    public void restart() {
        guard.restart();
    }

    /** The number of records read and examined. */
    public long recordsRead() {
        return recordsRead;
    }

    /** Counts all records. False if the query ended early. */
    boolean totals(GroupTable table, GroupStates states, @Nullable DistinctValues distinct) {
        guard.begin();
        boolean answers = oneGroup && (summaries != null || values == null);
        ChunkDecider decider =
                answers ? new GroupChunks(summaries, values == null, chunkSteps, table, states) : ChunkDecider.READ_ALL;
        // the chain finds totals fastest; a pass that reads pages goes forward, for the disk's read-ahead
        SourceWalk walk = scope.walk(answers ? Order.NEWEST_FIRST : Order.OLDEST_FIRST, decider);
        StoredRecord record = walk.record();
        while (walk.next()) {
            recordsRead++;
            int group = table.add(record.buffer(), record.offset(), record.length());
            int cell = table.addCell(group, table.stepped() ? step(record) : 0);
            states.addRecords(cell, 1);
            if (values != null && values.read(record.buffer(), record.offset(), record.length())) {
                states.addValue(cell, values.key(), values.remainder());
            }
            if (distinct != null) {
                distinct.add(cell, record.buffer(), record.offset(), record.length(), states);
            }
        }
        return end(walk);
    }

    /**
     * Goes over all values until all ranks that were asked for are found.
     *
     * @param byCell whether ranks are those of cells; otherwise those of groups
     * @return false if the query ended early
     */
    boolean search(GroupTable table, GroupRanks ranks, boolean byCell) {
        boolean going = true;
        while (going && !ranks.isDone()) {
            ranks.begin();
            going = pass(table, ranks, byCell);
            if (going) {
                ranks.end();
            }
        }
        ranks.free();
        return going;
    }

    private boolean pass(GroupTable table, GroupRanks ranks, boolean byCell) {
        guard.begin();
        SourceWalk walk = scope.walk(Order.OLDEST_FIRST, ChunkDecider.READ_ALL);
        StoredRecord record = walk.record();
        while (walk.next()) {
            recordsRead++;
            int at = table.find(record.buffer(), record.offset(), record.length());
            if (byCell && table.stepped() && at != GroupTable.NONE) {
                at = table.findCell(at, step(record));
            }
            if (at != GroupTable.NONE
                    && ranks.wants(at)
                    && values != null
                    && values.read(record.buffer(), record.offset(), record.length())) {
                ranks.add(at, values.key(), values.remainder());
            }
        }
        return end(walk);
    }

    private boolean end(SourceWalk walk) {
        guard.end();
        return walk.limit() == Limit.NONE;
    }

    private int step(StoredRecord record) {
        long timeNs = clock == null
                ? record.timeNs()
                : clock.epochNs(scope.lookup(), record.buffer(), record.offset(), record.length());
        return steps.step(timeNs);
    }
}
