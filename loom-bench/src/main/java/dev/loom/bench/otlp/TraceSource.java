package dev.loom.bench.otlp;

import dev.loom.otlp.ExportOutcome;
import dev.loom.otlp.Signal;
import dev.loom.otlp.ingest.OtlpIngester;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Traces of several spans, of which many are open at once, so that the spans of a trace lie among those of others: 130 bytes each, with
 * two attributes, in requests of 100 spans of one of 16 services. The same in every run.
 */
public final class TraceSource {
    private static final int REQUEST_SPANS = 100;
    private static final int SERVICES = 16;
    private static final long BEGIN_NS = 1_790_000_000_000_000_000L;

    /** A trace that may get further spans. */
    private static final class Open {
        private final long high;
        private final long low;
        private final int spans;
        private int sent;
        private long rootId;

        Open(Random random, int spansMax) {
            high = random.nextLong() | 1;
            low = random.nextLong();
            spans = 1 + random.nextInt(spansMax);
        }

        String id() {
            return String.format(Locale.ROOT, "%016x%016x", high, low);
        }
    }

    private final Random random = new Random(7);
    private final List<Open> open = new ArrayList<>();
    private final long spans;
    private final int spansMax;
    private final long every;
    private final Map<String, Integer> chosen = new LinkedHashMap<>();
    private final UnsafeBuffer request = new UnsafeBuffer(new byte[1 << 16]);
    private final UnsafeBuffer message = new UnsafeBuffer(new byte[1 << 12]);
    private long made;
    private long traces;

    /**
     * Prepares spans.
     *
     * @param traces how many to remember of them, from first to last
     * @param spansMax a trace has 1 to this many
     * @param open how many traces are open at once
     */
    public TraceSource(long spans, int traces, int spansMax, int open) {
        this.spans = spans;
        this.spansMax = spansMax;
        every = Math.max(1, spans * 2 / (1 + spansMax) / traces);
        for (int i = 0; i < open; i++) {
            this.open.add(next());
        }
    }

    private Open next() {
        final Open trace = new Open(random, spansMax);
        if (traces++ % every == every / 2) {
            chosen.put(trace.id(), 0);
        }
        return trace;
    }

    /** Sends all spans. */
    public void send(OtlpIngester ingester) {
        while (made < spans) {
            sendRequest(ingester);
        }
    }

    /** Sends the next of them. */
    public void sendRequest(OtlpIngester ingester) {
        final ExportOutcome outcome = new ExportOutcome();
        if (made < spans) {
            final int count = (int) Math.min(REQUEST_SPANS, spans - made);
            ingester.export(Signal.TRACES, request, 0, request(count), outcome);
            if (outcome.status() != ExportOutcome.Status.ACCEPTED || outcome.accepted() != count) {
                throw new IllegalStateException("request was not taken: message=" + outcome.message());
            }
        }
    }

    /** The traces that were remembered, with the number of their spans. */
    public Map<String, Integer> chosen() {
        return chosen;
    }

    /** A request in {@link #request} from its beginning; returns its length. */
    private int request(int count) {
        final byte[] service = ("service-" + random.nextInt(SERVICES)).getBytes(StandardCharsets.UTF_8);
        final UnsafeBuffer scope = new UnsafeBuffer(new byte[1 << 16]);
        int length = 0;
        for (int i = 0; i < count; i++) {
            length = putBytes(scope, length, 2, message, span());
        }
        final UnsafeBuffer resource = new UnsafeBuffer(new byte[64]);
        final int pair = pair("service.name", service);
        final int resourceLength = putBytes(resource, 0, 1, message, pair);
        final UnsafeBuffer envelope = new UnsafeBuffer(new byte[1 << 16]);
        int at = putBytes(envelope, 0, 1, resource, resourceLength);
        at = putBytes(envelope, at, 2, scope, length);
        return putBytes(request, 0, 1, envelope, at);
    }

    /** A span in {@link #message}; returns its length. */
    private int span() {
        final int place = random.nextInt(open.size());
        final Open trace = open.get(place);
        final long id = random.nextLong() | 1;
        final long startNs = BEGIN_NS + made * 1_000 + random.nextInt(1_000);
        final byte[] route = ("/cart/" + random.nextInt(100)).getBytes(StandardCharsets.UTF_8);
        final int first = pair("http.route", route);
        final byte[] routePair = new byte[first];
        message.getBytes(0, routePair);
        final int second = pair("user.id", ("user-" + random.nextInt(100_000)).getBytes(StandardCharsets.UTF_8));
        final byte[] userPair = new byte[second];
        message.getBytes(0, userPair);
        final UnsafeBuffer ids = new UnsafeBuffer(new byte[16]);
        ids.putLong(0, Long.reverseBytes(trace.high));
        ids.putLong(8, Long.reverseBytes(trace.low));
        int at = putBytes(message, 0, 1, ids, 16);
        ids.putLong(0, id);
        at = putBytes(message, at, 2, ids, 8);
        if (trace.sent == 0) {
            trace.rootId = id;
        } else {
            ids.putLong(0, trace.rootId);
            at = putBytes(message, at, 4, ids, 8);
        }
        final byte[] name = ("GET /cart" + random.nextInt(20)).getBytes(StandardCharsets.UTF_8);
        at = putBytes(message, at, 5, new UnsafeBuffer(name), name.length);
        message.putByte(at++, (byte) (6 << 3));
        message.putByte(at++, (byte) 2);
        at = putFixed(at, 7, startNs);
        at = putFixed(at, 8, startNs + random.nextInt(50_000_000));
        at = putBytes(message, at, 9, new UnsafeBuffer(routePair), first);
        at = putBytes(message, at, 9, new UnsafeBuffer(userPair), second);
        made++;
        trace.sent++;
        chosen.computeIfPresent(trace.id(), (key, count) -> count + 1);
        if (trace.sent == trace.spans) {
            open.set(place, next());
        }
        return at;
    }

    private int putFixed(int at, int number, long value) {
        message.putByte(at, (byte) ((number << 3) | 1));
        message.putLong(at + 1, value, ByteOrder.LITTLE_ENDIAN);
        return at + 9;
    }

    /** An attribute with a text in {@link #message}; returns its length. */
    private int pair(String key, byte[] text) {
        final byte[] name = key.getBytes(StandardCharsets.UTF_8);
        final UnsafeBuffer value = new UnsafeBuffer(new byte[64]);
        final int length = putBytes(value, 0, 1, new UnsafeBuffer(text), text.length);
        final int at = putBytes(message, 0, 1, new UnsafeBuffer(name), name.length);
        return putBytes(message, at, 2, value, length);
    }

    private static int putBytes(UnsafeBuffer into, int from, int number, UnsafeBuffer bytes, int length) {
        int at = from;
        into.putByte(at++, (byte) ((number << 3) | 2));
        int rest = length;
        while (rest > 0x7F) {
            into.putByte(at++, (byte) ((rest & 0x7F) | 0x80));
            rest >>>= 7;
        }
        into.putByte(at++, (byte) rest);
        into.putBytes(at, bytes, 0, length);
        return at + length;
    }
}
