package dev.loom.otlp.server;

import dev.loom.otlp.ExportOutcome;
import dev.loom.otlp.Signal;
import dev.loom.otlp.server.Refusal.Reason;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Invocable;
import org.jspecify.annotations.Nullable;

/**
 * One export request: received without a thread that waits, handed to a worker once it is whole, answered.
 *
 * <p>Whoever ends a state under the lock (the reader, the sweep, a failed connection, a worker) owns what follows; the region
 * has one owner at any time. Answers are written outside the lock.
 */
abstract class Exchange implements Invocable.Task {
    private enum State {
        RECEIVING,
        WAITING,
        EXPORTING,
        ANSWERED
    }

    private static final int FIRST_REGION_LENGTH_MAX = 16 << 10;

    final Request request;
    final Response response;
    final Callback callback;
    final Signal signal;
    final int maxLength;
    private final OtlpReceiver receiver;
    private final ContentEncoding encoding;
    private State state = State.RECEIVING;
    private long stateSinceNs = System.nanoTime();
    private @Nullable Region body;

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
        maxLength = receiver.config().maxMessageLength();
    }

    abstract Transport transport();

    /** Takes bytes of the body. Their buffer is given back afterwards. */
    abstract void received(ByteBuffer bytes) throws RefusalException;

    /** Checks that the body is whole. */
    abstract void receivedAll() throws RefusalException;

    /** How the message, which is known once the body is whole, is compressed. */
    ContentEncoding encoding() {
        return encoding;
    }

    abstract boolean isJson();

    /** Writes the answer to an accepted request. */
    abstract void answer(ExportOutcome outcome);

    /** Begins to receive. */
    final void start() {
        request.addFailureListener(this::failed);
        run();
    }

    /** Receives what has arrived. */
    @Override
    public final void run() {
        Refusal refusal = receive();
        if (refusal != null) {
            refuse(refusal);
        }
    }

    /** Receiving never blocks. */
    @Override
    public final InvocationType getInvocationType() {
        return InvocationType.NON_BLOCKING;
    }

    private synchronized @Nullable Refusal receive() {
        while (state == State.RECEIVING) {
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
                received(chunk.getByteBuffer());
                if (chunk.isLast()) {
                    receivedAll();
                    enter(State.WAITING);
                    receiver.workers().submit(this);
                }
            } catch (RefusalException e) {
                enter(State.ANSWERED);
                closeBody();
                return e.refusal();
            } finally {
                chunk.release();
            }
        }
        return null;
    }

    /** Appends to the body. */
    final void append(ByteBuffer bytes, int most) throws RefusalException {
        if (!bytes.hasRemaining()) {
            return;
        }
        if (body == null) {
            body = receiver.budget().reserve(Math.max(bytes.remaining(), Math.min(most, FIRST_REGION_LENGTH_MAX)));
        }
        if (body == null || !body.append(bytes, most)) {
            throw new RefusalException(InFlightBudget.NO_ROOM);
        }
    }

    final int bodyLength() {
        return body == null ? 0 : body.length();
    }

    /** Has the request stored and answered. Called by a worker's thread. */
    final void export(ExportWorker worker) {
        Region message;
        synchronized (this) {
            if (state != State.WAITING) {
                return;
            }
            enter(State.EXPORTING);
            message = body;
            body = null;
        }
        Refusal refusal = null;
        ExportOutcome outcome = null;
        try {
            outcome = worker.export(signal, encoding(), isJson(), message);
        } catch (RefusalException e) {
            refusal = e.refusal();
        } catch (OutOfMemoryError e) {
            refusal = new Refusal(Reason.UNAVAILABLE, "memory is used up", 1000);
        } catch (RuntimeException e) {
            receiver.failures().accept(e);
            refusal = new Refusal(
                    Reason.INTERNAL, "request failed: " + e.getClass().getSimpleName());
        }
        synchronized (this) {
            enter(State.ANSWERED);
        }
        if (outcome != null) {
            receiver.counters()
                    .accepted(signal, transport(), outcome.accepted(), outcome.rejected(), worker.exportedLength());
            answer(outcome);
        } else if (refusal != null) {
            refuse(refusal);
        }
    }

    /** Ends what takes too long. Called now and then. */
    final void sweep(long nowNs, boolean pressed) {
        boolean late;
        boolean receiving;
        synchronized (this) {
            receiving = state == State.RECEIVING;
            late = (receiving || state == State.ANSWERED)
                    && nowNs - stateSinceNs > receiver.timeoutNs(receiving, pressed);
            if (late && receiving) {
                enter(State.ANSWERED);
                closeBody();
            }
        }
        if (late && receiving) {
            refuse(
                    pressed
                            ? InFlightBudget.NO_ROOM
                            : new Refusal(
                                    Reason.TIMED_OUT, "request did not arrive in time: received=" + bodyLength()));
        } else if (late) {
            TimeoutException cause = new TimeoutException("answer was not taken in time");
            request.getConnectionMetaData().getConnection().getEndPoint().close(cause);
        }
    }

    final void write(HttpFields.Mutable headers, ByteBuffer content) {
        response.getHeaders().add(headers);
        response.write(true, content, callback);
    }

    private void failed(Throwable cause) {
        synchronized (this) {
            if (state == State.WAITING) {
                abandon(cause);
            }
        }
    }

    private void abandon(Throwable cause) {
        enter(State.ANSWERED);
        closeBody();
        callback.failed(cause);
    }

    private void refuse(Refusal refusal) {
        receiver.counters().refuse(signal, transport(), refusal.reason());
        receiver.refusals().refuse(request, response, callback, refusal);
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
