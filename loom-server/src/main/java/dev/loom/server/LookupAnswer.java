package dev.loom.server;

import dev.loom.server.http.ApiFailure;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a lookup, kept until it is whole, so that it can be sent without a thread that waits for its reader: a few clients that read
 * nothing would else hold up all lookups. A long one is sent by its thread after all. For one thread.
 */
final class LookupAnswer extends OutputStream {
    /** A longer answer is sent as it is written. */
    static final int LENGTH_MAX = 1 << 20;

    private static final int CAPACITY_MIN = 1024;

    private final ByteBudget budget;
    private final Supplier<OutputStream> stream;
    private byte[] bytes = {};
    private int length;
    private @Nullable OutputStream sent;

    /**
     * @param budget of all answers that nobody has read yet
     * @param stream begins to send a long answer
     */
    LookupAnswer(ByteBudget budget, Supplier<OutputStream> stream) {
        this.budget = budget;
        this.stream = stream;
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    /** @throws ApiFailure if too many answers wait for their readers */
    @Override
    public void write(byte[] source, int offset, int count) throws IOException {
        if (sent == null && count > LENGTH_MAX - length) {
            OutputStream begun = stream.get();
            begun.write(bytes, 0, length);
            sent = begun;
            release();
        }
        if (sent != null) {
            sent.write(source, offset, count);
            return;
        }
        if (count > bytes.length - length) {
            int capacity = Math.min(LENGTH_MAX, Math.max(CAPACITY_MIN, Math.max(length + count, 2 * length)));
            byte[] larger = Arrays.copyOf(bytes, capacity); // first, as memory that can't be had must not stay reserved
            if (!budget.reserve(capacity - bytes.length)) {
                throw new ApiFailure(
                        429, "busy", "too many answers wait for clients to read them: bytes=" + budget.held());
            }
            bytes = larger;
        }
        System.arraycopy(source, offset, bytes, length, count);
        length += count;
    }

    /** The whole answer, unless it is being sent by its thread. */
    @Nullable
    ByteBuffer whole() {
        return sent == null ? ByteBuffer.wrap(bytes, 0, length) : null;
    }

    /** Gives the memory back, once the answer is with the client or nobody wants it. Idempotent. */
    void release() {
        budget.release(bytes.length);
        bytes = new byte[0];
        length = 0;
    }
}
