package dev.loom.query.trace;

import dev.loom.query.trace.Trace.Mark;
import dev.loom.query.trace.Trace.Node;
import dev.loom.query.trace.Trace.Row;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.agrona.collections.IntArrayList;

/**
 * Puts spans and log records together. Siblings are in the order of their start; if some start together, the longest comes first,
 * then the one whose record is the first of the log. Records that say the same of a span are one span. The first span of
 * a cycle of parents is moved to the top. The depth of the tree takes no stack. For one thread.
 */
final class TraceTree {
    private static final int NONE = -1;

    private static final Comparator<TraceSpan> ORDER = Comparator.comparingLong(TraceSpan::startNs)
            .thenComparing(Comparator.comparingLong(TraceSpan::lastNs).reversed())
            .thenComparingLong(TraceSpan::address);

    private static final Comparator<TraceLog> LOG_ORDER =
            Comparator.comparingLong(TraceLog::timeNs).thenComparingLong(TraceLog::address);

    /** What records that say the same have in common. In an order, by which a map keeps apart those that senders gave one hash. */
    private record Same(long spanId, long parentId, String service, String name, String kind, long startNs, long endNs)
            implements Comparable<Same> {
        private static final Comparator<Same> BY_ALL = Comparator.comparingLong(Same::spanId)
                .thenComparingLong(Same::parentId)
                .thenComparing(Same::service)
                .thenComparing(Same::name)
                .thenComparing(Same::kind)
                .thenComparingLong(Same::startNs)
                .thenComparingLong(Same::endNs);

        @Override
        public int compareTo(Same other) {
            return BY_ALL.compare(this, other);
        }

        static Same of(TraceSpan span) {
            return new Same(
                    span.spanId(),
                    span.parentId(),
                    span.service(),
                    span.name(),
                    span.kind(),
                    span.startNs(),
                    span.endNs());
        }
    }

    private final TraceId id;
    /** Different spans in {@link #ORDER}. */
    private final List<TraceSpan> spans = new ArrayList<>();

    private final List<TraceLog> logs;
    private final List<Set<Mark>> marks = new ArrayList<>();
    private final IntArrayList copies = new IntArrayList();
    /** Ids of missing parents, which are numbered behind the spans. */
    private final List<Long> missing = new ArrayList<>();
    /** From a span's id to its number. */
    private final Map<Long, Integer> numbers = new HashMap<>();

    private final IntArrayList top = new IntArrayList();
    private int[] parents = {};
    private int[] firstChild = {};
    private int[] nextSibling = {};
    private int[] lastChild = {};
    private long[] startNs = {};
    private long[] endNs = {};
    private long[] selfNs = {};
    private int[] firstLog = {};
    private int[] nextLog = {};

    private TraceTree(TraceId id, List<TraceLog> logs) {
        this.id = id;
        this.logs = new ArrayList<>(logs);
        this.logs.sort(LOG_ORDER);
    }

    /** Makes the tree of spans and log records in any order. */
    static Trace of(TraceId id, List<TraceSpan> spans, List<TraceLog> logs) {
        TraceTree tree = new TraceTree(id, logs);
        tree.take(spans);
        tree.findParents();
        tree.cutCycles();
        tree.link();
        tree.measure();
        tree.hangLogs();
        return tree.walk();
    }

    private void take(List<TraceSpan> all) {
        List<TraceSpan> sorted = new ArrayList<>(all);
        sorted.sort(ORDER);
        Map<Same, Integer> known = new HashMap<>();
        for (TraceSpan span : sorted) {
            Integer number = known.putIfAbsent(Same.of(span), spans.size());
            if (number != null) {
                copies.setInt(number, copies.getInt(number) + 1);
                continue;
            }
            EnumSet<Mark> odd = EnumSet.noneOf(Mark.class);
            if (numbers.putIfAbsent(span.spanId(), spans.size()) != null) {
                odd.add(Mark.SAME_ID);
            }
            if (span.endNs() < span.startNs()) {
                odd.add(Mark.REVERSED);
            }
            if (!span.timed()) {
                odd.add(Mark.UNTIMED);
            }
            spans.add(span);
            copies.addInt(1);
            marks.add(odd);
        }
    }

    private void findParents() {
        parents = new int[spans.size()];
        Map<Long, Integer> missingNumbers = new HashMap<>();
        for (int i = 0; i < parents.length; i++) {
            long parentId = spans.get(i).parentId();
            if (parentId == 0) {
                parents[i] = NONE;
            } else if (numbers.containsKey(parentId)) {
                parents[i] = numbers.getOrDefault(parentId, NONE);
            } else {
                if (!missingNumbers.containsKey(parentId)) {
                    missingNumbers.put(parentId, parents.length + missing.size());
                    missing.add(parentId);
                }
                parents[i] = missingNumbers.getOrDefault(parentId, NONE);
            }
        }
    }

    /** Walks up from each span once; a walk that meets itself has gone around a cycle. */
    private void cutCycles() {
        int[] walk = new int[parents.length];
        for (int i = 0; i < parents.length; i++) {
            int at = i;
            while (at != NONE && at < parents.length && walk[at] == 0) {
                walk[at] = i + 1;
                at = parents[at];
            }
            if (at != NONE && at < parents.length && walk[at] == i + 1) {
                int first = at;
                for (int member = parents[at]; member != at; member = parents[member]) {
                    first = Math.min(first, member);
                }
                parents[first] = NONE;
                marks.get(first).add(Mark.CYCLE);
            }
        }
    }

