package dev.loom.cli.demo;

import dev.loom.api.PushStatus;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.agrona.BitUtil;
import org.agrona.BufferUtil;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;
import org.jspecify.annotations.Nullable;

/**
 * The way of records from many threads to the store's one writer: an off-heap ring, and the thread that empties it.
 *
 * <p>Any thread may {@link #record}; one that finds the ring full yields until there is room, so nothing is dropped.
 * Records reach the store in the order in which they entered the ring. {@link #close()} comes after the last record.
 */
final class TelemetryRing implements TelemetrySink, AutoCloseable {
    /** Appends to the store; called by the ring's thread alone. Answers as {@link dev.loom.Loom#push} does. */
    @FunctionalInterface
    interface Appender {
        long append(DemoSource source, DirectBuffer payload, int offset, int length);
    }

    private static final int DEFAULT_CAPACITY = 8 * 1024 * 1024;
    private static final int BATCH = 1024;

    private final ManyToOneRingBuffer ring;
    private final Counts recorded = new Counts();
    private final Counts appended = new Counts();
    private final Appender appender;
    private final Thread writer;
    private volatile boolean closing;
    private volatile @Nullable Throwable failure;

    TelemetryRing(Appender appender) {
        this(appender, DEFAULT_CAPACITY);
    }

    /** {@code capacity} is in bytes, a power of two. */
    TelemetryRing(Appender appender, int capacity) {
        this.appender = appender;
        this.ring = new ManyToOneRingBuffer(new UnsafeBuffer(BufferUtil.allocateDirectAligned(
                capacity + RingBufferDescriptor.TRAILER_LENGTH, BitUtil.CACHE_LINE_LENGTH)));
        writer = new Thread(this::run, "demo-telemetry");
        writer.setDaemon(true);
    }

    TelemetryRing start() {
        writer.start();
        return this;
    }

    @Override
    public void record(DemoSource source, DirectBuffer payload, int offset, int length) {
        while (!ring.write(source.messageType(), payload, offset, length)) {
            throwIfFailed();
            if (closing) {
                throw new IllegalStateException("telemetry ring is closed: source=" + source);
            }
            YieldingIdleStrategy.INSTANCE.idle();
        }
        recorded.increment(source);
    }

    /** Records taken so far, by source. */
    Map<DemoSource, Long> recorded() {
        return recorded.sums();
    }

    /** Records given to the store so far, by source. */
    Map<DemoSource, Long> appended() {
        return appended.sums();
    }

    /** Hands over what is left, and ends the thread. Fails when a record did not reach the store. */
    @Override
    public void close() {
        closing = true;
        joinWriter();
        throwIfFailed();
        if (!recorded().equals(appended())) {
            throw new IllegalStateException(
                    "telemetry was not written: recorded=" + recorded() + ", written=" + appended());
        }
    }

    /** Not interruptible: the store must not be closed while the writer still pushes. */
    private void joinWriter() {
        boolean interrupted = false;
        while (writer.isAlive()) {
            try {
                writer.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        try {
            IdleStrategy idle = new BackoffIdleStrategy(
                    1, 1, TimeUnit.MICROSECONDS.toNanos(20), TimeUnit.MICROSECONDS.toNanos(200));
            while (true) {
                boolean last = closing; // read before the ring: what was recorded before close() is then seen below
                int count = ring.read(this::onMessage, BATCH);
                if (last && ring.size() == 0) {
                    return;
                }
                idle.idle(count);
            }
        } catch (Throwable t) {
            failure = t;
        }
    }

    private void onMessage(int messageType, MutableDirectBuffer buffer, int offset, int length) {
        DemoSource source = DemoSource.ofMessageType(messageType);
        long answer = appender.append(source, buffer, offset, length);
        if (answer < 0) {
            throw new IllegalStateException(
                    "record was refused: source=" + source + ", status=" + PushStatus.name(answer));
        }
        appended.increment(source);
    }

    private void throwIfFailed() {
        Throwable cause = failure;
        if (cause != null) {
            throw new IllegalStateException("telemetry could not be written", cause);
        }
    }

    /** Records by source. Usable from any thread. */
    private static final class Counts {
        private final Map<DemoSource, LongAdder> adders = new EnumMap<>(DemoSource.class);

        Counts() {
            for (DemoSource source : DemoSource.values()) {
                adders.put(source, new LongAdder());
            }
        }

        void increment(DemoSource source) {
            Objects.requireNonNull(adders.get(source)).increment();
        }

        Map<DemoSource, Long> sums() {
            Map<DemoSource, Long> sums = new EnumMap<>(DemoSource.class);
            adders.forEach((source, adder) -> sums.put(source, adder.sum()));
            return sums;
        }
    }
}
