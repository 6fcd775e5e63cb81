package dev.loom.query.group;

import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.query.histogram.ChunkSteps;
import dev.loom.query.histogram.TimeSteps;
import dev.loom.query.model.Completeness.Limit;
import dev.loom.query.model.EventClock;
import dev.loom.query.model.Order;
import dev.loom.query.model.TimeRange;
import dev.loom.query.plan.EventRange;
import dev.loom.query.plan.EventTimes;
import dev.loom.query.plan.IndexSummaries;
import dev.loom.query.plan.IndexedFunction;
import dev.loom.query.plan.KeyedSummaries;
import dev.loom.query.walk.ChunkDecider;
import dev.loom.query.walk.ChunkUse;
import dev.loom.query.walk.PassGuard;
import dev.loom.query.walk.QueryScope;
import dev.loom.query.walk.SourceWalk;
import dev.loom.value.BinScale;
import dev.loom.value.KeyReader;
import dev.loom.value.RecordBatch;
import org.jspecify.annotations.Nullable;

/**
 * Passes over the records of a grouped aggregate: one for the totals, and some for percentiles. Records come in batches, of each of
 * which first all groups are found, then all values, so that neither waits for the other. For one thread.
 */
public final class GroupPasses {
    /** Reads every part, but knows which parts lie in the range as a whole: their records come in batches. */
    private static final ChunkDecider READ_IN_BATCHES = (chunk, whole) -> ChunkUse.READ;

    private final QueryScope scope;
    private final TimeSteps steps;
    private final @Nullable EventClock clock;
    private final @Nullable IndexFunction function;
    private final @Nullable KeyReader values;
    /** Whether the values of a batch are read together: each is at a fixed place. */
    private final boolean valuesFixed;

    private final @Nullable IndexSummaries summaries;
    private final ChunkSteps chunkSteps;
    /** Null without an index whose keys have the groups' fields. */
    private final @Nullable KeyedChunks keyed;
    /** Whether chunks may be answered without reading their records: all of them belong to one group, apart from steps. */
    private final boolean oneGroup;

    private final PassGuard guard;
    private final RecordBatch batch = new RecordBatch();
    /** The cell of each record of the batch. */
    private final int[] cells = new int[RecordBatch.RECORDS_MAX];

    /** The step found last, of which most records are that follow. */
    private int step;

    private long stepFromNs;
    private long stepLengthNs;
    private long recordsRead;

    public GroupPasses(QueryScope scope, GroupTerms terms, TimeSteps steps) {
        this.scope = scope;
        this.steps = steps;
        EventRange events = scope.terms().eventRange();
        clock = events == null ? null : events.clock();
        IndexedFunction indexed = terms.values();
        function = indexed == null ? null : indexed.function();
        values = indexed == null ? null : new KeyReader(indexed.function(), scope.lookup());
        valuesFixed = indexed != null && indexed.function().fixedField() != null;
        oneGroup = terms.by().isEmpty() && terms.distinct() == null;
        summaries = indexed == null || !oneGroup
                ? null
                : indexed.summaries(scope.plan(), index -> index.kind() == Index.Kind.VALUE);
        chunkSteps = new ChunkSteps(steps, clock == null ? null : EventTimes.of(clock, scope.plan()));
        guard = new PassGuard(scope);
        // which groups are beyond the cap depends on the order of the records; without fields, any key is of the one
        // group
        KeyedSummaries byKey = terms.distinct() != null || terms.restAsOther()
                ? null
                : KeyedSummaries.with(
                        scope.plan(), scope.reader(), terms.by(), indexed == null ? null : indexed.function());
        keyed = byKey == null ? null : new KeyedChunks(scope.terms().format(), terms.by(), byKey, chunkSteps);
    }

    TimeSteps steps() {
        return steps;
    }

    /** The bins of an index by the groups' fields; null if there is none. */
    @Nullable
    BinScale keyScale() {
        return keyed == null ? null : keyed.scale(function);
    }

    /** Makes the next pass the first one. */
    public void restart() {
        guard.restart();
    }

    /** Whether the query was cancelled, as its completeness says then; asked between passes. */
    boolean isCancelled() {
        return scope.isCancelled();
    }