    /** Lists the children of each node, and the nodes at the top, by the order of the spans. */
    private void link() {
        int nodes = spans.size() + missing.size();
        firstChild = filled(nodes);
        lastChild = filled(nodes);
        nextSibling = filled(nodes);
        for (int i = 0; i < spans.size(); i++) {
            int parent = parents[i];
            if (parent == NONE) {
                top.addInt(i);
                continue;
            }
            if (firstChild[parent] == NONE) {
                firstChild[parent] = i;
                if (parent >= spans.size()) {
                    top.addInt(parent); // where its first child would stand
                }
            } else {
                nextSibling[lastChild[parent]] = i;
            }
            lastChild[parent] = i;
        }
    }

    private static int[] filled(int length) {
        int[] numbers = new int[length];
        Arrays.fill(numbers, NONE);
        return numbers;
    }

    private void measure() {
        int nodes = firstChild.length;
        startNs = new long[nodes];
        endNs = new long[nodes];
        selfNs = new long[nodes];
        for (int i = 0; i < spans.size(); i++) {
            startNs[i] = spans.get(i).startNs();
            endNs[i] = spans.get(i).lastNs();
            int parent = parents[i];
            if (parent >= spans.size()) {
                startNs[parent] = firstChild[parent] == i ? startNs[i] : startNs[parent];
                endNs[parent] = Math.max(endNs[parent], endNs[i]);
            } else if (parent != NONE && startNs[i] < spans.get(parent).startNs()) {
                marks.get(i).add(Mark.EARLY);
            }
        }
        for (int i = 0; i < spans.size(); i++) {
            // children are in the order of their start
            long self = endNs[i] - startNs[i];
            long coveredTo = startNs[i];
            for (int child = firstChild[i]; child != NONE; child = nextSibling[child]) {
                long from = Math.max(startNs[child], coveredTo);
                long to = Math.min(endNs[child], endNs[i]);
                if (to > from) {
                    self -= to - from;
                    coveredTo = to;
                }
            }
            selfNs[i] = self;
        }
    }

    /** Lists the log records of each span; the last list is of those whose span is not there. */
    private void hangLogs() {
        firstLog = filled(firstChild.length + 1);
        nextLog = filled(logs.size());
        for (int i = logs.size() - 1; i >= 0; i--) {
            long spanId = logs.get(i).spanId();
            int owner = spanId == 0 ? firstChild.length : numbers.getOrDefault(spanId, firstChild.length);
            nextLog[i] = firstLog[owner];
            firstLog[owner] = i;
        }
    }

    private Trace walk() {
        List<Node> nodes = new ArrayList<>();
        List<Row> rows = new ArrayList<>();
        // of each level that is open: the place of its node among the nodes, the next child and the next log record
        IntArrayList places = new IntArrayList();
        IntArrayList children = new IntArrayList();
        IntArrayList records = new IntArrayList();
        int nextTop = 0;
        places.addInt(NONE);
        children.addInt(top.isEmpty() ? NONE : top.getInt(0));
        records.addInt(firstLog[firstChild.length]);
        while (!places.isEmpty()) {
            int level = places.size() - 1;
            int child = children.getInt(level);
            int log = records.getInt(level);
            if (log != NONE && (child == NONE || logs.get(log).timeNs() < startNs[child])) {
                rows.add(new Row(level, NONE, log));
                records.setInt(level, nextLog[log]);
            } else if (child != NONE) {
                if (level == 0) {
                    nextTop++;
                    children.setInt(level, nextTop == top.size() ? NONE : top.getInt(nextTop));
                } else {
                    children.setInt(level, nextSibling[child]);
                }
                rows.add(new Row(level, nodes.size(), NONE));
                places.addInt(nodes.size());
                children.addInt(firstChild[child]);
                records.addInt(firstLog[child]);
                nodes.add(node(child, places.getInt(level), level));
            } else {
                places.removeAt(level);
                children.removeAt(level);
                records.removeAt(level);
            }
        }
        return new Trace(id, nodes, logs, rows, first(), last());
    }

    private Node node(int number, int parent, int depth) {
        boolean there = number < spans.size();
        return new Node(
                parent,
                depth,
                there ? spans.get(number) : null,
                there ? spans.get(number).spanId() : missing.get(number - spans.size()),
                startNs[number],
                endNs[number],
                selfNs[number],
                there ? copies.getInt(number) : 0,
                there ? Collections.unmodifiableSet(marks.get(number)) : Set.of(Mark.MISSING));
    }

    private long first() {
        return !spans.isEmpty()
                ? spans.get(0).startNs()
                : logs.isEmpty() ? 0 : logs.get(0).timeNs();
    }

    private long last() {
        return !spans.isEmpty()
                ? Arrays.stream(endNs).max().orElse(0)
                : logs.isEmpty() ? 0 : logs.get(logs.size() - 1).timeNs();
    }
}
