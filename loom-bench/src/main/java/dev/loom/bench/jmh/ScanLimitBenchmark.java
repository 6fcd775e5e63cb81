package dev.loom.bench.jmh;

import dev.loom.bench.scan.RecordLoop;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** The least that {@link ScanBenchmark} from memory takes: scans, records and bytes of pages per second. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@SuppressWarnings("NullAway.Init") // JMH sets the fields
public class ScanLimitBenchmark {
    @Param("10000000")
    public long records;

    @Param("48")
    public int payload;

    private RecordLoop loop;

    @Setup(Level.Trial)
    public void write() {
        loop = new RecordLoop(records, payload);
    }

    @Benchmark
    public void scan(ScanBenchmark.Rates rates, RecordCost cost) {
        cost.begin();
        loop.scan();
        cost.end(loop.records());
        rates.recordsScanned += loop.records();
        rates.pageBytesRead += loop.bytes();
    }
}
