package dev.loom.server.jaeger;

import dev.loom.query.model.QueryMemory;
import dev.loom.query.trace.TraceId;
import dev.loom.server.http.ApiFailure;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Counts which services call which: the spans whose parent is of another service, and is among the spans. A span that was sent again counts
 * once; the first of several spans with one id is the parent. Memory: 44 bytes a span, three times that while there come more, and 100
 * bytes and the name of each service. For one thread.
 */
final class JaegerCalls {
    /** The most spans of an answer. */
    static final int SPANS_MAX = 1_000_000;

    private static final int SPANS_FIRST = 1 << 10;
    private static final int LONGS = 4;
    private static final int LOW = 1;
    private static final int ID = 2;
    private static final int PARENT = 3;
    private static final int PLACES = 2;
    private static final long SPAN_BYTES = LONGS * Long.BYTES + Integer.BYTES + PLACES * Integer.BYTES;
    private static final long NAME_BYTES = 100;

    /** Chosen at random each time, so that nobody can choose ids that fall onto one place. */
    private final long[] factors =
            new SplittableRandom().longs(LONGS).map(any -> any | 1).toArray();

    private final QueryMemory memory;
    private final int spansMax;
    private final Map<String, Integer> numbers = new HashMap<>();
    private final List<String> names = new ArrayList<>();
    /** Of each span its trace in two halves, its id, and its parent's. */
    private long[] spans = new long[0];

    private int[] services = new int[0];
    /** Where spans are: one more than their number, or 0. */
    private int[] places = new int[0];

    private int count;

    JaegerCalls(QueryMemory memory, int spansMax) {
        this.memory = memory;
        this.spansMax = spansMax;
    }

    /** Calls between two services. */
    record Calls(String parent, String child, long count) {}

    /**
     * Adds a span.
     *
     * @param parent the id of its parent; 0 for none
     * @throws ApiFailure if there are too many
     */
    void add(TraceId trace, long id, long parent, String service) {
        int number = numbers.computeIfAbsent(service, added -> {
            memory.reserve(NAME_BYTES + 2L * service.length());
            names.add(service);
            return names.size() - 1;
        });
        if (count == services.length) {
            grow();
        }
        int place = place(trace.high(), trace.low(), id, parent, number);
        if (places[place] != 0) {
            return; // it was sent again
        } else if (count == spansMax) {
            throw new ApiFailure(
                    413,
                    "too_many_records",
                    "too many spans in the range: max=" + spansMax + "; a shorter lookback has fewer");
        }
        int at = count * LONGS;
        spans[at] = trace.high();
        spans[at + LOW] = trace.low();
        spans[at + ID] = id;
        spans[at + PARENT] = parent;
        services[count] = number;
        places[place] = ++count;
    }

    private void grow() {
        int capacity = Math.max(SPANS_FIRST, services.length * 2);
        memory.reserve(capacity * SPAN_BYTES);
        long before = services.length * SPAN_BYTES;
        spans = Arrays.copyOf(spans, capacity * LONGS);
        services = Arrays.copyOf(services, capacity);
        places = new int[capacity * PLACES];
        for (int i = 0; i < count; i++) {
            int at = i * LONGS;
            places[place(spans[at], spans[at + LOW], spans[at + ID], spans[at + PARENT], services[i])] = i + 1;
        }
        memory.release(before);
    }

    /** The place of a span, or the free one where it would be. */
    private int place(long high, long low, long id, long parent, int service) {
        int place = first(high, low, id, parent);
        while (places[place] != 0) {
            int at = (places[place] - 1) * LONGS;
            if (hasId(at, high, low, id) && spans[at + PARENT] == parent && services[at / LONGS] == service) {
                break;
            }
            place = next(place);
        }
        return place;
    }

    /** The place of the span with an id, or the free one where it would be. */
    private int place(long high, long low, long id) {
        int place = first(high, low, id, 0);
        while (places[place] != 0 && !hasId((places[place] - 1) * LONGS, high, low, id)) {
            place = next(place);
        }
        return place;
    }

    private boolean hasId(int at, long high, long low, long id) {
        return spans[at] == high && spans[at + LOW] == low && spans[at + ID] == id;
    }

    private int first(long high, long low, long id, long parent) {
        long hash = high * factors[0] + low * factors[LOW] + id * factors[ID] + parent * factors[PARENT];
        hash = (hash ^ (hash >>> 32)) * factors[0];
        return (int) (hash >>> 33) & (places.length - 1);
    }

    private int next(int place) {
        return (place + 1) & (places.length - 1);
    }

    /** The calls in order of their names. Afterwards no span may be added. */
    List<Calls> calls() {
        Arrays.fill(places, 0); // from now on by ids alone
        for (int i = 0; i < count; i++) {
            int at = i * LONGS;
            int place = place(spans[at], spans[at + LOW], spans[at + ID]);
            places[place] = places[place] == 0 ? i + 1 : places[place];
        }
        Map<Long, Long> counts = new HashMap<>();
        for (int i = 0; i < count; i++) {
            int at = i * LONGS;
            int parent = spans[at + PARENT] == 0 ? 0 : places[place(spans[at], spans[at + LOW], spans[at + PARENT])];
            if (parent != 0 && services[parent - 1] != services[i]) {
                counts.merge((long) services[parent - 1] << Integer.SIZE | services[i], 1L, Long::sum);
            }
        }
        List<Calls> calls = new ArrayList<>();
        memory.reserve(NAME_BYTES * counts.size());
        counts.forEach((pair, found) ->
                calls.add(new Calls(names.get((int) (pair >>> Integer.SIZE)), names.get(pair.intValue()), found)));
        calls.sort(Comparator.comparing(Calls::parent).thenComparing(Calls::child));
        return calls;
    }
}
