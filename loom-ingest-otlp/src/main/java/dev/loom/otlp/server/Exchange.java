package dev.loom.otlp.server;

import dev.loom.otlp.ExportOutcome;
import dev.loom.otlp.Signal;
import dev.loom.otlp.server.Refusal.Reason;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Invocable;
import org.jspecify.annotations.Nullable;

/**
 * One export request: received without a waiting thread, passed to a worker once it is complete, then answered.
 *
 * <p>Whoever ends a state under the lock (the reader, the sweep, a failed connection, a worker) owns the next step; the
 * region has one owner at any time. Answers are written outside the lock.
 */
abstract class Exchange implements Invocable.Task {
    private enum State {
        RECEIVING,
        /** Refused; the rest is read to its end, since a client of HTTP/1 may not read while it sends. */
        DISCARDING,
        WAITING,
        EXPORTING,
        ANSWERED
    }

    private static final Refusal OVERDUE =
            new Refusal(Reason.TIMED_OUT, "deadline exceeded before the records were stored");

    final Request request;
    final Response response;
    final Callback callback;
    final Signal signal;
    private final int maxLength;
    private final OtlpReceiver receiver;
    private final ContentEncoding encoding;
    private State state = State.RECEIVING;
    private long stateSinceNs = System.nanoTime();
    private @Nullable Region body;
    private @Nullable Refusal refusal;
    /** Whether it gave way, and has some more time for the rest. */
    private boolean dismissed;

    private long discarded;

    Exchange(
            OtlpReceiver receiver,
            Signal signal,
            ContentEncoding encoding,
            Request request,
            Response response,
            Callback callback) {
        this.receiver = receiver;
        this.signal = signal;
        this.encoding = encoding;
        this.request = request;
        this.response = response;
        this.callback = callback;
        maxLength = receiver.config.maxMessageLength();
    }

    abstract Transport transport();

    /** Whether the client has stopped waiting. */
    boolean isOverdue(long nowNs) {
        return false;
    }

    /** Takes bytes of the body; the caller releases their buffer afterwards. */
    abstract void received(ByteBuffer bytes) throws RefusalException;

    /** Checks that the body is complete. */
    abstract void receivedAll() throws RefusalException;

    /** The compression of the message; known once the body is complete. */
    ContentEncoding encoding() {
        return encoding;
    }

    abstract boolean isJson();

    /** Checks the length as sent. */
    final void checkLength(long length, boolean compressed) throws RefusalException {
        int max = compressed ? DecodeLimits.encodedMax(maxLength) : maxLength;
        if (length > max) {
            throw new RefusalException(Reason.TOO_LARGE, "request is too large: length=" + length + ", max=" + max);
        }
    }

    /** Writes the answer to an accepted request. */
    abstract void answer(ExportOutcome outcome);

    /** Starts to receive. */
    final void start() {
        request.addFailureListener(this::failed);
        // one that waits is silent; deadlines of our own end it, and say why
        request.addIdleTimeoutListener(silence -> false);
        run();
    }

    /** Receives what has arrived. */
    @Override
    public final void run() {
        Refusal due = receive();
        if (due != null) {
            refuse(due);
        }
    }

    /** Receiving never blocks. */
    @Override
    public final InvocationType getInvocationType() {
        return InvocationType.NON_BLOCKING;
    }

    /** Takes what has arrived; returns a refusal to answer now, or null. */
    private synchronized @Nullable Refusal receive() {
        try {
            return receiveAvailable();
        } catch (RuntimeException | Error e) {
            enter(State.ANSWERED);
            closeBody();
            callback.failed(e); // Jetty does so for what a handler throws, and not for what a later read throws
            throw e;
        }
    }

    private @Nullable Refusal receiveAvailable() {
        while (state == State.RECEIVING || state == State.DISCARDING) {
            Content.Chunk chunk = request.read();
            if (chunk == null) {
                request.demand(this);
                return null;
            }
            if (Content.Chunk.isFailure(chunk)) {
                abandon(chunk.getFailure());
                return null;
            }
            try {
                if (state == State.RECEIVING) {
                    take(chunk);
                } else {
                    discarded += chunk.getByteBuffer().remaining();
                }
            } finally {
                chunk.release();
            }
            if (refusal != null && (chunk.isLast() || !UnreadBody.isHttp1(request) || discarded > maxLength)) {
                enter(State.ANSWERED);
                return refusal;
            }
        }
        return null;
    }

    private void take(Content.Chunk chunk) {
        try {
            received(chunk.getByteBuffer());
            if (chunk.isLast()) {
                receivedAll();
                enter(State.WAITING);
                HttpServers.onGone(request, () -> failed(new EofException("client has left")));
                receiver.workers().submit(this, bodyLength());
            }
        } catch (RefusalException e) {
            refusal = e.refusal();
            state = State.DISCARDING; // the deadline remains
            closeBody();
        }
    }

