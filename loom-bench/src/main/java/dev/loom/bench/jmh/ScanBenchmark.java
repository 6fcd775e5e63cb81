package dev.loom.bench.jmh;

import dev.loom.bench.scan.Residence;
import dev.loom.bench.scan.ScanSettings;
import dev.loom.bench.scan.ScanStore;
import dev.loom.query.model.Order;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
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
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Full scans of one source among four, by one thread: scans, records and bytes of pages per second. Every scan is checked, and so
 * is where it read from.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@SuppressWarnings("NullAway.Init") // JMH sets the fields
public class ScanBenchmark {
    /** The name of a {@link Residence}. */
    @Param({"memory", "page-cache", "disk"})
    public String from;

    @Param({"newest-first", "oldest-first"})
    public String order;

    /** Records of the scanned source. */
    @Param("10000000")
    public long records;

    /** Records of the three other sources together. */
    @Param("5000000")
    public long others;

    @Param("48")
    public int payload;

    @Param("1073741824")
    public int ringBytes;

    /** Whether a scan that read from elsewhere fails; turn it off only where the system does not count reads. */
    @Param("true")
    public boolean checkResidence;

    private ScanStore store;
    private Order scanOrder;
    private long pageBytes;

    /** What the scans of an iteration processed per second. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.OPERATIONS)
    public static class Rates {
        public long recordsScanned;
        public long pageBytesRead;

        @Setup(Level.Iteration)
        public void reset() {
            recordsScanned = 0;
            pageBytesRead = 0;
        }
    }

    @Setup(Level.Trial)
    public void write(BenchmarkDirectories directories) {
        scanOrder = Order.valueOf(constant(order));
        store = new ScanStore(new ScanSettings(
                directories.diskPath(),
                directories.stagingPath(),
                Residence.parse(from),
                records,
                others,
                payload,
                ringBytes));
        store.scan(scanOrder);
    }

    @Setup(Level.Invocation)
    public void prepare() {
        store.prepare();
    }

    @TearDown(Level.Invocation)
    public void verify() {
        if (checkResidence) {
            store.verifyResidence(pageBytes);
        }
    }

    @TearDown(Level.Trial)
    public void close() {
        store.close();
    }

    @Benchmark
    public long scan(Rates rates, RecordCost cost) {
        cost.begin();
        pageBytes = store.scan(scanOrder);
        cost.end(records);
        rates.recordsScanned += records;
        rates.pageBytesRead += pageBytes;
        return pageBytes;
    }

    private static String constant(String name) {
        return name.toUpperCase(Locale.ROOT).replace('-', '_');
    }
}
