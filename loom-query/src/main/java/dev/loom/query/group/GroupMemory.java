package dev.loom.query.group;

import dev.loom.query.model.QueryMemory;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.function.IntFunction;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

/** Memory outside the heap, all zero: reserved before it is allocated, freed by {@link #close()} at the latest. For one thread. */
public final class GroupMemory implements AutoCloseable {
    private final QueryMemory reserved;
    private final IntFunction<ByteBuffer> allocation;
    /** By identity: blocks with equal bytes are equal. */
    private final Set<UnsafeBuffer> blocks = Collections.newSetFromMap(new IdentityHashMap<>());

    private long bytes;

    public GroupMemory(QueryMemory reserved) {
        this(reserved, ByteBuffer::allocateDirect);
    }

    /** For tests, whose allocations fail. */
    GroupMemory(QueryMemory reserved, IntFunction<ByteBuffer> allocation) {
        this.reserved = reserved;
        this.allocation = allocation;
    }

    /**
     * Allocates a block.
     *
     * @throws QueryMemory.Exhausted if less is left, or the JVM has less
     */
    UnsafeBuffer allocate(int length) {
        reserve(length);
        ByteBuffer memory = memory(length);
        try {
            UnsafeBuffer block = new UnsafeBuffer(memory);
            blocks.add(block);
            return block;
        } catch (Throwable e) {
            BufferUtil.free(memory);
            throw e;
        }
    }

    private ByteBuffer memory(int length) {
        try {
            return allocation.apply(length);
        } catch (OutOfMemoryError e) {
            bytes -= length;
            throw reserved.releaseRefused(length, e);
        }
    }

    /** Reserves memory that lies elsewhere, until {@link #close()}. */
    void reserve(long length) {
        reserved.reserve(length);
        bytes += length;
    }

    /** The most of a block between two lengths that leaves other queries room; at least the lower one is asked for. */
    int share(int least, int most) {
        long granted = reserved.reserveShare(least, most);
        reserved.release(granted);
        return (int) granted;
    }

    /** Frees a block. */
    void free(UnsafeBuffer block) {
        blocks.remove(block);
        int length = block.capacity();
        BufferUtil.free(block.byteBuffer());
        reserved.release(length);
        bytes -= length;
    }

    @Override
    public void close() {
        blocks.forEach(block -> BufferUtil.free(block.byteBuffer()));
        blocks.clear();
        reserved.release(bytes);
        bytes = 0;
    }
}
