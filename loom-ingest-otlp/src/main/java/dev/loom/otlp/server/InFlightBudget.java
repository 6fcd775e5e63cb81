package dev.loom.otlp.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * All memory that requests in flight may take: one area of fixed length off the heap, given out in contiguous {@link Region}s.
 *
 * <p>The area is a file without a name, preallocated by writing, so that memory which the machine does not have is refused when
 * the server starts and not while it serves. Where its folder has too little room, as {@code /dev/shm} of a container, it is
 * direct memory. Usable from any thread; the lock is held while a region's bounds change, never while bytes are copied.
 */
public final class InFlightBudget implements AutoCloseable {
    /** Regions start and end at multiples of it: bytes. */
    static final int GRANULE = 4096;

    /** What a client is told when there is no room for its request. */
    static final Refusal NO_ROOM =
            new Refusal(Refusal.Reason.UNAVAILABLE, "memory for requests in flight is used up", 1000);

    /** Where a region is to be, in granules. */
    private record Place(int start, int size) {
        boolean contains(int granule) {
            return granule >= start && granule < start + size;
        }
    }

    private final ByteBuffer area;
    private final UnsafeBuffer buffer;
    private final RegionAllocator allocator;
    private int used;
    private int peak;
    private boolean pressed;
    private boolean closed;

    private InFlightBudget(ByteBuffer area) {
        this.area = area;
        buffer = new UnsafeBuffer(area);
        allocator = new RegionAllocator(area.capacity() / GRANULE);
    }

    /**
     * Takes the memory.
     *
     * @param folder where the file is created, and removed at once: on tmpfs, unless the area is to be on a disk
     * @param length in bytes, rounded up to whole granules
     * @throws IOException when the folder has no room or can't be written, and there is no direct memory either
     */
    public static InFlightBudget open(Path folder, int length) throws IOException {
        return open(
                folder,
                length,
                Files.isDirectory(folder) ? Files.getFileStore(folder).getUsableSpace() : 0);
    }

    /** As above, of a folder that has so many bytes free. */
    static InFlightBudget open(Path folder, int length, long free) throws IOException {
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
            return new InFlightBudget(ByteBuffer.allocateDirect(bytes));
        } catch (OutOfMemoryError e) {
            IOException none = new IOException(
                    "no memory for requests in flight: folder=" + folder + ", bytes=" + bytes + ", free=" + free
                            + ", reason=" + FileFailure.describe(full) + "; and no direct memory: " + e.getMessage(),
                    full);
            none.addSuppressed(e);
            throw none;
        }
    }

    private static ByteBuffer mapped(Path folder, int bytes) throws IOException {
        Path file = Files.createTempFile(
                folder,
                "loom-in-flight-",
                ".tmp",
                PosixFilePermissions.asFileAttribute(Set.copyOf(PosixFilePermissions.fromString("rw-------"))));
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer zeroes = ByteBuffer.allocate(16 * GRANULE);
            for (long position = 0; position < bytes; ) {
                zeroes.clear().limit((int) Math.min(zeroes.capacity(), bytes - position));
                position += channel.write(zeroes, position);
            }
            return channel.map(MapMode.READ_WRITE, 0, bytes);
        } finally {
            Files.delete(file);
        }
    }

    /** Length of the area in bytes. */
    public int capacity() {
        return area.capacity();
    }

    /** Bytes in regions now. */
    synchronized int used() {
        return used;
    }

    /** The most bytes that ever were in regions. */
    synchronized int peak() {
        return peak;
    }

    /** Notes that something was refused for the sake of memory that is not this. */
    synchronized void press() {
        pressed = true;
    }

    /** Whether anything was refused for want of memory since this was last asked. */
    synchronized boolean takePressed() {
        boolean was = pressed;
        pressed = false;
        return was;
    }

    /**
     * Takes a region.
     *
     * @param length it can hold at least, bytes
     * @return null when there is no room
     */
    public synchronized @Nullable Region reserve(int length) {
        int granules = granulesOf(length);
        int offset = closed ? -1 : allocator.allocate(granules);
        if (offset < 0) {
            pressed = true;
            return null;
        }
        count(granules);
        return new Region(this, offset * GRANULE, granules * GRANULE);
    }

    /** The bytes of all regions. */
    UnsafeBuffer buffer() {
        return buffer;
    }

    /** A view of part of the area with position and limit of its own. */
    ByteBuffer view(int offset, int length) {
        return area.duplicate().position(offset).limit(offset + length);
    }

    /**
     * Lengthens a region: behind it, elsewhere, or to both sides, in which way one that is alone can have all there is.
     *
     * @param capacity it must have at least
     * @param desired it is to have when there is room
     * @return whether it has it; when not, the region is as it was
     */
    boolean grow(Region region, int capacity, int desired) {
        int start = region.offset() / GRANULE;
        int has = region.capacity() / GRANULE;
        Place place = lengthen(start, has, granulesOf(capacity), granulesOf(desired));
        if (place == null) {
            return false;
        }
        region.move(place.start * GRANULE, place.size * GRANULE);
        if (!place.contains(start)) {
            release(start * GRANULE, has * GRANULE);
        }
        return true;
    }

    private synchronized @Nullable Place lengthen(int start, int has, int least, int desired) {
        int behind = allocator.extend(start + has, desired - has);
        if (has + behind >= least) {
            return take(start, has + behind, behind);
        }
        int elsewhere = allocator.allocate(desired);
        int size = desired;
        if (elsewhere < 0) {
            int before = allocator.extendFront(start, desired - has - behind);
            if (before + has + behind >= least) {
                return take(start - before, before + has + behind, before + behind);
            }
            free(start - before, before);
            elsewhere = allocator.allocate(least);
            size = least;
        }
        free(start + has, behind);
        if (elsewhere < 0) {
            pressed = true;
            return null;
        }
        return take(elsewhere, size, size);
    }

    private Place take(int start, int size, int more) {
        count(more);
        return new Place(start, size);
    }

    private void free(int start, int size) {
        if (size > 0) {
            allocator.free(start, size);
        }
    }

    /** Gives back bytes that were a region or the end of one. */
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

    /** Refuses further regions, and gives the memory back unless there are regions still. Idempotent. */
    @Override
    public synchronized void close() {
        if (!closed && used == 0) {
            BufferUtil.free(area);
        }
        closed = true;
    }
}
