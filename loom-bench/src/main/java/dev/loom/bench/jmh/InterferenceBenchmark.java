package dev.loom.bench.jmh;

import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.Store;
import dev.loom.bench.push.LoomTarget;
import dev.loom.bench.push.PayloadPool;
import dev.loom.bench.push.PushKind;
import dev.loom.bench.push.PushRun;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import dev.loom.query.model.Order;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** The push rate while readers scan the newest records over and over: what a query costs the application. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
@SuppressWarnings("NullAway.Init") // JMH sets the fields
public class InterferenceBenchmark {
    private static final int RECORDS_PER_SCAN = 100_000;

    @Param({"0", "1"})
    public int readers;

    private final List<Thread> threads = new ArrayList<>();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final AtomicLong scans = new AtomicLong();
    private PushState state;
    private volatile boolean stopped;

    @Setup(Level.Trial)
    public void open(BenchmarkDirectories directories, PushState pushState) {
        state = pushState;
        state.open(PushKind.LOOM, directories);
    }

    /** Readers run for one iteration, since the next one may have another store. */
    @Setup(Level.Iteration)
    public void startReaders(PushState pushState) {
        stopped = false;
        final LoomTarget target = (LoomTarget) pushState.target();
        for (int i = 0; i < readers; i++) {
            final Thread thread = new Thread(() -> scanUntilStopped(target), "bench-reader-" + i);
            threads.add(thread);
            thread.start();
        }
    }

    @TearDown(Level.Iteration)
    public void stopReaders() throws InterruptedException {
        stopped = true;
        for (final Thread thread : threads) {
            thread.join();
        }
        threads.clear();
        if (failure.get() != null) {
            throw new IllegalStateException("a reader failed", failure.get());
        }
        if (readers > 0 && scans.get() == 0) {
            throw new IllegalStateException("no reader finished a scan");
        }
    }

    @TearDown(Level.Trial)
    public void verify() {
        state.verifyAndClose();
    }

    @Benchmark
    @OperationsPerInvocation(PushRun.BATCH)
    public void push(RecordCost cost) {
        cost.begin();
        state.push();
        cost.end(PushRun.BATCH);
    }

    private void scanUntilStopped(LoomTarget target) {
        try {
            do {
                scanNewest(target.store(), target.sourceId());
                scans.incrementAndGet();
            } while (!stopped);
        } catch (final RuntimeException | Error e) {
            failure.compareAndSet(null, e);
        }
    }

    /** Payloads repeat in order, so each record determines the next. */
    private void scanNewest(Store store, int sourceId) {
        try (Snapshot snapshot = store.snapshot()) {
            final Source source = snapshot.sources().stream()
                    .filter(candidate -> candidate.id() == sourceId)
                    .findFirst()
                    .orElseThrow();
            try (QueryCursor cursor =
                    RawScan.of(snapshot, source).order(Order.NEWEST_FIRST).open()) {
                final PayloadPool pool = state.pool();
                long number = -1;
                for (int i = 0; i < RECORDS_PER_SCAN && cursor.next(); i++) {
                    if (number < 0) {
                        number = pool.numberOf(cursor.buffer().getLong(cursor.offset(), ByteOrder.LITTLE_ENDIAN));
                    }
                    if (!pool.matches(number, cursor.buffer(), cursor.offset(), cursor.length())) {
                        throw new IllegalStateException("scanned record differs: address=" + cursor.address());
                    }
                    number = (number + PayloadPool.COUNT - 1) % PayloadPool.COUNT;
                }
            }
        }
    }
}
