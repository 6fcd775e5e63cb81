package dev.loom.query;

import dev.loom.index.RecordBatch;
import dev.loom.log.MissingSegments;
import dev.loom.query.Completeness.Limit;
import dev.loom.query.where.PayloadPredicate;
import dev.loom.record.AllChunks;
import dev.loom.record.AscendingChunks;
import dev.loom.record.Chunks;
import dev.loom.record.DescendingChunks;
import dev.loom.record.PageRecords;
import dev.loom.record.SnapshotView;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One walk over the records of a query's source that lie in its time range and meet its condition. Parts of the log that the
 * time range or indexes rule out are passed over; about the others a {@link ChunkDecider} is asked first. Holds ten pages
 * (two blocks, one for directories that go on, one for jumbos), and the longest jumbo payload met. For one thread.
 */
final class SourceWalk implements AutoCloseable {
    private final QueryScope scope;
    private final TimeRange range;
    private final long fromAddress;
    private final boolean newestFirst;
    private final boolean timeIndex;
    private final ChunkCondition condition;
    private final ChunkDecider decider;
    private final @Nullable PayloadPredicate predicate;
    private final Chunks chunks;
    private final PageRecords page;
    private final ChunkRecords records;
    private @Nullable MissingSegments missing;

    /** Whether all records count of the chunk that is read. */
    private boolean whole;

    SourceWalk(QueryScope scope, Order order, ChunkDecider decider, TimeRange range) {
        this.scope = scope;
        this.decider = decider;
        Query<?> query = scope.query();
        this.range = range;
        fromAddress = query.fromAddress();
        newestFirst = order == Order.NEWEST_FIRST;
        timeIndex = query.timeIndex();
        condition = scope.plan().condition();
        predicate = scope.predicate();
        boolean summaries = scope.plan().hasIndexes();
        chunks = chunks(query, newestFirst, summaries);
        SnapshotView view = scope.view();
        page = new PageRecords(view.records(), view.recordTail(), query.sourceId());
        // forward, a plain scan would read directories again only to learn what it sees in the records
        boolean plain = !summaries && !newestFirst && decider == ChunkDecider.READ_ALL;
        Function<Chunks, ChunkUse> deciding = plain ? chunk -> ChunkUse.READ : this::decide;
        records = new ChunkRecords(chunks, page, scope.limits(), scope::bytesReadBesides, deciding);
    }

    private Chunks chunks(Query<?> query, boolean backward, boolean summaries) {
        SnapshotView view = scope.view();
        if (!timeIndex && !summaries) {
            return new AllChunks(view, query.sourceId());
        }
        long fromNs = timeIndex ? range.fromNs() : Long.MIN_VALUE;
        long toNs = timeIndex ? range.toNs() : Long.MAX_VALUE;
        return backward
                ? new DescendingChunks(view, query.sourceId(), toNs)
                : new AscendingChunks(view, query.sourceId(), fromNs, toNs, fromAddress);
    }

    private ChunkUse decide(Chunks chunk) {
        whole = false;
        if (!chunk.listed()) {
            return ChunkUse.READ;
        }
        long first = chunk.firstTimeNs();
        long last = chunk.lastTimeNs();
        if (timeIndex && (last < range.fromNs() || range.endsBefore(first))) {
            boolean behind = newestFirst ? last < range.fromNs() : range.endsBefore(first);
            return behind ? ChunkUse.BEHIND_RANGE : ChunkUse.SKIPPED_BY_TIME;
        }
        Coverage coverage = condition.cover(chunk);
        if (coverage == Coverage.NONE) {
            return ChunkUse.SKIPPED_BY_BINS;
        }
        boolean inRange = first >= range.fromNs() && !range.endsBefore(last) && chunk.start() >= fromAddress;
        whole = inRange && coverage == Coverage.ALL;
        return inMissingFile(chunk) ? ChunkUse.READ : decider.decide(chunk, whole);
    }

    /** Of records that somebody has deleted no index is asked: what is left is read, and the rest is missing. */
    private boolean inMissingFile(Chunks chunk) {
        MissingSegments files = missing;
        if (files == null) {
            files = new MissingSegments(scope.view().records());
            missing = files;
        }
        return files.touch(chunk.start(), chunk.end());
    }

    /**
     * Moves to the next records that have to be looked at: to several where all in a page count. Chunks come in the walk's
     * order, records within a chunk newest first.
     */
    boolean next(RecordBatch batch) {
        if (whole && records.previous(batch)) {
            return true;
        }
        boolean found = move(true);
        if (found) {
            batch.setOne(page.buffer(), page.offset(), page.length(), page.address());
        }
        return found;
    }

    /** Moves to the next record that has to be looked at; false at the end, and when the query was ended early. */
    boolean next() {
        return move(false);
    }

    private boolean move(boolean inAnyOrder) {
        if (inAnyOrder) {
            return anyInRange();
        }
        return newestFirst ? previousInRange() : nextInRange();
    }

    private boolean anyInRange() {
        while (records.previous()) {
            if (range.contains(page.timeNs()) && page.address() >= fromAddress && meetsCondition()) {
                return true;
            }
        }
        return false;
    }

    private boolean previousInRange() {
        while (records.previous()) {
            if (page.timeNs() < range.fromNs() || page.address() < fromAddress) {
                return false;
            }
            if (!range.endsBefore(page.timeNs()) && meetsCondition()) {
                return true;
            }
        }
        return false;
    }

    private boolean nextInRange() {
        while (records.next()) {
            if (range.endsBefore(page.timeNs())) {
                return false;
            }
            if (page.timeNs() >= range.fromNs() && page.address() >= fromAddress && meetsCondition()) {
                return true;
            }
        }
        return false;
    }

    private boolean meetsCondition() {
        scope.lookup().from(page.address());
        return predicate == null || predicate.test(page.buffer(), page.offset(), page.length());
    }

    /** The record at which the walk stands. */
    PageRecords record() {
        return page;
    }

    Limit limit() {
        return records.limit();
    }

    /** Entries of the timestamp index that say what can't be. */
    long entriesDamaged() {
        return chunks.entriesDamaged();
    }

    long pagesDamaged() {
        return records.pagesDamaged() + page.damagedRecords();
    }

    boolean isExpired() {
        return records.expired();
    }

    /** The work so far, without that on bins. */
    QueryStatistics statistics() {
        long skippedByTime = chunks.pagesSkipped() + records.pages(ChunkUse.SKIPPED_BY_TIME);
        long fromSummaries = records.pages(ChunkUse.FROM_TOTALS) + records.pages(ChunkUse.FROM_BINS);
        long skippedByBins = records.pages(ChunkUse.SKIPPED_BY_BINS);
        return new QueryStatistics(
                records.pages(ChunkUse.READ) + skippedByTime + skippedByBins + fromSummaries,
                skippedByTime,
                skippedByBins,
                page.pagesRead(),
                page.bytesRead() + chunks.bytesRead(),
                0,
                records.chunks(ChunkUse.FROM_TOTALS),
                records.chunks(ChunkUse.FROM_BINS),
                records.chunks(ChunkUse.READ),
                List.of(),
                Map.of());
    }

    @Override
    public void close() {
        page.close();
        chunks.close();
    }
}
