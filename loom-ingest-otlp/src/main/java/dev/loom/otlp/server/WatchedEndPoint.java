package dev.loom.otlp.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Executor;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * A connection whose end can be noticed while a request of HTTP/1 is answered. Nobody reads from it then, so a client that has gone would be
 * noticed by the first write, which may be far. Looking means reading a little ahead: what comes is kept for the next reader. Thread-safe.
 */
final class WatchedEndPoint extends SocketChannelEndPoint {
    /** Room for the farewell of TLS, behind which the end comes. */
    private static final int AHEAD_LENGTH = 256;

    private final Executor executor;
    private @Nullable Runnable onGone;
    /** What was read ahead, from its position on; null for nothing. */
    private @Nullable ByteBuffer ahead;

    WatchedEndPoint(
            SocketChannel channel, ManagedSelector selector, SelectionKey key, Scheduler scheduler, Executor executor) {
        super(channel, selector, key, scheduler);
        this.executor = executor;
    }

    /** The connection beneath another; null if it is of another kind. */
    static @Nullable WatchedEndPoint beneath(EndPoint endPoint) {
        EndPoint innermost = endPoint;
        while (innermost instanceof EndPoint.Wrapper wrapper) {
            innermost = wrapper.unwrap();
        }
        return innermost instanceof WatchedEndPoint watched ? watched : null;
    }

    /**
     * Begins to watch, once a request was read to its end. It ends with the next read at the latest.
     *
     * @param action called once if the client has gone
     */
    synchronized void watch(Runnable action) {
        onGone = action;
    }

    /** Ends that, unless another request is watched by now. */
    synchronized void unwatch(Runnable action) {
        if (onGone == action) {
            onGone = null;
        }
    }

    /** Looks whether the client has gone, if that is watched. */
    void look() {
        Runnable action;
        synchronized (this) {
            action = onGone;
            if (action == null || !hasEnded()) {
                return;
            }
            onGone = null;
        }
        action.run();
    }

    private boolean hasEnded() {
        ByteBuffer kept = ahead == null ? ByteBuffer.allocate(AHEAD_LENGTH).limit(0) : ahead;
        int begin = kept.position();
        int end = kept.limit();
        kept.limit(kept.capacity()).position(end);
        try {
            return kept.hasRemaining() && getChannel().read(kept) < 0;
        } catch (IOException e) {
            return true; // reset
        } finally {
            kept.limit(kept.position()).position(begin);
            ahead = kept.hasRemaining() ? kept : null;
        }
    }

    @Override
    public int fill(ByteBuffer buffer) throws IOException {
        synchronized (this) {
            onGone = null;
            if (ahead == null) {
                return super.fill(buffer);
            }
            int before = buffer.remaining();
            BufferUtil.append(buffer, ahead);
            if (!ahead.hasRemaining()) {
                ahead = null;
            }
            return buffer.remaining() - before;
        }
    }

    /** Somebody waits for what comes: that may be here already. */
    @Override
    protected void needsFillInterest() {
        synchronized (this) {
            onGone = null;
            if (ahead == null) {
                super.needsFillInterest();
                return;
            }
        }
        executor.execute(getFillInterest()::fillable);
    }
}
