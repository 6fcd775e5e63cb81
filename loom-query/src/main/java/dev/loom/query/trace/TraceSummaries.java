package dev.loom.query.trace;

import dev.loom.query.model.QueryMemory;
import dev.loom.query.trace.TraceSummary.Match;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.agrona.collections.LongHashSet;

/**
 * Counts the spans of some traces as they are read. Memory: a few KiB for each trace, and 24 bytes for each of the first {@link
 * #IDS_MAX} spans. For one thread.
 */
public final class TraceSummaries {
    /** The most ids of spans that are remembered, of all traces together. */
    public static final int IDS_MAX = 1_000_000;

    /** The most services of a trace that are named. */
    public static final int SERVICES_MAX = 16;

    private static final long TRACE_BYTES = 8 << 10;

    /** What a set of longs takes for each, at least a third full. */
    private static final long ID_BYTES = 24;

    private static final int IDS_AT_ONCE = 1024;

    /** What a span that is named takes, without its texts. */
    private static final long MATCH_BYTES = 160;

    private final Map<TraceId, Counts> traces = new LinkedHashMap<>();
    private final int matchesMax;
    private final QueryMemory memory;
    private final int idsMax;
    /** Known to nobody outside, so that nobody can send spans that are slow to tell apart. */
    private final long seed = new SplittableRandom().nextLong();

    private int ids;

    /**
     * Begins without spans.
     *
     * @param found the traces, and the time of each one's last span that was asked for
     * @param matchesMax the most spans of a trace that are named because they were asked for
     */
    public TraceSummaries(Map<TraceId, Long> found, int matchesMax, QueryMemory memory) {
        this(found, matchesMax, memory, IDS_MAX);
    }

    TraceSummaries(Map<TraceId, Long> found, int matchesMax, QueryMemory memory, int idsMax) {
        this.matchesMax = matchesMax;
        this.memory = memory;
        this.idsMax = idsMax;
        memory.reserve(TRACE_BYTES * found.size());
        found.forEach((id, timeNs) -> traces.put(id, new Counts(id, timeNs)));
    }

    /** The traces. */
    public Collection<TraceId> ids() {
        return traces.keySet();
    }

    /**
     * Counts the record that a reader stands on, if it is a span of one of the traces.
     *
     * @param asked whether it is one of those that were asked for
     */
    public void add(SpanReader record, long address, long arrivalNs, boolean asked) {
        TraceId id = record.traceId();
        Counts counts = id == null ? null : traces.get(id);
        if (counts != null && record.isSpan()) {
            counts.add(record.span(address, arrivalNs), asked);
        }
    }

    /** The traces in the order in which they were given; those of which no span was read are left out. */
    public List<TraceSummary> summaries() {
        return traces.values().stream()
                .filter(counts -> counts.spans > 0)
                .map(Counts::summary)
                .toList();
    }

    private boolean remembers() {
        if (ids == idsMax) {
            return false;
        }
        if (ids++ % IDS_AT_ONCE == 0) {
            memory.reserve(ID_BYTES * IDS_AT_ONCE);
        }
        return true;
    }

    /**
     * A number that a span shares with those that were sent again alone. Others may have its id, such as a client's and a server's half of a
     * call.
     */
    private long sameness(TraceSpan span) {
        long hash = mixed(span.spanId() ^ seed);
        hash = mixed(hash ^ span.parentId());
        hash = mixed(hash ^ span.startNs());
        hash = mixed(hash ^ span.endNs());
        hash = mixed(hash ^ span.service().hashCode());
        hash = mixed(hash ^ span.name().hashCode());
        return mixed(hash ^ span.kind().hashCode());
    }

    /** The mixing of SplitMix64. */
    private static long mixed(long value) {
        long mixed = value + 0x9E3779B97F4A7C15L;
        mixed = (mixed ^ mixed >>> 30) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
        return mixed ^ mixed >>> 31;
    }

    private final class Counts {
        private final TraceId id;
        private final long foundNs;
        /** Numbers of the spans that were counted. */
        private final LongHashSet seen = new LongHashSet();

        private final TreeSet<String> services = new TreeSet<>();
        private boolean countsExact = true;
        private boolean servicesExact = true;
        private long spans;
        private long errors;
        private long matched;
        private final List<Match> matches = new ArrayList<>(0);
        private long startNs = Long.MAX_VALUE;
        private long endNs;
        /** Of the span that stands for the trace: whether it has no parent, its start, its address. */
        private boolean rooted;

        private long rootNs = Long.MAX_VALUE;
        private long rootAddress = Long.MAX_VALUE;
        private String service = "";
        private String name = "";

        Counts(TraceId id, long foundNs) {
            this.id = id;
            this.foundNs = foundNs;
        }

        void add(TraceSpan span, boolean asked) {
            startNs = Math.min(startNs, span.startNs());
            endNs = Math.max(endNs, span.lastNs());
            if (services.size() < SERVICES_MAX || services.contains(span.service())) {
                services.add(span.service());
            } else {
                servicesExact = false;
            }
            boolean root = span.parentId() == 0;
            boolean first = span.startNs() < rootNs || (span.startNs() == rootNs && span.address() < rootAddress);
            if ((root && !rooted) || (root == rooted && first)) {
                rooted = root;
                rootNs = span.startNs();
                rootAddress = span.address();
                service = span.service();
                name = span.name();
            }
            long same = sameness(span);
            if (seen.contains(same)) {
                return;
            } else if (remembers()) {
                seen.add(same);
            } else {
                countsExact = false;
            }
            spans++;
            errors += span.error() ? 1 : 0;
            if (asked && matched++ < matchesMax) {
                memory.reserve(MATCH_BYTES
                        + 2L * (span.service().length() + span.name().length()));
                matches.add(new Match(span.spanId(), span.service(), span.name(), span.startNs(), span.lastNs()));
            }
        }

        TraceSummary summary() {
            services.remove("");
            return new TraceSummary(
                    id,
                    foundNs,
                    startNs,
                    endNs,
                    rooted,
                    service,
                    name,
                    spans,
                    errors,
                    countsExact,
                    List.copyOf(services),
                    servicesExact,
                    matched,
                    matches);
        }
    }
}