    /** Appends to the body, which will have at most this many bytes. */
    final void append(ByteBuffer bytes, int most) throws RefusalException {
        if (!bytes.hasRemaining()) {
            return;
        }
        if (body == null) {
            body = receiver.budget().reserve(bytes.remaining());
        }
        if (body == null) {
            throw new RefusalException(InFlightBudget.NO_ROOM);
        }
        body.limit(most);
        if (!body.append(bytes)) {
            throw new RefusalException(InFlightBudget.NO_ROOM);
        }
    }

    final int bodyLength() {
        return body == null ? 0 : body.length();
    }

    /** Has the request stored and answers it. Called by a worker's thread. */
    final void export(ExportWorker worker) {
        Region message;
        boolean overdue;
        long wholeNs;
        synchronized (this) {
            if (state != State.WAITING) {
                return;
            }
            wholeNs = stateSinceNs;
            overdue = isOverdue(System.nanoTime());
            enter(overdue ? State.ANSWERED : State.EXPORTING);
            if (overdue) {
                receiver.counters().times(signal).add(Duration.ofNanos(stateSinceNs - wholeNs));
                closeBody();
            }
            message = body;
            body = null;
        }
        if (overdue) {
            refuse(OVERDUE);
            return;
        }
        Refusal failure = null;
        ExportOutcome outcome = null;
        try {
            outcome = worker.export(signal, encoding(), isJson(), message);
        } catch (RefusalException e) {
            failure = e.refusal();
        } catch (OutOfMemoryError e) {
            failure = Refusal.later("memory is exhausted");
        } catch (RuntimeException | Error e) {
            receiver.failures.accept(e);
            failure = new Refusal(
                    Reason.INTERNAL, "request failed: " + e.getClass().getSimpleName());
        }
        synchronized (this) {
            enter(State.ANSWERED);
            receiver.counters().times(signal).add(Duration.ofNanos(stateSinceNs - wholeNs));
        }
        if (outcome != null) {
            receiver.counters()
                    .accepted(signal, transport(), outcome.accepted(), outcome.rejected(), worker.exportedLength());
            answer(outcome);
        } else if (failure != null) {
            refuse(failure);
        }
    }

    /**
     * Ends the exchange if it takes too long. Called periodically. Who gives way to others gives up its memory and its place at once, and over
     * HTTP/1 has some more time to send the rest, as otherwise it would be reset and miss the answer.
     */
    final void sweep(long nowNs, boolean pressed) {
        Refusal late = null;
        synchronized (this) {
            boolean receiving = state == State.RECEIVING || state == State.DISCARDING;
            boolean overdue = receiving && isOverdue(nowNs);
            boolean hurried = pressed || (receiving && dismissed);
            if ((!receiving && state != State.ANSWERED)
                    || (!overdue && nowNs - stateSinceNs <= receiver.timeoutNs(receiving, hurried))) {
                return;
            }
            if (receiving) {
                late = refusal != null ? refusal : overdue ? OVERDUE : tooLate(pressed);
                closeBody();
                if (pressed && !dismissed && UnreadBody.isHttp1(request) && receiver.dismiss(this)) {
                    refusal = late;
                    dismissed = true;
                    enter(State.DISCARDING);
                    return;
                }
                enter(State.ANSWERED);
            }
        }
        if (late != null) {
            refuse(late);
        } else {
            TimeoutException cause = new TimeoutException("client read the response too slowly");
            request.getConnectionMetaData().getConnection().getEndPoint().close(cause);
            callback.failed(cause); // nobody else ends a request whose answer failed before it was written
        }
    }

    private Refusal tooLate(boolean pressed) {
        return pressed
                ? InFlightBudget.NO_ROOM
                : new Refusal(Reason.TIMED_OUT, "request did not arrive in time: received=" + bodyLength());
    }

    private void failed(Throwable cause) {
        synchronized (this) {
            if (state == State.WAITING) {
                receiver.workers().giveUp(this);
                abandon(cause);
            }
        }
    }

    /**
     * Refuses a request that no worker will take. Called under the lock of the request that got no thread; no thread that holds this
     * one's lock waits for that.
     */
    final void refuseWaiting(Refusal answer) {
        synchronized (this) {
            if (state != State.WAITING) {
                return;
            }
            enter(State.ANSWERED);
            closeBody();
        }
        refuse(answer);
    }

    private void abandon(Throwable cause) {
        enter(State.ANSWERED);
        closeBody();
        callback.failed(cause);
    }

    private void refuse(Refusal answer) {
        receiver.counters().refuse(signal, transport(), answer.reason());
        receiver.refusals().refuse(request, response, callback, answer);
    }

    private void enter(State next) {
        state = next;
        stateSinceNs = System.nanoTime();
    }

    private void closeBody() {
        if (body != null) {
            body.close();
            body = null;
        }
    }
}
