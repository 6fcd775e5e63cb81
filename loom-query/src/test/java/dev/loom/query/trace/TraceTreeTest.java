package dev.loom.query.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.query.trace.Trace.Mark;
import dev.loom.query.trace.Trace.Node;
import dev.loom.query.trace.Trace.Row;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Trees of spans against a plain computation. {@code -Dloom.test.seed=S} sets the seed. */
final class TraceTreeTest {
    private static final TraceId ID = new TraceId(1, 2);
    private static final int TIMES = 60;
    private static final int ROUNDS = 3_000;

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);

    private static TraceSpan span(long address, long id, long parent, String name, long start, long end) {
        return new TraceSpan(
                "spans", address, id, parent, "svc", name, "server", start, end, true, false, "", List.of(), 0);
    }

    private static TraceLog log(long address, long spanId, long time) {
        return new TraceLog("logs", address, spanId, time, "INFO", "svc", "said");
    }

    /** A trace computed the slow way: a line for each row of the waterfall. */
    private static final class Plain {
        private final List<TraceSpan> spans = new ArrayList<>();
        private final Map<TraceSpan, Integer> copies = new LinkedHashMap<>();
        private final List<TraceLog> logs;
        private final List<String> rows = new ArrayList<>();
        private final Set<TraceSpan> cut = Collections.newSetFromMap(new LinkedHashMap<>());

        Plain(List<TraceSpan> all, List<TraceLog> logs) {
            List<TraceSpan> sorted = all.stream().sorted(this::compare).toList();
            for (TraceSpan each : sorted) {
                TraceSpan same = spans.stream()
                        .filter(other -> text(other).equals(text(each)))
                        .findFirst()
                        .orElse(null);
                if (same == null) {
                    spans.add(each);
                    copies.put(each, 1);
                } else {
                    copies.merge(same, 1, Integer::sum);
                }
            }
            this.logs = logs.stream()
                    .sorted(Comparator.comparing(TraceLog::timeNs).thenComparing(TraceLog::address))
                    .toList();
            for (TraceSpan each : spans) {
                cutCycleOf(each);
            }
            Set<Long> ids = new TreeSet<>(spans.stream().map(TraceSpan::spanId).toList());
            List<Object> top = new ArrayList<>();
            for (TraceSpan each : spans) {
                if (each.parentId() == 0 || cut.contains(each)) {
                    top.add(each);
                } else if (!ids.contains(each.parentId()) && !top.contains(each.parentId())) {
                    top.add(each.parentId());
                }
            }
            walk(
                    0,
                    top,
                    this.logs.stream()
                            .filter(each -> !ids.contains(each.spanId()))
                            .toList());
        }

        private static String text(TraceSpan span) {
            return span.spanId() + "/" + span.parentId() + "/" + span.name() + "/" + span.startNs() + "/"
                    + span.endNs();
        }

        private static long last(TraceSpan span) {
            return span.endNs() < span.startNs() ? span.startNs() : span.endNs();
        }

        private int compare(TraceSpan a, TraceSpan b) {
            if (a.startNs() != b.startNs()) {
                return a.startNs() < b.startNs() ? -1 : 1;
            } else if (last(a) != last(b)) {
                return last(a) > last(b) ? -1 : 1;
            }
            return Long.compare(a.address(), b.address());
        }

        private TraceSpan first(long id) {
            return spans.stream()
                    .filter(each -> each.spanId() == id)
                    .findFirst()
                    .orElse(null);
        }

        private TraceSpan parent(TraceSpan of) {
            return of.parentId() == 0 || cut.contains(of) ? null : first(of.parentId());
        }

        private void cutCycleOf(TraceSpan of) {
            List<TraceSpan> path = new ArrayList<>();
            for (TraceSpan at = of; at != null; at = parent(at)) {
                path.add(at);
                if (path.size() > spans.size()) {
                    return; // leads to a cycle of others
                }
                TraceSpan up = parent(at);
                if (of.equals(up)) {
                    cut.add(path.stream().min(this::compare).orElseThrow());
                    return;
                }
            }
        }

        private List<TraceSpan> children(TraceSpan of) {
            return spans.stream().filter(each -> of.equals(parent(each))).toList();
        }

        private void walk(int depth, List<?> nodes, List<TraceLog> own) {
            List<Object> items = new ArrayList<>(nodes);
            items.addAll(own);
            // stable: siblings and records keep their order, a record stands behind what starts at its time
            items.sort(Comparator.comparing(this::time));
            for (Object item : items) {
                if (item instanceof TraceLog log) {
                    rows.add(depth + " log " + log.address());
                } else if (item instanceof TraceSpan span) {
                    rows.add(depth + " span " + text(span) + " at " + span.address() + " self=" + self(span)
                            + " copies=" + copies.get(span) + " " + marks(span));
                    walk(
                            depth + 1,
                            children(span),
                            span.equals(first(span.spanId()))
                                    ? logs.stream()
                                            .filter(log -> log.spanId() == span.spanId())
                                            .toList()
                                    : List.of());
                } else {
                    List<TraceSpan> orphans = orphans((Long) item);
                    rows.add(depth + " missing " + item + " from="
                            + orphans.stream()
                                    .mapToLong(TraceSpan::startNs)
                                    .min()
                                    .orElseThrow() + " to="
                            + orphans.stream().mapToLong(Plain::last).max().orElseThrow());
                    walk(depth + 1, orphans, List.of());
                }
            }
        }

        private List<TraceSpan> orphans(long parentId) {
            return spans.stream()
                    .filter(each -> each.parentId() == parentId && !cut.contains(each))
                    .toList();
        }

        private long time(Object item) {
            return item instanceof TraceLog log
                    ? log.timeNs()
                    : item instanceof TraceSpan span
                            ? span.startNs()
                            : orphans((Long) item).get(0).startNs();
        }

        private long self(TraceSpan of) {
            long self = 0;
            for (long t = of.startNs(); t < of.endNs(); t++) {
                long now = t;
                self += children(of).stream().noneMatch(each -> each.startNs() <= now && now < each.endNs()) ? 1 : 0;
            }
            return self;
        }

        private Set<String> marks(TraceSpan of) {
            Set<String> marks = new TreeSet<>();
            if (cut.contains(of)) {
                marks.add("CYCLE");
            }
            if (!of.equals(first(of.spanId()))) {
                marks.add("SAME_ID");
            }
            if (of.endNs() < of.startNs()) {
                marks.add("REVERSED");
            }
            TraceSpan parent = parent(of);
            if (parent != null && of.startNs() < parent.startNs()) {
                marks.add("EARLY");
            }
            return marks;
        }
    }

    private static List<String> rows(Trace trace) {
        List<String> rows = new ArrayList<>();
        for (Row row : trace.rows()) {
            if (row.node() < 0) {
                rows.add(row.depth() + " log " + trace.logs().get(row.log()).address());
                continue;
            }
            Node node = trace.nodes().get(row.node());
            assertEquals(row.depth(), node.depth());
            assertEquals(
                    node.depth() == 0 ? -1 : node.depth() - 1,
                    node.parent() < 0 ? -1 : trace.nodes().get(node.parent()).depth());
            TraceSpan span = node.span();
            if (span == null) {
                assertEquals(Set.of(Mark.MISSING), node.marks());
                rows.add(row.depth() + " missing " + node.spanId() + " from=" + node.startNs() + " to=" + node.endNs());
            } else {
                Set<String> marks =
                        new TreeSet<>(node.marks().stream().map(Mark::name).toList());
                rows.add(row.depth() + " span " + Plain.text(span) + " at " + span.address() + " self=" + node.selfNs()
                        + " copies=" + node.copies() + " " + marks);
            }
        }
        return rows;
    }

    @Test
    void shouldMakeTheTreeThatAPlainComputationMakes() {
        System.out.println("TraceTreeTest: -Dloom.test.seed=" + seed);
        Map<Mark, Integer> met = new LinkedHashMap<>();
        int resent = 0;
        for (int round = 0; round < ROUNDS; round++) {
            List<TraceSpan> spans = new ArrayList<>();
            List<TraceLog> logs = new ArrayList<>();
            int count = random.nextInt(25);
            int ids = 1 + random.nextInt(30);
            for (int i = 0; i < count; i++) {
                long start = random.nextInt(TIMES);
                long end = random.nextInt(10) == 0 ? random.nextInt(TIMES) : start + random.nextInt(TIMES / 2);
                long parent = random.nextInt(4) == 0 ? 0 : 1 + random.nextInt(ids);
                spans.add(span(8L * i, 1 + random.nextInt(ids), parent, "n" + random.nextInt(2), start, end));
                if (random.nextInt(5) == 0) {
                    TraceSpan again = spans.get(random.nextInt(spans.size()));
                    spans.add(span(
                            10_000 + 8L * i,
                            again.spanId(),
                            again.parentId(),
                            again.name(),
                            again.startNs(),
                            again.endNs()));
                }
            }
            for (int i = random.nextInt(12); i > 0; i--) {
                logs.add(log(20_000 + 8L * i, random.nextInt(ids + 3), random.nextInt(2 * TIMES)));
            }
            Collections.shuffle(spans, random);
            Collections.shuffle(logs, random);
            Trace trace = TraceTree.of(ID, spans, logs);
            assertEquals(
                    String.join("\n", new Plain(spans, logs).rows),
                    String.join("\n", rows(trace)),
                    "seed=" + seed + ", round=" + round);
            assertEquals(
                    spans.size(), trace.nodes().stream().mapToInt(Node::copies).sum());
            for (Node node : trace.nodes()) {
                node.marks().forEach(mark -> met.merge(mark, 1, Integer::sum));
                resent += node.copies() > 1 ? 1 : 0;
            }
        }
        assertTrue(resent > 100 && met.size() == Mark.values().length - 1, "seed=" + seed + ", met=" + met);
        assertTrue(met.values().stream().allMatch(count -> count > 100), "seed=" + seed + ", met=" + met);
    }

    @Test
    void shouldTakeAnyDepthAndAnyNumberOfChildren() {
        int depth = 100_000;
        List<TraceSpan> chain = new ArrayList<>();
        for (int i = 0; i < depth; i++) {
            chain.add(span(8L * i, i + 1, i, "n", i, 2L * depth - i));
        }
        Collections.shuffle(chain, random);
        Trace deep = TraceTree.of(ID, chain, List.of(log(0, depth, 0)));
        assertEquals(depth - 1, deep.nodes().get(depth - 1).depth());
        assertEquals(depth, deep.rows().get(depth).depth());
        assertEquals(2, deep.nodes().get(0).selfNs());
        List<TraceSpan> star = new ArrayList<>(List.of(span(0, 1, 0, "n", 0, depth)));
        for (int i = 1; i < depth; i++) {
            star.add(span(8L * i, i + 1, 1, "n", i, i + 2));
        }
        Trace wide = TraceTree.of(ID, star, List.of());
        assertEquals(1, wide.nodes().get(0).selfNs());
        assertTrue(wide.nodes().stream().skip(1).allMatch(node -> node.depth() == 1));
    }

    /** Ids whose halves are equal have one hash. */
    @Test
    @Timeout(value = 1, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void shouldTakeIdsOfOneHash() {
        List<TraceSpan> star = new ArrayList<>(List.of(span(0, 1, 0, "n", 0, 10)));
        for (long i = 2; i < 500_000; i++) {
            star.add(span(8 * i, i << 32 | i, 1, "n", 0, 10));
        }
        assertEquals(star.size(), TraceTree.of(ID, star, List.of()).nodes().size());
    }

    @Test
    void shouldCutACycleOfAnyLengthAtItsFirstSpan() {
        int length = 50_000;
        List<TraceSpan> cycle = new ArrayList<>();
        for (int i = 0; i < length; i++) {
            cycle.add(span(8L * i, i + 1, i == 0 ? length : i, "n", 10, 20));
        }
        Trace trace = TraceTree.of(ID, cycle, List.of());
        assertEquals(Set.of(Mark.CYCLE), trace.nodes().get(0).marks());
        assertEquals(1, trace.nodes().get(0).spanId());
        assertEquals(length - 1, trace.nodes().get(length - 1).depth());
        Trace own = TraceTree.of(ID, List.of(span(0, 7, 7, "n", 1, 2)), List.of());
        assertEquals(Set.of(Mark.CYCLE), own.nodes().get(0).marks());
        assertEquals(1, own.nodes().get(0).selfNs());
    }

    @Test
    void shouldTakeTimesUpToTheGreatest() {
        Trace trace = TraceTree.of(
                ID,
                List.of(
                        span(0, 1, 0, "n", 0, Long.MAX_VALUE),
                        span(8, 2, 1, "n", Long.MAX_VALUE, Long.MAX_VALUE),
                        span(16, 3, 1, "n", Long.MAX_VALUE, 0)),
                List.of());
        assertEquals(Long.MAX_VALUE, trace.nodes().get(0).selfNs());
        assertEquals(Long.MAX_VALUE, trace.endNs());
        assertEquals(0, trace.nodes().get(2).durationNs());
    }

    @Test
    void shouldHaveNoRowsWithoutRecords() {
        Trace trace = TraceTree.of(ID, List.of(), List.of());
        assertEquals(List.of(), trace.rows());
        Trace logs = TraceTree.of(ID, List.of(), List.of(log(8, 0, 5), log(0, 3, 9)));
        assertEquals(List.of("0 log 8", "0 log 0"), rows(logs));
        assertEquals(5, logs.startNs());
        assertEquals(9, logs.endNs());
    }

    @Test
    void shouldSayWhatIsWrongWithAnId() {
        String id = "5b8efff798038103d269b633813fc60c";
        assertEquals(id, TraceId.parse(id).toString());
        assertEquals(id, TraceId.parse("5B8EFFF798038103D269B633813FC60C").toString());
        Map<String, String> refused = new LinkedHashMap<>();
        refused.put("", "digits=0, expected=32");
        refused.put(id.substring(1), "digits=31, expected=32");
        refused.put(id + "0", "digits=33, expected=32");
        refused.put(id.substring(16), "digits=16, expected=32; a span id has that many");
        refused.put(id.replace('f', 'g'), "position 4 is no hexadecimal digit");
        refused.put("0".repeat(32), "all digits are zero");
        refused.forEach((text, reason) -> {
            String message = Stream.of(text)
                    .map(each -> {
                        try {
                            return TraceId.parse(each).toString();
                        } catch (IllegalArgumentException e) {
                            return e.getMessage();
                        }
                    })
                    .findFirst()
                    .orElseThrow();
            assertEquals("not a trace id: " + text + "; " + reason, message);
        });
    }
}
