package dev.loom.bench.push;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.agrona.BufferUtil;

/**
 * A mapped, pre-touched ring of pages and the two watermarks between the thread that fills it and the one that empties it. The
 * writer raises {@code sealed}, the evictor {@code evicted}; both only grow.
 */
final class LimitRing implements AutoCloseable {
    private static final VarHandle SEALED;
    private static final VarHandle EVICTED;
    private static final int OS_PAGE_LENGTH = 4096;

    static {
        try {
            final MethodHandles.Lookup lookup = MethodHandles.lookup();
            SEALED = lookup.findVarHandle(LimitRing.class, "sealed", long.class);
            EVICTED = lookup.findVarHandle(LimitRing.class, "evicted", long.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int length;
    private final MappedByteBuffer bytes;
    private final long nativeAddress;

    @SuppressWarnings("unused") // by VarHandle
    private long sealed;

    @SuppressWarnings("unused") // by VarHandle
    private long evicted;

    LimitRing(Path file, int length) {
        if (Integer.bitCount(length) != 1 || length < 2 * LimitPageDescriptor.PAGE_LENGTH) {
            throw new IllegalArgumentException("ring is not a power of two of two pages or more: bytes=" + length);
        }
        this.length = length;
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            bytes = channel.map(FileChannel.MapMode.READ_WRITE, 0, length);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        bytes.order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < length; i += OS_PAGE_LENGTH) {
            bytes.put(i, (byte) 1);
        }
        nativeAddress = BufferUtil.address(bytes);
    }

    int length() {
        return length;
    }

    long nativeAddress() {
        return nativeAddress;
    }

    /** Another view of the ring with its own position and limit. */
    ByteBuffer view() {
        return bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Publishes the pages below {@code address} to the evictor; pairs with {@link #sealedAcquire}. */
    void sealedRelease(long address) {
        SEALED.setRelease(this, address);
    }

    long sealedAcquire() {
        return (long) SEALED.getAcquire(this);
    }

    /** Returns the pages below {@code address} to the writer; pairs with {@link #evictedAcquire}. */
    void evictedRelease(long address) {
        EVICTED.setRelease(this, address);
    }

    long evictedAcquire() {
        return (long) EVICTED.getAcquire(this);
    }

    @Override
    public void close() {
        BufferUtil.free(bytes);
    }
}
