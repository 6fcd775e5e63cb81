package dev.loom.otlp.server;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpHeaderValue;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Invocable;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * Refuses requests of which nothing was read yet. A client of HTTP/1 may not read before it has sent everything, and would be reset and
 * miss the answer, so its body is read to its end first, and dropped. That takes no thread; it is bounded in time, in bytes, and in the
 * number of requests at once. Beyond these bounds the answer comes at once and ends the connection, as it does for clients that send
 * no body before they are asked to.
 *
 * <p>Thread-safe.
 */
final class RefusalsOnceRead implements RefusalWriter {
    /** Bodies that are read at once. Each request takes heap for its headers. */
    static final int BODIES_MAX = 64;

    private final RefusalWriter refusals;
    private final int lengthMax;
    private final Duration timeout;
    private final AtomicInteger bodies = new AtomicInteger();

    /**
     * @param refusals writes the answers
     * @param lengthMax of a body, in bytes
     * @param timeout for a body to arrive
     */
    RefusalsOnceRead(RefusalWriter refusals, int lengthMax, Duration timeout) {
        this.refusals = refusals;
        this.lengthMax = lengthMax;
        this.timeout = timeout;
    }

    @Override
    public void refuse(Request request, Response response, Callback callback, Refusal refusal) {
        if (!isToBeRead(request) || bodies.get() >= BODIES_MAX) {
            UnreadBody.endConnection(request, response);
            refusals.refuse(request, response, callback, refusal);
            return;
        }
        bodies.incrementAndGet();
        Request.addCompletionListener(request, failure -> bodies.decrementAndGet());
        new Body(request, response, callback, refusal).begin();
    }

    private boolean isToBeRead(Request request) {
        return UnreadBody.isHttp1(request)
                && request.getLength() <= lengthMax
                && !request.getHeaders().contains(HttpHeader.EXPECT, HttpHeaderValue.CONTINUE.asString());
    }

    /** The body of a refused request. Whoever ends the reading, under the lock, owns the next step. */
    private final class Body implements Invocable.Task {
        private final Request request;
        private final Response response;
        private final Callback callback;
        private final Refusal refusal;
        private long length;
        private boolean whole;
        private boolean ended;

        Body(Request request, Response response, Callback callback, Refusal refusal) {
            this.request = request;
            this.response = response;
            this.callback = callback;
            this.refusal = refusal;
        }

        void begin() {
            Scheduler.Task deadline = request.getComponents().getScheduler().schedule(this::giveUp, timeout);
            Request.addCompletionListener(request, failure -> deadline.cancel());
            run();
        }

        /** Drops what has arrived. */
        @Override
        public void run() {
            if (drop()) {
                answer();
            }
        }

        /** Dropping never blocks. */
        @Override
        public InvocationType getInvocationType() {
            return InvocationType.NON_BLOCKING;
        }

        /** Drops what has arrived; whether the answer is due. */
        private synchronized boolean drop() {
            try {
                return dropAvailable();
            } catch (RuntimeException | Error e) {
                ended = true;
                callback.failed(e); // Jetty does so for what a handler throws, and not for what a later read throws
                throw e;
            }
        }

        private boolean dropAvailable() {
            while (!ended) {
                Content.Chunk chunk = request.read();
                if (chunk == null) {
                    request.demand(this);
                    return false;
                }
                if (Content.Chunk.isFailure(chunk)) {
                    ended = true;
                    callback.failed(chunk.getFailure());
                    return false;
                }
                length += chunk.getByteBuffer().remaining();
                whole = chunk.isLast();
                chunk.release();
                if (whole || length > lengthMax) {
                    ended = true;
                    return true;
                }
            }
            return false;
        }

        /** Ends a body that takes too long. */
        private void giveUp() {
            synchronized (this) {
                if (ended) {
                    return;
                }
                ended = true;
            }
            answer();
        }

        private void answer() {
            if (!whole) {
                response.getHeaders().put(HttpHeader.CONNECTION, "close");
            }
            refusals.refuse(request, response, callback, refusal);
        }
    }
}
