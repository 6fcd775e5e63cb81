package dev.loom.query.walk;

import dev.loom.format.RecordLookup;
import dev.loom.query.model.AddressRange;
import dev.loom.query.model.Completeness.Limit;
import dev.loom.query.model.Order;
import dev.loom.query.model.QueryIndex;
import dev.loom.query.model.QueryStatistics;
import dev.loom.query.model.TimeRange;
import dev.loom.query.plan.QueryTerms;
import dev.loom.query.where.Where;
import dev.loom.read.ChunkCursor;
import dev.loom.read.SnapshotReader;
import dev.loom.read.SourceRecords;
import dev.loom.read.StoredRecord;
import dev.loom.value.RecordBatch;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One walk over the records of a query's source that meet its time range and its condition. Skips the parts of the log that
 * the time range or indexes rule out; asks a {@link ChunkDecider} about the others first. Holds ten pages (two blocks, one
 * for directories that continue, one for jumbos), and the longest jumbo payload met. For one thread.
 */
public final class SourceWalk implements AutoCloseable {
    /** Operands of calculations after which the query's limits are looked at, which else are at each page. */
    private static final int OPERANDS_A_LOOK = 4096;

    private final RecordLookup lookup;
    private final TimeRange range;
    private final AddressRange addresses;
    private final boolean newestFirst;
    private final boolean oldestFirst;
    private final Where.@Nullable Predicate predicate;
    /** Of each test. */
    private final int operands;

    private final QueryGuide guide;
    private final ChunkCursor chunks;
    private final SourceRecords records;
    /** Operands since the last look at the limits. */
    private int calculated;

    /**
     * @param bytesReadBefore by previous walks of the query
     * @param inBatches whether records within a chunk may come in any order, as for {@link #next(RecordBatch)}
     */
    SourceWalk(
            WalkContext context,
            long bytesReadBefore,
            Order order,
            boolean inBatches,
            ChunkDecider decider,
            TimeRange range) {
        lookup = context.lookup();
        this.range = range;
        QueryTerms terms = context.terms();
        addresses = terms.addresses();
        newestFirst = order == Order.NEWEST_FIRST;
        oldestFirst = !newestFirst && !inBatches;
        predicate = context.predicate();
        operands = context.operands();
        guide = new QueryGuide(context, bytesReadBefore, order, decider, range);
        SnapshotReader reader = context.reader();
        boolean summaries = context.plan().hasIndexes();
        boolean runs = decider.takesRuns()
                && terms.uses(QueryIndex.TIME)
                && terms.uses(QueryIndex.ROLLUP)
                && (summaries || decider != ChunkDecider.READ_ALL);
        chunks = chunks(terms, reader, range, newestFirst, summaries, runs);
        records = oldestFirst ? reader.forward(chunks, guide) : reader.backward(chunks, guide);
    }

    private static ChunkCursor chunks(
            QueryTerms terms,
            SnapshotReader reader,
            TimeRange range,
            boolean backward,
            boolean summaries,
            boolean runs) {
        boolean timeIndex = terms.uses(QueryIndex.TIME);
        if (!timeIndex && !summaries) {
            return reader.unindexed(terms.sourceId());
        }
        long fromNs = timeIndex ? range.fromNs() : Long.MIN_VALUE;
        long toNs = timeIndex ? range.toNs() : Long.MAX_VALUE;
        if (runs) {
            return backward
                    ? reader.newestFirstInRuns(terms.sourceId(), toNs)
                    : reader.oldestFirstInRuns(
                            terms.sourceId(), fromNs, toNs, terms.addresses().from());
        }
        return backward
                ? reader.newestFirst(terms.sourceId(), toNs)
                : reader.oldestFirst(
                        terms.sourceId(), fromNs, toNs, terms.addresses().from());
    }

    /**
     * Moves to the next records to be examined: to several at once if all records of a page count. Chunks come in the walk's
     * order, records within a chunk newest first, unless the walk was begun without batches: then records come in its order.
     */
    public boolean next(RecordBatch batch) {
        if (guide.whole() && mayGoOn() && records.next(batch)) {
            return true;
        }
        while (mayGoOn() && records.next()) {
            if (oldestFirst && isBehind()) {
                return false;
            }
            if (range.contains(records.timeNs()) && addresses.contains(records.address()) && meetsCondition()) {
                batch.setOne(records.buffer(), records.offset(), records.length(), records.address(), records.timeNs());
                return true;
            }
        }
        return false;
    }

    /** Moves to the next record to be examined; false at the end, or if the query ended early. */
    public boolean next() {
        while (mayGoOn() && records.next()) {
            boolean before = records.timeNs() < range.fromNs() || records.address() < addresses.from();
            boolean behind = isBehind();
            if (newestFirst ? before : behind) {
                return false;
            }
            if (!before && !behind && meetsCondition()) {
                return true;
            }
        }
        if (guide.limit() == Limit.NONE) {
            guide.settle();
        }
        return false;
    }

    private boolean isBehind() {
        return range.endsBefore(records.timeNs()) || records.address() >= addresses.to();
    }

    /** Counts operands that the records' user calculates with. */
    public void calculated(int more) {
        calculated += more;
    }

    /** Looks at the limits if much was calculated since the last look. */
    private boolean mayGoOn() {
        if (calculated >= OPERANDS_A_LOOK) {
            if (!guide.mayGoOn(records.bytesRead())) {
                return false;
            }
            calculated = 0;
        }
        return true;
    }

    private boolean meetsCondition() {
        calculated += operands;
        lookup.from(records.address());
        boolean met = predicate == null || predicate.test(records.buffer(), records.offset(), records.length());
        if (met) {
            guide.matched();
        }
        return met;
    }

    /** The record that the walk stands on. */
    public StoredRecord record() {
        return records;
    }

    public Limit limit() {
        return guide.limit();
    }

    /** The number of corrupt entries in the timestamp index. */
    public long entriesDamaged() {
        return chunks.entriesDamaged();
    }

    public long pagesDamaged() {
        return records.damaged();
    }

    public long pagesExpired() {
        return records.pagesExpired();
    }

    /** The work so far, without reads of bins. */
    public QueryStatistics statistics() {
        ChunkTally tally = guide.tally();
        long skippedByTime = chunks.pagesSkipped() + tally.pages(ChunkUse.SKIPPED_BY_TIME);
        long fromSummaries = tally.pages(ChunkUse.FROM_TOTALS) + tally.pages(ChunkUse.FROM_BINS);
        long skippedByBins = tally.pages(ChunkUse.SKIPPED_BY_BINS);
        long skippedByTokens = tally.pages(ChunkUse.SKIPPED_BY_TOKENS);
        return new QueryStatistics(
                records.pagesAsked() + skippedByTime + skippedByBins + skippedByTokens + fromSummaries,
                skippedByTime,
                skippedByBins,
                skippedByTokens,
                records.pagesRead(),
                records.bytesRead(),
                0,
                tally.chunks(ChunkUse.FROM_TOTALS),
                tally.chunks(ChunkUse.FROM_BINS),
                tally.chunks(ChunkUse.READ) + records.pagesUnlisted(),
                tally.runs(),
                List.of(),
                Map.of());
    }

    @Override
    public void close() {
        records.close();
    }
}
