package dev.loom.server;

import dev.loom.server.http.ApiFailure;
import dev.loom.server.http.HttpCall;
import dev.loom.server.text.TextBuffer;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Scheduler;
import org.eclipse.jetty.websocket.core.CloseStatus;
import org.eclipse.jetty.websocket.core.Configuration;
import org.eclipse.jetty.websocket.core.CoreSession;
import org.eclipse.jetty.websocket.core.Frame;
import org.eclipse.jetty.websocket.core.FrameHandler;
import org.eclipse.jetty.websocket.core.OpCode;
import org.eclipse.jetty.websocket.core.WebSocketComponents;
import org.eclipse.jetty.websocket.core.exception.WebSocketException;
import org.eclipse.jetty.websocket.core.server.Handshaker;
import org.eclipse.jetty.websocket.core.server.WebSocketNegotiator;
import org.jspecify.annotations.Nullable;

/**
 * An answer of messages over a web socket. The client may send what it likes, of any length: only that it closes counts. A ping
 * now and then shows whether it is still there. Messages are for the thread that answers, the rest is for any thread.
 */
final class SocketAnswer implements HttpCall.Messages, FrameHandler {
    private static final int REASON_MAX = 100;
    private static final long CLOSING_MS = 1_000;
    private static final WebSocketComponents COMPONENTS = new WebSocketComponents();

    private final Duration patience;
    private final Duration pingEvery;
    private final Scheduler scheduler;
    private final Runnable onGone;
    private final CompletableFuture<CoreSession> opened = new CompletableFuture<>();
    private volatile boolean closed;

    /**
     * @param patience how long the client may take to read a message
     * @param pingEvery how often to ask whether it is there
     * @param onGone called once it has left
     */
    SocketAnswer(Duration patience, Duration pingEvery, Scheduler scheduler, Runnable onGone) {
        this.patience = patience;
        this.pingEvery = pingEvery;
        this.scheduler = scheduler;
        this.onGone = onGone;
    }

    /**
     * Begins to switch the request's connection.
     *
     * @param callback of the request; it belongs to the switch from now on
     * @throws ApiFailure if the request does not ask for one
     */
    void upgrade(Request request, Response response, Callback callback) {
        Handshaker handshaker = Handshaker.newInstance();
        WebSocketNegotiator negotiator = WebSocketNegotiator.from(
                (asked, answer, ignored) -> {
                    answer.setExtensions(List.of()); // lines are sent as they are, never compressed
                    return this;
                },
                (created, asked, answer) -> this,
                customizer());
        try {
            if (!handshaker.isWebSocketUpgradeRequest(request)
                    || !handshaker.upgradeRequest(
                            negotiator, request, response, Callback.from(callback, this::fail), COMPONENTS, null)) {
                throw ApiFailure.badRequest("request does not ask for a web socket of version 13");
            }
        } catch (WebSocketException e) {
            throw ApiFailure.badRequest("not a request for a web socket: " + e.getMessage());
        }
    }

    /** Returns when the connection is a web socket. */
    void awaitOpen() throws IOException {
        await(opened);
        ping();
    }

    private static Configuration.Customizer customizer() {
        return configuration -> {
            configuration.setIdleTimeout(Duration.ZERO);
            configuration.setMaxFrameSize(0); // for those of both directions: one limit would end long answers
            configuration.setAutoFragment(true); // what comes is passed on, and dropped, as it arrives
        };
    }

    @Override
    public void onOpen(CoreSession session, Callback callback) {
        opened.complete(session);
        callback.succeeded();
        session.demand();
    }

    @Override
    public void onFrame(Frame frame, Callback callback) {
        boolean ping = frame.getOpCode() == OpCode.PING;
        ByteBuffer pinged = ping && frame.hasPayload() ? BufferUtil.copy(frame.getPayload()) : ByteBuffer.allocate(0);
        callback.succeeded();
        if (frame.getOpCode() == OpCode.CLOSE) {
            gone();
        } else if (!ping) {
            opened.join().demand();
        } else {
            // the next frame is wanted once the answer is sent, so that answers don't pile up for a client that never
            // reads
            CoreSession session = opened.join();
            session.sendFrame(new Frame(OpCode.PONG, pinged), Callback.from(session::demand, this::fail), false);
        }
    }

    @Override
    public void onError(Throwable cause, Callback callback) {
        fail(cause);
        callback.succeeded();
    }

    @Override
    public void onClosed(CloseStatus closeStatus, Callback callback) {
        gone();
        callback.succeeded();
    }

    private void fail(Throwable cause) {
        opened.completeExceptionally(cause);
        gone();
    }

    private void gone() {
        closed = true;
        onGone.run();
    }

    private void ping() {
        if (!closed) {
            opened.join().sendFrame(new Frame(OpCode.PING), Callback.from(() -> {}, this::fail), false);
            scheduler.schedule(this::ping, pingEvery.toNanos(), TimeUnit.NANOSECONDS);
        }
    }

    @Override
    public void send(TextBuffer text) throws IOException {
        CompletableFuture<@Nullable Void> sent = new CompletableFuture<>();
        Frame frame = new Frame(OpCode.TEXT, ByteBuffer.wrap(text.toByteArray()));
        text.clear();
        opened.join().sendFrame(frame, Callback.from(() -> sent.complete(null), sent::completeExceptionally), false);
        await(sent);
    }

    private void await(CompletableFuture<?> done) throws IOException {
        try {
            done.get(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            gone();
            throw new IOException(String.valueOf(e.getCause()), e.getCause());
        } catch (TimeoutException e) {
            gone();
            if (isOpen()) {
                opened.join().abort();
            }
            throw new IOException("client read the response too slowly: ms=" + patience.toMillis(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("response was interrupted");
        }
    }

    /** @param failure why the answer broke off; empty if it did not */
    void close(String failure) {
        closed = true;
        String reason = failure.length() <= REASON_MAX ? failure : failure.substring(0, REASON_MAX);
        String ascii = reason.replaceAll("[^ -~]", "?");
        if (isOpen()) {
            CompletableFuture<@Nullable Void> sent = new CompletableFuture<>();
            opened.join()
                    .close(
                            failure.isEmpty() ? CloseStatus.NORMAL : CloseStatus.SERVER_ERROR,
                            ascii,
                            Callback.from(() -> sent.complete(null), sent::completeExceptionally));
            awaitClosing(sent);
            // the client may never answer, and its connection counts
            scheduler.schedule(() -> opened.join().abort(), patience.toNanos(), TimeUnit.NANOSECONDS);
        }
    }

    /** Not for long, as the client may not read. A server that stops would otherwise end the connection before. */
    private static void awaitClosing(CompletableFuture<@Nullable Void> sent) {
        try {
            sent.get(CLOSING_MS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            // the client has gone, or does not read
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean isOpen() {
        return opened.isDone() && !opened.isCompletedExceptionally();
    }
}
