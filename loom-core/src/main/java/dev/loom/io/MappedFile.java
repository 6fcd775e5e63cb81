package dev.loom.io;

import dev.loom.error.StoreIoException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.file.Path;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A staging file, mapped whole. It is created by writing every byte, and never grown or sparse: a store into a hole on
 * a full file system would kill the thread. The owner decides when to unmap it. An access after {@link #unmap()}
 * crashes the JVM, so an owner that can't rule one out leaves unmapping to the garbage collector.
 */
public final class MappedFile {
    private static final int ZEROES = 256 << 10;

    /** What a mapping's address is a multiple of at least. */
    public static final int MEMORY_PAGE = 4096;

    private final Path path;
    private final MappedByteBuffer bytes;
    private final UnsafeBuffer buffer;

    private MappedFile(Path path, MappedByteBuffer bytes) {
        this.path = path;
        this.bytes = bytes;
        bytes.order(ByteOrder.LITTLE_ENDIAN);
        this.buffer = new UnsafeBuffer(bytes);
    }

    /** Creates a file of {@code length} zero bytes, maps it, and touches each page. */
    public static MappedFile create(Storage storage, Path path, int length) {
        ByteBuffer zeroes = ByteBuffer.allocateDirect(Math.min(length, ZEROES));
        try (LoomFile file = storage.openToWrite(path, false)) {
            for (int position = 0; position < length; position += zeroes.capacity()) {
                zeroes.clear().limit(Math.min(zeroes.capacity(), length - position));
                file.write(zeroes, position);
            }
            MappedFile mapped = new MappedFile(path, file.map(true, 0, length));
            mapped.touch();
            return mapped;
        } finally {
            BufferUtil.free(zeroes);
        }
    }

    /** Maps an existing file. */
    public static MappedFile open(Storage storage, Path path, boolean writable) {
        try (LoomFile file = writable ? storage.openToWrite(path, false) : storage.openToRead(path)) {
            long length = file.size();
            if (length > Integer.MAX_VALUE) {
                throw new StoreIoException("file is too long for staging: file=" + path + ", bytes=" + length);
            }
            return new MappedFile(path, file.map(writable, 0, length));
        }
    }

    /**
     * Faults in every page for writing, so that no push has to. A fault that reads maps the pages around it too, and on tmpfs for writing
     * at once; elsewhere each is still to fault by itself.
     */
    private void touch() {
        int zeroes = 0;
        for (int offset = 0; offset < bytes.capacity(); offset += MEMORY_PAGE) {
            zeroes |= bytes.get(offset);
        }
        for (int offset = 0; offset < bytes.capacity(); offset += MEMORY_PAGE) {
            bytes.put(offset, (byte) zeroes);
        }
    }

    public Path path() {
        return path;
    }

    public int length() {
        return bytes.capacity();
    }

    /** The whole file, little-endian. Use {@code duplicate()} to move its position. */
    public ByteBuffer bytes() {
        return bytes;
    }

    /** The whole file. */
    public UnsafeBuffer buffer() {
        return buffer;
    }

    /** Idempotent, as the JDK frees a mapping once: a failed opening may come here twice. */
    public void unmap() {
        BufferUtil.free(bytes);
    }
}