    /** The number of records read and examined. */
    public long recordsRead() {
        return recordsRead;
    }

    /** Counts all records. False if the query ended early. */
    boolean totals(GroupTable table, GroupStates states, @Nullable DistinctValues distinct) {
        guard.begin();
        boolean answers = oneGroup && (summaries != null || values == null);
        ChunkDecider byKeys = keyed == null ? READ_IN_BATCHES : keyed.totals(table, states, values == null);
        ChunkDecider decider =
                answers ? new GroupChunks(summaries, values == null, chunkSteps, table, states, byKeys) : byKeys;
        // the chain finds totals fastest; a pass that reads pages goes forward, for the disk's read-ahead
        SourceWalk walk = scope.walk(answers || keyed != null ? Order.NEWEST_FIRST : Order.OLDEST_FIRST, decider);
        while (walk.next(batch)) {
            recordsRead += batch.count();
            table.add(batch, cells);
            if (table.stepped()) {
                for (int i = 0; i < batch.count(); i++) {
                    cells[i] = table.addCell(cells[i], step(i));
                }
            }
            addTotals(states);
            if (distinct != null) {
                for (int i = 0; i < batch.count(); i++) {
                    scope.lookup().from(batch.address(i));
                    distinct.add(cells[i], batch.buffer(), batch.offset(i), batch.length(i), states);
                }
            }
        }
        return end(walk);
    }

    private void addTotals(GroupStates states) {
        KeyReader reader = values;
        int count = batch.count();
        if (reader != null && valuesFixed && reader.readAll(batch) == count) {
            if (areOne(count)) {
                states.addRecords(cells[0], batch.keys(), count);
            } else {
                states.addRecords(cells, batch.keys(), count);
            }
            return;
        }
        states.addRecords(cells, count);
        for (int i = 0; reader != null && i < count; i++) {
            if (read(reader, i)) {
                states.addValue(cells[i], reader.key(), reader.remainder());
            }
        }
    }

    private boolean areOne(int count) {
        int differ = 0;
        for (int i = 1; i < count; i++) {
            differ |= cells[i] ^ cells[0];
        }
        return differ == 0;
    }

    private boolean read(KeyReader reader, int i) {
        scope.lookup().from(batch.address(i));
        return reader.read(batch.buffer(), batch.offset(i), batch.length(i));
    }

    private int step(int i) {
        long timeNs = batch.timeNs(i);
        if (clock != null) {
            scope.lookup().from(batch.address(i));
            timeNs = clock.epochNs(scope.lookup(), batch.buffer(), batch.offset(i), batch.length(i));
        }
        if (Long.compareUnsigned(timeNs - stepFromNs, stepLengthNs) >= 0) {
            step = steps.step(timeNs);
            TimeRange range = steps.range(step);
            stepFromNs = range.fromNs();
            stepLengthNs = range.toNs() - stepFromNs;
        }
        return step;
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
            going = pass(table, ranks, byCell && table.stepped());
            if (going) {
                ranks.end();
            }
        }
        ranks.free();
        return going;
    }

    private boolean pass(GroupTable table, GroupRanks ranks, boolean byStep) {
        guard.begin();
        SourceWalk walk =
                scope.walk(Order.OLDEST_FIRST, keyed == null ? READ_IN_BATCHES : keyed.ranks(table, ranks, byStep));
        KeyReader reader = values;
        while (reader != null && walk.next(batch)) {
            int count = batch.count();
            recordsRead += count;
            table.find(batch, cells);
            for (int i = 0; byStep && i < count; i++) {
                cells[i] = cells[i] == GroupTable.NONE ? GroupTable.NONE : table.findCell(cells[i], step(i));
            }
            if (valuesFixed && reader.readAll(batch) == count) {
                ranks.add(cells, batch.keys(), count);
                continue;
            }
            for (int i = 0; i < count; i++) {
                if (ranks.wants(cells[i]) && read(reader, i)) {
                    ranks.add(cells[i], reader.key(), reader.remainder());
                }
            }
        }
        return end(walk);
    }

    private boolean end(SourceWalk walk) {
        guard.end();
        return walk.limit() == Limit.NONE;
    }
}
