package dev.loom.bench.jmh;

import dev.loom.bench.push.LoomLaps;
import dev.loom.bench.push.PushSettings;
import dev.loom.log.LogView;
import dev.loom.log.PageDescriptor;
import dev.loom.log.PageReader;
import dev.loom.log.PageState;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.agrona.concurrent.UnsafeBuffer;
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
 * Time to read a page, one after the other, out of the ring or from a file in the page cache: by a reader, and by the least code for it, a copy
 * or a read and a checksum.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@SuppressWarnings("NullAway.Init") // JMH sets the fields
public class PageReadBenchmark {
    private static final int PAGE_LENGTH = PageDescriptor.PAGE_LENGTH;
    private static final String RING = "ring";

    @Param({RING, "page-cache"})
    public String from;

    @Param("134217728")
    public int ringBytes;

    @Param("1073741824")
    public long segmentBytes;

    private final ByteBuffer copyBytes = ByteBuffer.allocateDirect(PAGE_LENGTH);
    private final UnsafeBuffer copy = new UnsafeBuffer(copyBytes);
    private final CRC32C checksum = new CRC32C();
    private LoomLaps laps;
    private LogView view;
    private PageReader reader;
    private FileChannel file;
    private long address;

    @Setup(Level.Trial)
    public void open(BenchmarkDirectories directories) throws IOException {
        laps = new LoomLaps(new PushSettings(
                directories.diskPath(), directories.stagingPath(), Long.BYTES, ringBytes, segmentBytes, false));
        laps.fill();
        laps.evict();
        laps.verify();
        view = laps.view(from.equals(RING));
        reader = new PageReader(view, 1);
        file = FileChannel.open(view.segments().file(0), StandardOpenOption.READ);
    }

    @TearDown(Level.Trial)
    public void close() throws IOException {
        file.close();
        reader.close();
        laps.close();
    }

    private long next() {
        address = (address + PAGE_LENGTH) % laps.end();
        return address;
    }

    @Benchmark
    public long read() {
        if (reader.read(next(), laps.end()) != PageState.PRESENT) {
            throw new IllegalStateException("page is not there: address=" + address);
        }
        return reader.buffer().getLong(reader.pageOffset());
    }

    @Benchmark
    public long limit() throws IOException {
        final UnsafeBuffer ring = view.ring();
        if (ring != null) {
            copy.putBytes(0, ring, (int) next(), PAGE_LENGTH);
            return copy.getLong(0);
        }
        copyBytes.clear();
        if (file.read(copyBytes, next()) != PAGE_LENGTH) {
            throw new IllegalStateException("page is not there: address=" + address);
        }
        checksum.reset();
        checksum.update(copyBytes.flip());
        return checksum.getValue();
    }
}
