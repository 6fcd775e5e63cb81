package dev.loom.io;

import dev.loom.error.StoreIoException;
import java.io.Closeable;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.file.Path;

/**
 * An open file. Failures are {@link dev.loom.error.StoreIoException}s that name the file and the offset. An interrupt
 * of the calling thread neither ends an operation nor closes the file; the interrupt status is kept. For one thread.
 */
public interface LoomFile extends Closeable {
    Path path();

    /** Writes all that remains of the buffer at a position of the file. */
    void write(ByteBuffer source, long position);

    /**
     * Reads until the buffer is full or the file ends.
     *
     * @return bytes read, 0 at or past the end
     */
    int read(ByteBuffer target, long position);

    /**
     * As {@link #read(ByteBuffer, long)}, but asks again where that fails, as a disk may fail for a moment.
     *
     * @param attemptsMax 1 at least
     */
    default int read(ByteBuffer target, long position, int attemptsMax) {
        int start = target.position();
        for (int attempts = 1; ; attempts++) {
            try {
                return read(target, position);
            } catch (StoreIoException e) {
                target.position(start);
                if (attempts == attemptsMax) {
                    throw e;
                }
            }
        }
    }

    long size();

    void truncate(long size);

    /** Makes written data durable, with the metadata needed to read it back. */
    void force();

    MappedByteBuffer map(boolean writable, long position, long length);

    @Override
    void close();
}
