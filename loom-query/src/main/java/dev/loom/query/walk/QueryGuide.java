package dev.loom.query.walk;

import dev.loom.query.model.AddressRange;
import dev.loom.query.model.Completeness.Limit;
import dev.loom.query.model.Order;
import dev.loom.query.model.QueryIndex;
import dev.loom.query.model.TimeRange;
import dev.loom.query.plan.ChunkCondition;
import dev.loom.query.plan.Coverage;
import dev.loom.query.plan.KeyedCondition;
import dev.loom.query.plan.QueryTerms;
import dev.loom.read.ChunkCursor;
import dev.loom.read.SourceRecords;

/**
 * Decides which parts of the log a query's walk reads: those that neither the time range nor an index rules out, and that
 * its {@link ChunkDecider} wants read. Ends the walk at the query's limits. For one thread.
 */
public final class QueryGuide implements SourceRecords.ChunkGuide {
    private final WalkContext context;
    private final long bytesReadBefore;
    private final TimeRange range;
    private final boolean newestFirst;
    private final ChunkCondition condition;
    private final ChunkDecider decider;
    /** A plain forward scan: directories would only repeat what it sees in the records. */
    private final boolean plain;

    private final ChunkTally tally = new ChunkTally();
    private Limit limit = Limit.NONE;
    private boolean whole;
    private boolean inRange;
    /** Whether the text index has led to the chunk being read, and no record of it has met the condition yet. */
    private boolean awaitsMatch;

    /** @param bytesReadBefore by previous walks of the query */
    QueryGuide(WalkContext context, long bytesReadBefore, Order order, ChunkDecider decider, TimeRange range) {
        this.context = context;
        this.bytesReadBefore = bytesReadBefore;
        this.range = range;
        this.newestFirst = order == Order.NEWEST_FIRST;
        this.decider = decider;
        this.condition = context.plan().condition();
        this.plain = !context.plan().hasIndexes() && !newestFirst && decider == ChunkDecider.READ_ALL;
    }

    @Override
    public Step decide(ChunkCursor chunk) {
        whole = false;
        inRange = false;
        settle();
        ChunkUse use = plain ? ChunkUse.READ : chunk.listed() ? use(chunk) : decider.decideUnlisted(chunk);
        if (use == ChunkUse.READ && chunk.isRun()) {
            return Step.DESCEND;
        }
        awaitsMatch = use == ChunkUse.READ && inRange && context.plan().textUnit() >= 0;
        tally.add(use, chunk);
        return switch (use) {
            case READ -> Step.READ;
            case BEHIND_RANGE -> Step.END;
            default -> Step.PASS_OVER;
        };
    }

    private ChunkUse use(ChunkCursor chunk) {
        QueryTerms terms = context.terms();
        long first = chunk.firstTimeNs();
        long last = chunk.lastTimeNs();
        AddressRange addresses = terms.addresses();
        boolean early = last < range.fromNs() || chunk.end() <= addresses.from();
        boolean late = range.endsBefore(first) || chunk.start() >= addresses.to();
        if (terms.uses(QueryIndex.TIME) && (early || late)) {
            return (newestFirst ? early : late) ? ChunkUse.BEHIND_RANGE : ChunkUse.SKIPPED_BY_TIME;
        }
        Coverage coverage = condition.cover(chunk);
        boolean byText = context.plan().takeRuledOutByText();
        if (coverage == Coverage.NONE) {
            return byText ? ChunkUse.SKIPPED_BY_TOKENS : ChunkUse.SKIPPED_BY_BINS;
        }
        inRange = first >= range.fromNs()
                && !range.endsBefore(last)
                && chunk.start() >= addresses.from()
                && chunk.end() <= addresses.to();
        whole = inRange && coverage == Coverage.ALL;
        // for records of a deleted file no index is asked: what is left is read, and the rest counts as missing
        if (chunk.isRun() && chunk.isFileMissing()) {
            return ChunkUse.READ;
        }
        if (chunk.isFileMissing()) {
            return decider.decideMissing(chunk);
        }
        KeyedCondition keys = inRange ? context.plan().keys() : null;
        return keys == null ? decider.decide(chunk, whole) : decider.decideByKeys(chunk, whole, keys);
    }

    /** Notes that a record of the chunk being read meets the condition. */
    void matched() {
        awaitsMatch = false;
    }

    /** Ends the chunk being read, which was read in vain if none of its records met the condition. */
    void settle() {
        if (awaitsMatch) {
            awaitsMatch = false;
            context.plan().noteReadInVain();
        }
    }

    @Override
    public boolean mayGoOn(long bytesRead) {
        limit = context.limits().check(bytesReadBefore + context.reader().bytesReadBesides() + bytesRead);
        return limit == Limit.NONE;
    }

    /** Whether all records of the chunk being read count. */
    public boolean whole() {
        return whole;
    }

    /** Why the walk ended early. */
    public Limit limit() {
        return limit;
    }

    /** How the parts served so far. */
    public ChunkTally tally() {
        return tally;
    }
}
