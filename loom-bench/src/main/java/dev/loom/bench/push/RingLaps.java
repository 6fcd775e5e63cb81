package dev.loom.bench.push;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;

/**
 * A ring that is filled with pages over and over; each lap is written to the disk, with checksums, and synced. Filling touches page
 * headers only, so that evicting is what costs. For one thread.
 */
public abstract class RingLaps implements AutoCloseable {
    final PushSettings settings;
    final TargetFiles files;
    final LimitRing ring;
    private long laps;

    RingLaps(PushSettings settings) {
        if (settings.segmentBytes() % settings.ringBytes() != 0) {
            throw new IllegalArgumentException("segment is not a multiple of the ring: segment="
                    + settings.segmentBytes() + ", ring=" + settings.ringBytes());
        }
        this.settings = settings;
        files = new TargetFiles(settings);
        ring = new LimitRing(files.staging().resolve("laps.ring"), settings.ringBytes());
    }

    /** Laps by the store's evictor, or by the least code for it. */
    public static RingLaps of(boolean loom, PushSettings settings) {
        return loom ? new LoomLaps(settings) : new LimitLaps(settings);
    }

    /** Fills the ring, whose last lap was evicted. Older files than its own are deleted. */
    public final void fill() {
        final List<Path> paths = paths();
        try {
            for (final Path old : paths.subList(0, Math.max(0, paths.size() - 1))) {
                Files.delete(old);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        fillPages();
    }

    /** Writes the ring to the disk, and returns when that is durable. */
    public final void evict() {
        evictPages();
        laps++;
    }

    abstract void fillPages();

    abstract void evictPages();

    /** Compares the last lap on the disk with the ring. */
    public final void verify() {
        final ByteBuffer found = ByteBuffer.allocate(settings.ringBytes());
        final List<Path> paths = paths();
        try (FileChannel file = FileChannel.open(paths.get(paths.size() - 1), StandardOpenOption.READ)) {
            final long begin = (laps - 1) * settings.ringBytes() % settings.segmentBytes();
            while (found.hasRemaining() && file.read(found, begin + found.position()) >= 0) {
                // goes on until the lap's end
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (found.hasRemaining() || !found.flip().equals(ring.view())) {
            throw new IllegalStateException("lap on the disk differs from the ring: lap=" + laps);
        }
    }

    private List<Path> paths() {
        try (Stream<Path> paths = Files.list(files.directory())) {
            return paths.sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        ring.close();
        files.close();
    }
}
