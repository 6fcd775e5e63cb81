package dev.loom.query.trace;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A trace as a tree: spans under their parents, log records under the spans that they name.
 *
 * @param nodes spans, and the parents that were not found, each before its children
 * @param rows nodes and log records in the order in which a waterfall has them: below a span its children and log records by time
 * @param startNs the earliest start, epoch nanoseconds; without spans the time of the first log record
 * @param endNs the latest end; without spans the time of the last log record
 */
public record Trace(TraceId id, List<Node> nodes, List<TraceLog> logs, List<Row> rows, long startNs, long endNs) {
    /** What is odd about a node. */
    public enum Mark {
        /** It was named as a parent, but is not there. */
        MISSING,
        /** It is its own ancestor; it stands at the top instead. */
        CYCLE,
        /** An earlier span of the trace has the same id; children are with that one. */
        SAME_ID,
        /** It starts before its parent. */
        EARLY,
        /** It ends before it starts, and is shown as if it took no time. */
        REVERSED,
        /** Its record lacks the start or the end. */
        UNTIMED
    }

    /**
     * A span in its place.
     *
     * @param parent the index of its parent; -1 at the top
     * @param depth 0 at the top
     * @param span null if it is missing
     * @param spanId its id
     * @param startNs the first start of its children if it is missing
     * @param endNs not before the start; the last end of its children if it is missing
     * @param selfNs how long none of its children ran; 0 of a missing one
     * @param copies how many records say the same
     */
    public record Node(
            int parent,
            int depth,
            @Nullable TraceSpan span,
            long spanId,
            long startNs,
            long endNs,
            long selfNs,
            int copies,
            Set<Mark> marks) {
        public long durationNs() {
            return endNs - startNs;
        }
    }

    /**
     * A line of a waterfall.
     *
     * @param depth 0 at the top
     * @param node the index of a node; -1 for a log record
     * @param log the index of a log record; -1 for a node
     */
    public record Row(int depth, int node, int log) {}

    public Trace {
        nodes = List.copyOf(nodes);
        logs = List.copyOf(logs);
        rows = List.copyOf(rows);
    }

    /** How many different spans were found. */
    public long spans() {
        return nodes.stream().filter(node -> node.span() != null).count();
    }

    /** How many of them are errors. */
    public long errors() {
        return nodes.stream()
                .filter(node -> node.span() != null && node.span().error())
                .count();
    }

    /** How many parents are missing. */
    public long missing() {
        return nodes.size() - spans();
    }
}
