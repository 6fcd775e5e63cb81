package dev.loom.otlp.server;

import dev.loom.otlp.file.FileFailure;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.function.IntFunction;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * All memory for requests in flight: one off-heap area of fixed length, allocated in contiguous {@link Region}s.
 *
 * <p>The area is an unnamed file, preallocated by writing, so a lack of memory shows when the server starts and not while it
 * serves. If the folder has too little room, like {@code /dev/shm} in a container, the area is direct memory, and shorter if
 * the virtual machine's limit on that demands it. Thread-safe; the lock is held while a region's bounds change, never while
 * bytes are copied.
 */
public final class InFlightBudget implements AutoCloseable {
    /** The alignment of regions, in bytes. */
    static final int GRANULE = 4096;

    /** The client's answer if there is no room for its request. */
    static final Refusal NO_ROOM = Refusal.later("memory for requests in flight is exhausted");

    /** The direct memory that the area leaves to the rest of the process, in bytes. */
    static final int OTHERS_LENGTH = 16 << 20;

    private final ByteBuffer area;
    private final UnsafeBuffer buffer;
    private final RegionAllocator allocator;
    private int used;
    private int peak;
    private long presses;
    private boolean closed;

    private InFlightBudget(ByteBuffer area) {
        this.area = area;
        buffer = new UnsafeBuffer(area);
        allocator = new RegionAllocator(area.capacity() / GRANULE);
    }

    /**
     * Allocates the memory.
     *
     * @param folder where the file is created, and deleted at once: on tmpfs, unless the area may be on a disk
     * @param length in bytes, rounded up to whole granules; halved, down to 1 MiB at least, as long as neither the folder nor
     *     direct memory has room for it
     * @throws IOException if the folder has no room or can't be written, and there is no direct memory either
     */
    public static InFlightBudget open(Path folder, int length) throws IOException {
        return open(
                folder,
                length,
                Files.isDirectory(folder) ? Files.getFileStore(folder).getUsableSpace() : 0,
                ByteBuffer::allocateDirect);
    }

    /** As {@link #open(Path, int)}, for a folder with this many bytes free, and with this source of direct memory. */
    static InFlightBudget open(Path folder, int length, long free, IntFunction<ByteBuffer> direct) throws IOException {
        int bytes = granulesOf(length) * GRANULE;
        IOException full = new IOException("no space in folder: free=" + free);
        if (bytes <= free) {
            try {
                return new InFlightBudget(mapped(folder, bytes));
            } catch (IOException e) {
                full = e;
            }
        }
        try {
            return new InFlightBudget(direct(bytes, direct));
        } catch (OutOfMemoryError e) {
            IOException none = new IOException(
                    "no memory for requests in flight: folder=" + folder + ", bytes=" + bytes + ", free=" + free
                            + ", reason=" + FileFailure.describe(full) + "; and no direct memory: " + e.getMessage(),
                    full);
            none.addSuppressed(e);
            throw none;
        }
    }

    private static ByteBuffer direct(int bytes, IntFunction<ByteBuffer> direct) {
        ByteBuffer others = direct.apply(OTHERS_LENGTH);
        try {
            for (int length = bytes; ; length = granulesOf(length / 2) * GRANULE) {
                try {
                    return direct.apply(length);
                } catch (OutOfMemoryError e) {
                    if (length / 2 < OtlpConfig.BUDGET_LENGTH_MIN) {
                        throw e;
                    }
                }
            }
        } finally {
            BufferUtil.free(others);
        }
    }

    private static ByteBuffer mapped(Path folder, int bytes) throws IOException {
        try (FileChannel channel = unnamed(folder)) {
            ByteBuffer zeroes = ByteBuffer.allocate(16 * GRANULE);
            for (long position = 0; position < bytes; ) {
                zeroes.clear().limit((int) Math.min(zeroes.capacity(), bytes - position));
                position += channel.write(zeroes, position);
            }
            return channel.map(MapMode.READ_WRITE, 0, bytes);
        }
    }

    /** Opens a new file that has lost its name already, so that nothing stays of it if the process is killed. */
    static FileChannel unnamed(Path folder) throws IOException {
        Path file = Files.createTempFile(
                folder,
                "loom-in-flight-",
                ".tmp",
                PosixFilePermissions.asFileAttribute(Set.copyOf(PosixFilePermissions.fromString("rw-------"))));
        try {
            return FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
        } finally {
            Files.delete(file);
        }
    }

