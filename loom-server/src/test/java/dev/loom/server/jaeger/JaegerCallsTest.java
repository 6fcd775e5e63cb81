package dev.loom.server.jaeger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.query.model.QueryMemory;
import dev.loom.query.trace.TraceId;
import dev.loom.server.http.ApiFailure;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Calls between services, against a plain computation. */
final class JaegerCallsTest {
    private static final int MANY = 20_000;

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);

    private record Span(TraceId trace, long id, long parent, String service) {}

    private static String expected(Iterable<Span> spans) {
        TreeMap<String, Span> firsts = new TreeMap<>();
        spans.forEach(span -> firsts.putIfAbsent(span.trace + " " + span.id, span));
        TreeMap<String, Integer> counts = new TreeMap<>();
        for (Span span : spans) {
            Span parent = span.parent == 0 ? null : firsts.get(span.trace + " " + span.parent);
            if (parent != null && !parent.service.equals(span.service)) {
                counts.merge(parent.service + " calls " + span.service, 1, Integer::sum);
            }
        }
        return counts.toString();
    }

    private static String counted(JaegerCalls calls) {
        TreeMap<String, Long> counts = new TreeMap<>();
        calls.calls().forEach(each -> counts.put(each.parent() + " calls " + each.child(), each.count()));
        return counts.toString();
    }

    @Test
    void shouldCountCallsAsAPlainComputationDoes() {
        System.out.println("JaegerCallsTest: -Dloom.test.seed=" + seed);
        for (int round = 0; round < 60; round++) {
            int traces = 1 + random.nextInt(20);
            int ids = 1 + random.nextInt(round < 30 ? 20 : 2_000);
            int services = 1 + random.nextInt(8);
            int count = random.nextInt(round % 10 == 0 ? MANY : 500);
            JaegerCalls calls = new JaegerCalls(QueryMemory.UNLIMITED, MANY);
            List<Span> spans = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                // ids that differ in their highest bits alone, too
                long id = (1L + random.nextInt(ids)) << (random.nextBoolean() ? 0 : 48);
                Span span = new Span(
                        new TraceId(random.nextInt(2), 1L + random.nextInt(traces)),
                        id,
                        random.nextInt(3) == 0 ? 0 : 1 + random.nextInt(ids),
                        "s" + random.nextInt(services));
                spans.add(span);
                calls.add(span.trace, span.id, span.parent, span.service);
            }
            assertEquals(expected(new LinkedHashSet<>(spans)), counted(calls), "seed=" + seed + ", round=" + round);
        }
    }

    /** What was sent again takes no room, and of spans with one id none takes longer than the others. */
    @Test
    void shouldTakeSpansOfOneId() {
        JaegerCalls calls = new JaegerCalls(QueryMemory.UNLIMITED, MANY);
        TraceId trace = new TraceId(0, 1);
        calls.add(trace, 1, 0, "a");
        for (int i = 1; i < MANY; i++) {
            calls.add(trace, 2, i, "b");
        }
        for (int i = 1; i < MANY; i++) {
            calls.add(trace, 2, i, "b");
        }
        assertEquals("{a calls b=1}", counted(calls));
    }

    @Test
    void shouldRefuseTooManySpans() {
        JaegerCalls calls = new JaegerCalls(QueryMemory.UNLIMITED, 3);
        for (int i = 1; i <= 3; i++) {
            calls.add(new TraceId(0, 1), i, i - 1, "s" + i);
        }
        calls.add(new TraceId(0, 1), 3, 2, "s3"); // sent again
        ApiFailure refused = assertThrows(ApiFailure.class, () -> calls.add(new TraceId(0, 2), 1, 0, "s1"));
        assertEquals(413, refused.status());
        assertEquals("too many spans in the range: max=3; a shorter lookback has fewer", refused.getMessage());
        assertEquals("{s1 calls s2=1, s2 calls s3=1}", counted(calls));
    }

    @Test
    void shouldReserveItsMemory() {
        QueryMemory memory = new QueryMemory(200_000);
        JaegerCalls calls = new JaegerCalls(memory, MANY);
        assertThrows(QueryMemory.Exhausted.class, () -> {
            for (int i = 1; i < MANY; i++) {
                calls.add(new TraceId(0, i), i, 0, "s");
            }
        });
        assertTrue(memory.reserved() > 40 * 1024, "reserved=" + memory.reserved());
    }
}
