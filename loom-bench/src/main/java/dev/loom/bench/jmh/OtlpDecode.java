package dev.loom.bench.jmh;

import dev.loom.bench.otlp.IngestStore;
import dev.loom.bench.otlp.RequestPool;
import dev.loom.otlp.Signal;
import java.util.concurrent.TimeUnit;
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

/** Records of OTLP requests that one thread validates and writes into a store per second, in requests of 512 records. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@SuppressWarnings("NullAway.Init") // JMH sets the fields
public class OtlpDecode {
    @Param({"LOGS", "TRACES", "METRICS"})
    public Signal signal;

    @Param("134217728")
    public int ringBytes;

    /** Whether pages bypass the page cache. */
    @Param("true")
    public boolean direct;

    /** Bytes on the disk after which a new store begins. */
    @Param("2147483648")
    public long bytesMax;

    private BenchmarkDirectories folders;
    private RequestPool pool;
    private IngestStore store;

    @Setup(Level.Trial)
    public void open(BenchmarkDirectories directories) {
        folders = directories;
        pool = new RequestPool(signal);
        replace();
    }

    @Setup(Level.Iteration)
    public void limitBytes() {
        if (store.bytes() > bytesMax) {
            verifyAndClose();
            replace();
        }
    }

    @TearDown(Level.Trial)
    public void verifyAndClose() {
        try (IngestStore closing = store) {
            closing.verify();
        }
    }

    private void replace() {
        store = new IngestStore(signal, pool, folders.diskPath(), folders.stagingPath(), ringBytes, direct);
    }

    @Benchmark
    @OperationsPerInvocation(RequestPool.RECORDS)
    public void export(RecordCost cost) {
        cost.begin();
        store.export();
        cost.end(RequestPool.RECORDS);
    }
}
