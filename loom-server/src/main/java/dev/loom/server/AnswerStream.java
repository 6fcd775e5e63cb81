package dev.loom.server;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a query, written to the client, who is cut off if it reads too slowly. While the query finds nothing, an empty
 * line now and then shows whether the client is still there. Only the query's thread writes; {@link #keepAlive()} is for any
 * thread and never blocks.
 */
final class AnswerStream extends OutputStream implements Callback {
    private static final ByteBuffer EMPTY = ByteBuffer.allocate(0).asReadOnlyBuffer();

    private final Content.Sink out;
    private final long stepNs;
    private final long endNs;
    private final Consumer<Throwable> cutOff;
    private boolean wroteSinceAsked;
    private boolean began;
    private boolean ended;
    private boolean writing;
    private @Nullable Throwable failure;

    /**
     * Begins an answer.
     *
     * @param stepNs how long the client may take to read one write
     * @param totalNs how long it may take to read the whole answer
     * @param cutOff ends the connection to a client that takes longer
     */
    AnswerStream(Content.Sink out, long stepNs, long totalNs, Consumer<Throwable> cutOff) {
        this.out = out;
        this.stepNs = stepNs;
        this.endNs = System.nanoTime() + Math.min(totalNs, Long.MAX_VALUE / 2);
        this.cutOff = cutOff;
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        if (length > 0) {
            send(false, ByteBuffer.wrap(bytes, offset, length));
        }
    }

    /** Returns when the bytes are with the client or the network. */
    private void send(boolean last, ByteBuffer bytes) throws IOException {
        awaitTaken(true);
        out.write(last, bytes, this);
        awaitTaken(false);
    }

    /** @param next whether the caller writes next, and nobody in between */
    private void awaitTaken(boolean next) throws IOException {
        long now = System.nanoTime();
        long deadlineNs = endNs - now < stepNs ? endNs : now + stepNs;
        try {
            Throwable cause = awaitWritten(deadlineNs, next);
            if (cause instanceof TimeoutException) {
                cutOff.accept(cause);
            }
            if (cause != null) {
                throw new IOException(cause.getMessage(), cause);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("response was interrupted");
        }
    }

    private synchronized @Nullable Throwable awaitWritten(long deadlineNs, boolean next) throws InterruptedException {
        while (writing && failure == null) {
            long leftNs = deadlineNs - System.nanoTime();
            if (leftNs <= 0) {
                failure = new TimeoutException(
                        "client read the response too slowly: ms=" + TimeUnit.NANOSECONDS.toMillis(stepNs));
            } else {
                // never 0, which would wait for ever
                wait(1 + TimeUnit.NANOSECONDS.toMillis(leftNs));
            }
        }
        if (next && failure == null) {
            wroteSinceAsked = true;
            begin();
        }
        return failure;
    }

    private void begin() {
        began = true;
        writing = true;
    }

    @Override
    public synchronized void succeeded() {
        writing = false;
        notifyAll();
    }

    @Override
    public synchronized void failed(Throwable cause) {
        failure = failure == null ? cause : failure;
        notifyAll();
    }

    @Override
    public InvocationType getInvocationType() {
        return InvocationType.NON_BLOCKING;
    }

    /**
     * Writes an empty line if nothing was written since the last call; false if the client has gone or the answer is complete.
     */
    boolean keepAlive() {
        synchronized (this) {
            boolean silent = !wroteSinceAsked && !writing;
            wroteSinceAsked = false;
            if (ended || failure != null || !silent) {
                return !ended && failure == null;
            }
            begin();
        }
        out.write(false, ByteBuffer.wrap(new byte[] {'\n'}), this);
        return true;
    }

    /** As {@link #end()}, unless something was written, even if just now; whether nothing was, so that the status is still to be sent. */
    synchronized boolean endUnlessBegun() {
        ended |= !began;
        return !began;
    }

    /** Stops the empty lines of {@link #keepAlive()}. */
    synchronized void end() {
        ended = true;
    }

    @Override
    public void close() throws IOException {
        end();
        send(true, EMPTY.duplicate());
    }
}
