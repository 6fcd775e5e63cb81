package dev.loom.otlp.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.RateControl;
import org.eclipse.jetty.io.SelectorManager;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the number of connections, and how long one may stay without a request, however many bytes it sends: a client that
 * trickles headers, frames or a TLS handshake holds a connection no longer than one that sends nothing. Also keeps each
 * connection's {@link FrameAllowance}.
 *
 * <p>Thread-safe.
 */
final class ConnectionGuard implements SelectorManager.AcceptListener {
    private static final class Usage {
        private final FrameAllowance frames = new FrameAllowance();
        private long sinceNs = System.nanoTime();
        private long requests;
        private int active;

        synchronized void begin() {
            requests++;
            active++;
        }

        synchronized void end() {
            active--;
            sinceNs = System.nanoTime();
        }

        synchronized boolean exceeds(long nowNs, long firstNs, long idleNs) {
            return active == 0 && nowNs - sinceNs > (requests == 0 ? Math.min(firstNs, idleNs) : idleNs);
        }
    }

    private final ConcurrentHashMap<Object, Usage> connections = new ConcurrentHashMap<>();
    private final LongAdder refused = new LongAdder();
    private final Runnable onConnection;
    private final int max;
    private final long firstRequestNs;
    private final long idleNs;
    /** Applies while no further connections fit. */
    private final long crowdedIdleNs;

    /** @param onConnection called for each accepted connection */
    ConnectionGuard(ServerProtection protection, Runnable onConnection) {
        this.onConnection = onConnection;
        max = protection.maxConnections();
        firstRequestNs = protection.readHeaderTimeout().toNanos();
        idleNs = protection.idleTimeout().toNanos();
        crowdedIdleNs = Math.min(idleNs, protection.pressedTimeout().toNanos());
    }

    int connections() {
        return connections.size();
    }

    long refused() {
        return refused.sum();
    }

    /** Closes a connection that exceeds the limit. */
    @Override
    public void onAccepting(SelectableChannel channel) {
        // Each endpoint has one acceptor, so two of them may briefly exceed the limit by one.
        if (connections.size() < max) {
            connections.put(channel, new Usage());
            onConnection.run();
            return;
        }
        refused.increment();
        close(channel);
    }

    @Override
    public void onAcceptFailed(SelectableChannel channel, Throwable cause) {
        connections.remove(channel);
    }

    @Override
    public void onClosed(SelectableChannel channel) {
        connections.remove(channel);
    }

    /**
     * Notes that a connection has a request, until that completes. One that it switches to another protocol has it for good, as that
     * protocol is to end it. Returns the response to answer it with.
     */
    Response begin(Request request, Response response) {
        Usage usage = connections.get(
                transport(request.getConnectionMetaData().getConnection().getEndPoint()));
        if (usage == null) {
            return response;
        }
        usage.begin();
        Request.addCompletionListener(request, failure -> {
            if (response.getStatus() != HttpStatus.SWITCHING_PROTOCOLS_101) {
                usage.end();
            }
        });
        return new Response.Wrapper(request, response) {
            @Override
            public void write(boolean last, @Nullable ByteBuffer content, Callback callback) {
                usage.frames.onAnswer(content == null ? 0 : content.remaining(), last);
                super.write(last, content, callback);
            }
        };
    }

    /** The allowance of frames without requests for a connection. */
    RateControl frames(EndPoint endPoint) {
        Usage usage = connections.get(transport(endPoint));
        return usage == null ? new FrameAllowance() : usage.frames; // null if it was closed in the meantime
    }

    /** Closes those of these connections that have had no request for too long, and looks whether clients that are watched have gone. */
    void sweep(Iterable<EndPoint> endPoints) {
        long now = System.nanoTime();
        boolean crowded = connections.size() >= max;
        for (EndPoint endPoint : endPoints) {
            Usage usage = connections.get(transport(endPoint));
            if (usage != null && usage.exceeds(now, firstRequestNs, crowded ? crowdedIdleNs : idleNs)) {
                endPoint.close(new TimeoutException("connection has no request"));
            } else if (endPoint instanceof WatchedEndPoint watched) {
                watched.look();
            }
        }
    }

    private static Object transport(EndPoint endPoint) {
        EndPoint innermost = endPoint;
        while (innermost instanceof EndPoint.Wrapper wrapper) {
            innermost = wrapper.unwrap();
        }
        return innermost.getTransport();
    }

    private static void close(SelectableChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            Callback.NOOP.failed(e); // it was to be closed unused
        }
    }
}
