package dev.loom.otlp.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.RateControl;
import org.eclipse.jetty.io.SelectorManager;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * Bounds how many connections there are, and how long one is kept without a request, however many bytes it sends: a client that
 * trickles headers, frames or a TLS handshake holds a connection no longer than one that sends nothing. Also has each one's {@link
 * FrameAllowance}.
 *
 * <p>Usable from any thread.
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
    /** While there is no room for others. */
    private final long crowdedIdleNs;

    /** @param onConnection called for each connection that is accepted */
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

    /** Closes a connection that is one too many. */
    @Override
    public void onAccepting(SelectableChannel channel) {
        // One acceptor for each endpoint: between two of them the limit may be passed by one for a moment.
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

    /** Notes that a connection has a request, until that is completed. Returns what it is to be answered by. */
    Response begin(Request request, Response response) {
        Usage usage = connections.get(
                transport(request.getConnectionMetaData().getConnection().getEndPoint()));
        if (usage == null) {
            return response;
        }
        usage.begin();
        Request.addCompletionListener(request, failure -> usage.end());
        return new Response.Wrapper(request, response) {
            @Override
            public void write(boolean last, @Nullable ByteBuffer content, Callback callback) {
                usage.frames.onAnswer(content == null ? 0 : content.remaining(), last);
                super.write(last, content, callback);
            }
        };
    }

    /** What a connection may have of frames besides requests. */
    RateControl frames(EndPoint endPoint) {
        Usage usage = connections.get(transport(endPoint));
        return usage == null ? new FrameAllowance() : usage.frames; // none when it was closed meanwhile
    }

    /** Closes those of these connections that have been without a request for too long. */
    void sweep(Iterable<EndPoint> endPoints) {
        long now = System.nanoTime();
        boolean crowded = connections.size() >= max;
        for (EndPoint endPoint : endPoints) {
            Usage usage = connections.get(transport(endPoint));
            if (usage != null && usage.exceeds(now, firstRequestNs, crowded ? crowdedIdleNs : idleNs)) {
                endPoint.close(new TimeoutException("connection has no request"));
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
            Callback.NOOP.failed(e); // it was not to be used anyway
        }
    }
}