    /** The length of the area, in bytes. */
    public int capacity() {
        return area.capacity();
    }

    /** Bytes now in regions. */
    public synchronized int used() {
        return used;
    }

    /** The most bytes ever in regions. */
    synchronized int peak() {
        return peak;
    }

    /** How often a request was refused for lack of memory. */
    public synchronized long presses() {
        return presses;
    }

    /**
     * Allocates a region.
     *
     * @param length the least capacity, in bytes
     * @return null if there is no room
     */
    public @Nullable Region reserve(int length) {
        return reserve(length, 0);
    }

    /**
     * As {@link #reserve(int)}, for who gives way to others: neither now nor when it grows does the region leave them fewer
     * than {@code left} bytes, and where it would, that does not count as a press.
     */
    public synchronized @Nullable Region reserve(int length, int left) {
        int granules = granulesOf(length);
        Region region = new Region(this, left); // first, as nothing can fail once the granules are taken
        int offset = closed || granules > granulesFree(left) ? -1 : allocator.allocate(granules);
        if (offset < 0) {
            refuse(left);
            return null;
        }
        count(granules);
        region.move(offset * GRANULE, granules * GRANULE);
        return region;
    }

    /** Granules that can be taken so that this many bytes are left. */
    private int granulesFree(int left) {
        return Math.max(0, area.capacity() - used - left) / GRANULE;
    }

    private void refuse(int left) {
        if (left == 0) {
            presses++;
        }
    }

    /** The bytes of all regions. */
    UnsafeBuffer buffer() {
        return buffer;
    }

    /** A view of part of the area with its own position and limit. */
    ByteBuffer view(int offset, int length) {
        return area.duplicate().position(offset).limit(offset + length);
    }

    /**
     * Enlarges a region: behind it, or elsewhere.
     *
     * @param capacity the least capacity, in bytes
     * @param desired the capacity if there is room
     * @return whether it has at least {@code capacity}; if not, the region is unchanged
     */
    boolean grow(Region region, int capacity, int desired) {
        int start = region.offset() / GRANULE;
        int has = region.capacity() / GRANULE;
        long place = lengthen(start, has, granulesOf(capacity), granulesOf(desired), region.left());
        if (place < 0) {
            return false;
        }
        int newStart = (int) (place >>> Integer.SIZE);
        region.move(newStart * GRANULE, (int) place * GRANULE);
        if (newStart != start) {
            release(start * GRANULE, has * GRANULE);
        }
        return true;
    }

    /** Takes no memory. Returns the new start and, in the lower half, the new size, in granules; negative if there is no room. */
    private synchronized long lengthen(int start, int has, int least, int desired, int left) {
        int free = granulesFree(left);
        int behind = allocator.extend(start + has, Math.min(desired - has, free));
        if (has + behind >= least) {
            return take(start, has + behind, behind);
        }
        if (behind > 0) {
            allocator.free(start + has, behind);
        }
        int size = desired;
        int elsewhere = size <= free ? allocator.allocate(size) : -1;
        if (elsewhere < 0) {
            size = least;
            elsewhere = size <= free ? allocator.allocate(size) : -1;
        }
        if (elsewhere < 0) {
            refuse(left);
            return -1;
        }
        return take(elsewhere, size, size);
    }

    private long take(int start, int size, int more) {
        count(more);
        return (long) start << Integer.SIZE | size;
    }

    /** Releases bytes that were a region or the end of one. */
    synchronized void release(int offset, int length) {
        allocator.free(offset / GRANULE, length / GRANULE);
        used -= length;
    }

    static int granulesOf(int length) {
        return Math.max(1, (int) ((length + (long) GRANULE - 1) / GRANULE));
    }

    private void count(int granules) {
        used += granules * GRANULE;
        peak = Math.max(peak, used);
    }

    /** Refuses further regions, and frees the memory unless regions remain. Idempotent. */
    @Override
    public synchronized void close() {
        if (!closed && used == 0) {
            BufferUtil.free(area);
        }
        closed = true;
    }
}
