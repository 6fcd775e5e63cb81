package dev.loom.bench.jmh;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.Snapshot;
import dev.loom.bench.push.ScratchDirectory;
import dev.loom.format.Formats;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Time to create a store with default settings, its memory pre-touched and ready for the first push. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 1)
@Measurement(iterations = 10)
@Fork(3)
@SuppressWarnings("NullAway.Init") // JMH sets the fields
public class StoreBenchmark {
    private ScratchDirectory disk;
    private ScratchDirectory memory;
    private LoomConfig config;
    private Loom loom;

    @Setup(Level.Iteration)
    public void configure(BenchmarkDirectories directories) {
        disk = ScratchDirectory.in(directories.diskPath());
        memory = ScratchDirectory.in(directories.stagingPath());
        config = LoomConfig.at(disk.path().resolve("store"))
                .stagingDirectory(memory.path())
                .build();
    }

    @Benchmark
    public Loom create() {
        loom = Loom.open(config);
        return loom;
    }

    /** Checks that the store takes a record and returns it. */
    @TearDown(Level.Iteration)
    public void verify() {
        final int source = loom.defineSource("first", Formats.parse("bytes"));
        final long address = loom.push(source, new byte[Long.BYTES]);
        try (Snapshot snapshot = loom.snapshot()) {
            if (address < 0 || snapshot.statistics(source).records() != 1) {
                throw new IllegalStateException("created store does not hold its first record: answer=" + address);
            }
        }
        loom.close();
        disk.close();
        memory.close();
    }
}
