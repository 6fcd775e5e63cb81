package dev.loom.bench.jmh;

import dev.loom.bench.push.ScratchDirectory;
import java.nio.file.Path;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** A benchmark's directories, one pair per fork. */
@State(Scope.Benchmark)
@SuppressWarnings("NullAway.Init") // JMH sets the fields
public class BenchmarkDirectories {
    /** A directory on the disk under test. */
    @Param("target/loom-bench")
    public String dir;

    /** Whether {@link #dir} may be in memory. */
    @Param("false")
    public boolean allowTmpfs;

    /** Where rings are mapped. */
    @Param("/dev/shm")
    public String staging;

    private ScratchDirectory disk;
    private ScratchDirectory memory;

    @Setup(Level.Trial)
    public void create() {
        disk = ScratchDirectory.onDisk(Path.of(dir), allowTmpfs);
        memory = ScratchDirectory.in(Path.of(staging));
    }

    @TearDown(Level.Trial)
    public void delete() {
        disk.close();
        memory.close();
    }

    Path diskPath() {
        return disk.path();
    }

    Path stagingPath() {
        return memory.path();
    }
}
