package dev.loom.server;

import dev.loom.server.http.ApiFailure;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Consumer;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.thread.Invocable;
import org.jspecify.annotations.Nullable;

/**
 * Reads a request's body without a waiting thread, into memory that all requests share: each may be slow, and there may be many. The network's
 * buffers are given back at once.
 */
final class BodyReader implements Invocable.Task {
    private static final int CAPACITY_MIN = 1024;

    private final Request request;
    private final int lengthMax;
    private final ByteBudget budget;
    private final Consumer<byte[]> whole;
    private final Consumer<ApiFailure> failed;
    private byte[] bytes = {};
    private int length;

    /**
     * @param budget of all bodies that are being read
     * @param whole receives the body
     * @param failed is called instead if the body is too long, doesn't arrive, or finds no room
     */
    BodyReader(Request request, int lengthMax, ByteBudget budget, Consumer<byte[]> whole, Consumer<ApiFailure> failed) {
        this.request = request;
        this.lengthMax = lengthMax;
        this.budget = budget;
        this.whole = whole;
        this.failed = failed;
    }

    /** Takes what has arrived. Nobody else answers the request if that fails, so that its client would wait for ever. */
    @Override
    public void run() {
        try {
            read();
        } catch (OutOfMemoryError e) {
            fail(new ApiFailure(503, "out_of_memory", "memory is exhausted"));
        } catch (RuntimeException | Error e) {
            fail(new ApiFailure(
                    500, "internal", "request can't be read: " + e.getClass().getSimpleName()));
            throw e;
        }
    }

    private void read() {
        while (true) {
            Content.Chunk chunk = request.read();
            if (chunk == null) {
                request.demand(this);
                return;
            } else if (Content.Chunk.isFailure(chunk)) {
                fail(new ApiFailure(
                        408,
                        "timeout",
                        "request did not arrive: " + chunk.getFailure().getMessage()));
                return;
            }
            ApiFailure refusal;
            try {
                refusal = take(chunk.getByteBuffer());
            } finally {
                chunk.release();
            }
            if (refusal != null) {
                fail(refusal);
                return;
            } else if (chunk.isLast()) {
                whole.accept(whole());
                return;
            }
        }
    }

    private byte[] whole() {
        try {
            return Arrays.copyOf(bytes, length);
        } finally {
            release();
        }
    }

    private @Nullable ApiFailure take(ByteBuffer chunk) {
        int count = chunk.remaining();
        if (count > lengthMax - length) {
            return RequestBody.tooLarge(lengthMax);
        }
        if (count > bytes.length - length) {
            int capacity = Math.min(lengthMax, Math.max(CAPACITY_MIN, Math.max(length + count, 2 * length)));
            byte[] larger = Arrays.copyOf(bytes, capacity); // first, as memory that can't be had must not stay reserved
            if (!budget.reserve(capacity - bytes.length)) {
                return new ApiFailure(429, "busy", "too many requests are being received: bytes=" + budget.held());
            }
            bytes = larger;
        }
        chunk.get(bytes, length, count);
        length += count;
        return null;
    }

    private void fail(ApiFailure failure) {
        release();
        failed.accept(failure);
    }

    private void release() {
        budget.release(bytes.length);
        bytes = new byte[0];
    }

    /** Receiving never blocks. */
    @Override
    public InvocationType getInvocationType() {
        return InvocationType.NON_BLOCKING;
    }
}
