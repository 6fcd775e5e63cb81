package dev.loom.bench.push;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.Bins;
import dev.loom.api.Eviction;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.api.StoreInfo;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.query.Group;
import dev.loom.query.GroupedAggregate;
import dev.loom.query.Groups;
import dev.loom.query.IndexedAggregate;
import dev.loom.query.model.QueryIndex;
import java.math.BigInteger;
import java.util.List;
import java.util.Random;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * {@link Loom#push} to a source with some log-linear indexes over the same integer field. The values are log-normal latencies, in
 * an order that a branch predictor can't learn.
 */
public final class IndexedPush implements PushTarget {
    private static final int POOL = 1 << 12;
    private static final int LATENCY_OFFSET = 8;
    private static final int THREAD_OFFSET = 16;
    private static final PayloadFormat FORMAT = Formats.parse("struct:ts_ns:i64,latency_ns:i64,thread:i64,rest:bytes");

    private final TargetFiles files;
    private final Loom loom;
    private final int sourceId;
    private final int indexes;
    private final int keys;
    private final int length;
    private final UnsafeBuffer payloads;
    private final long[] latencies = new long[POOL];
    private long pushed;

    /**
     * @param indexes the number of indexes, over a field of payloads of at least 24 bytes
     * @param keys of how many threads the records are, by which indexes keep them apart; 0 for indexes without keys
     */
    public IndexedPush(PushSettings settings, int indexes, Bins bins, int keys) {
        this.indexes = indexes;
        this.keys = keys;
        length = settings.payloadLength();
        payloads = new UnsafeBuffer(new byte[POOL * length]);
        final Random random = new Random(1);
        for (int i = 0; i < POOL; i++) {
            latencies[i] = (long) Math.exp(11.5 + 0.6 * random.nextGaussian());
            payloads.putLong(i * length, i);
            payloads.putLong(i * length + LATENCY_OFFSET, latencies[i]);
            payloads.putLong(i * length + THREAD_OFFSET, random.nextInt(Math.max(1, keys)));
        }
        files = new TargetFiles(settings);
        loom = Loom.open(LoomConfig.at(files.directory().resolve("store"))
                .stagingDirectory(files.staging())
                .recordRingBytes(settings.ringBytes())
                .segmentBytes(settings.segmentBytes())
                .eviction(settings.direct() ? Eviction.DIRECT : Eviction.PAGE_CACHE)
                .maxBytes(LoomConfig.UNLIMITED)
                .build());
        sourceId = loom.defineSource("calls", FORMAT);
        for (int i = 0; i < indexes; i++) {
            final IndexFunction latency = IndexFunction.field(FORMAT, "latency_ns");
            if (keys > 0) {
                loom.defineIndex(sourceId, name(i), latency, bins, List.of("thread"));
            } else {
                loom.defineIndex(sourceId, name(i), latency, bins);
            }
        }
    }

    private static String name(int index) {
        return "latency" + index;
    }

    @Override
    public void push(int count) {
        final DirectBuffer buffer = payloads;
        final int payloadLength = length;
        int next = (int) (pushed % POOL);
        for (int i = 0; i < count; i++) {
            LoomTarget.check(loom.push(sourceId, buffer, next * payloadLength, payloadLength));
            next = (next + 1) % POOL;
        }
        pushed += count;
    }

    @Override
    public long pushed() {
        return pushed;
    }

    @Override
    public void finish() {
        loom.force();
    }

    /** The store's info, which includes the ends of its logs. */
    public StoreInfo info() {
        return loom.info();
    }

    @Override
    public void verify() {
        BigInteger sum = BigInteger.ZERO;
        long max = 0;
        for (int i = 0; i < POOL; i++) {
            final long times = pushed / POOL + (i < pushed % POOL ? 1 : 0);
            sum = sum.add(BigInteger.valueOf(latencies[i]).multiply(BigInteger.valueOf(times)));
            max = times > 0 ? Math.max(max, latencies[i]) : max;
        }
        try (Snapshot snapshot = loom.snapshot()) {
            verify(
                    IndexedAggregate.of(snapshot, sourceId, IndexFunction.field(FORMAT, "latency_ns"))
                            .use(QueryIndex.CHUNK, false)
                            .run(),
                    sum,
                    max);
            if (keys > 0 && indexes > 0) {
                verifyThreads(snapshot);
            }
            for (int i = 0; i < indexes && keys == 0; i++) {
                final IndexedAggregate.Result answer = IndexedAggregate.of(
                                snapshot, snapshot.index(sourceId, name(i)).orElseThrow())
                        .run();
                verify(answer, sum, max);
                if (answer.statistics().chunksRead() > 1) {
                    throw new IllegalStateException(
                            "index lacks chunks: index=" + name(i) + ", " + answer.statistics());
                }
            }
        }
    }

    private void verifyThreads(Snapshot snapshot) {
        try (Groups threads = GroupedAggregate.of(snapshot, sourceId, IndexFunction.field(FORMAT, "latency_ns"))
                .by("thread")
                .run()) {
            long count = 0;
            for (final Group thread : threads) {
                count += thread.count();
            }
            if (count != pushed || threads.size() > keys || threads.statistics().chunksRead() > 1) {
                throw new IllegalStateException("index lacks chunks: expected=" + pushed + ", count=" + count
                        + ", threads=" + threads.size() + ", " + threads.statistics());
            }
        }
    }

    private void verify(IndexedAggregate.Result answer, BigInteger sum, long max) {
        final long actualMax = answer.max().orElseThrow().toBigDecimal().longValueExact();
        if (answer.count() != pushed || !answer.sum().equals(sum.toString()) || actualMax != max) {
            throw new IllegalStateException("store differs from what was pushed: expected=" + pushed + ", " + sum + ", "
                    + max + ", actual=" + answer.count() + ", " + answer.sum() + ", " + actualMax);
        }
    }

    @Override
    public void close() {
        loom.close();
        files.close();
    }
}
