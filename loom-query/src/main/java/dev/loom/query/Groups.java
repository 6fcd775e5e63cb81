package dev.loom.query;

import dev.loom.query.group.GroupRun;
import dev.loom.query.model.Completeness;
import dev.loom.query.model.QueryStatistics;
import java.math.BigDecimal;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

/**
 * The groups that a query found, in order; each step that has records is one, and the rest comes last. Holds memory until it is
 * closed. For one thread.
 */
public final class Groups implements Iterable<Group>, AutoCloseable {
    private final GroupRun run;
    private final List<BigDecimal> percentiles;
    private final boolean countsDistinct;
    private final QueryStatistics statistics;
    private final Completeness completeness;
    private boolean closed;

    Groups(
            GroupRun run,
            List<BigDecimal> percentiles,
            boolean countsDistinct,
            QueryStatistics statistics,
            Completeness completeness) {
        this.run = run;
        this.percentiles = percentiles;
        this.countsDistinct = countsDistinct;
        this.statistics = statistics;
        this.completeness = completeness;
    }

    /** The number of groups here, with that of the rest, and with steps of each of their steps. */
    public int size() {
        return run.size();
    }

    /** The number of groups found, with those in the rest unless they were past the cap, without steps. */
    public int found() {
        return run.groups();
    }

    /** The number of records in the rest because their keys are too long, see {@link GroupedAggregate#longKeysAsOther}. */
    public long longKeys() {
        return run.longKeys();
    }

    /**
     * A group, newly made.
     *
     * @param i from 0 to before {@link #size()}
     * @throws IllegalStateException if the groups are closed
     */
    public Group get(int i) {
        if (closed) {
            throw new IllegalStateException("groups are closed: group=" + i);
        }
        Objects.checkIndex(i, run.size());
        return new Group(run, i, percentiles, countsDistinct);
    }

    @Override
    public Iterator<Group> iterator() {
        return IntStream.range(0, size()).mapToObj(this::get).iterator();
    }

    /**
     * Whether groups are in the order asked for. Otherwise it is one by a percentile that is not known of all groups, since the
     * query ended early or pages are damaged: those of which it is known come first, and then the others by their keys. A query that
     * is cancelled while it sorts hundreds of thousands of groups has them as they were found.
     */
    public boolean isOrdered() {
        return run.isOrdered();
    }

    /** Whether the numbers of distinct values are exact; otherwise there were more than the cap, and they are the least. */
    public boolean distinctExact() {
        return run.distinctExact();
    }

    /** The work done, over all passes. */
    public QueryStatistics statistics() {
        return statistics;
    }

    /** What the result lacks. */
    public Completeness completeness() {
        return completeness;
    }

    /** Frees the memory. Idempotent. */
    @Override
    public void close() {
        closed = true;
        run.close();
    }
}
