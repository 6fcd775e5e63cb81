package dev.loom.otlp.server;

import dev.loom.otlp.server.ProtectedHandler.Gate;
import dev.loom.otlp.tls.ServerCredentials;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.http2.FlowControlStrategy;
import org.eclipse.jetty.http2.server.AbstractHTTP2ServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.RateControl;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.HostPort;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * Serves HTTP/1.1 and HTTP/2 (by ALPN with TLS, by prior knowledge without) at one or more endpoints that share
 * threads, buffers and one {@link ServerProtection}.
 *
 * <p>Start and close must not run concurrently.
 */
public final class HttpServers implements AutoCloseable {
    /**
     * An endpoint and its handler.
     *
     * @param endpoint where to listen
     * @param handler serves requests that the protection admits; several endpoints may share one
     * @param refusals tells clients what the protection refuses
     * @param openPaths paths that need no token; {@link #hasToken} tells the handler whether a request had one
     */
    public record Listener(Endpoint endpoint, Handler handler, RefusalWriter refusals, Set<String> openPaths) {
        /** A listener whose requests all need the token. */
        public Listener(Endpoint endpoint, Handler handler, RefusalWriter refusals) {
            this(endpoint, handler, refusals, Set.of());
        }
    }

    private static final int THREADS_MIN = 4;
    private static final int THREADS_MAX = 16;
    private static final int NETWORK_BUFFER_LENGTH = 16 << 10;
    private static final long POOLED_BYTES_MAX = 8 << 20;
    private static final long SWEEP_NS = TimeUnit.MILLISECONDS.toNanos(250);

    private final ServerProtection protection;
    private final ServerCredentials credentials;
    private final QueuedThreadPool threads = new QueuedThreadPool(THREADS_MAX, THREADS_MIN);
    private final Server server;
    private final Gate gate;
    private final Sweeps sweeps;
    private final @Nullable Sweeps reloads;
    private final List<ServerConnector> connectors = new ArrayList<>();
    private final Map<ServerConnector, Endpoint> endpoints = new HashMap<>();
    private boolean closed;

    private HttpServers(ServerProtection protection, Consumer<Throwable> failures) throws IOException {
        this.protection = protection;
        credentials = ServerCredentials.read(protection.tls(), protection.tokenFile(), failures);
        threads.setName("loom-http");
        threads.setDaemon(
                true); // as all others of the library: a server that nobody closes does not keep a program from ending
        // in another thread, as reading may take long, and the scheduler's thread has deadlines to see to
        reloads = credentials.areReloaded()
                ? new Sweeps(
                        this::scheduler, credentials.intervalNs(), this::isRunning, () -> credentials.look(threads))
                : null;
        sweeps = new Sweeps(this::scheduler, SWEEP_NS, () -> connections() > 0 && isRunning(), this::look);
        ConnectionGuard connections = new ConnectionGuard(protection, this.sweeps::begin);
        HostRules hosts = new HostRules(protection.allowedHosts(), protection.allowedOrigins());
        gate = new Gate(connections, hosts, credentials);
        server = new Server(
                threads,
                new ScheduledExecutorScheduler("loom-http-scheduler", true),
                new ConnectionBuffers(4 * NETWORK_BUFFER_LENGTH, POOLED_BYTES_MAX));
        server.setErrorHandler(new PlainErrors());
        server.addBean(connections);
    }

    /**
     * Starts the servers.
     *
     * @param protection applies to all endpoints
     * @param listeners at least one
     * @param failures takes later failures, such as a certificate that can't be reloaded; called by any thread
     * @throws IllegalArgumentException if other machines can reach an endpoint without TLS and a token, and the protection
     *     does not say that this is intended
     * @throws IOException if an endpoint is in use, or a file can't be read
     */
    public static HttpServers start(ServerProtection protection, List<Listener> listeners, Consumer<Throwable> failures)
            throws IOException {
        listeners.forEach(listener -> protection.check(listener.endpoint()));
        HttpServers servers = new HttpServers(protection, failures);
        try {
            servers.listen(listeners);
        } catch (IOException | Error e) {
            closeAfter(e, servers);
            throw e;
        } catch (Exception e) {
            closeAfter(e, servers);
            throw new IOException("server can't be started", e);
        }
        return servers;
    }

    private static void closeAfter(Throwable failure, HttpServers servers) {
        try {
            servers.close(Duration.ZERO);
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }

    /** Whether an admitted request had the token, or needs none because the server has none. */
    public static boolean hasToken(Request request) {
        return request.getAttribute(ProtectedHandler.WITHOUT_TOKEN) == null;
    }

    /**
     * Calls an action once if the client leaves before a request of HTTP/1 is answered: noticed within a second, also while nothing is
     * written. The streams of HTTP/2 say so by themselves, as failures of their requests.
     *
     * @param request read to its end, and not to be switched to another protocol
     * @param action called by a thread that must not be held up
     */
    public static void onGone(Request request, Runnable action) {
        if (request.getConnectionMetaData().getHttpVersion() == HttpVersion.HTTP_2) {
            return;
        }
        WatchedEndPoint connection = WatchedEndPoint.beneath(
                request.getConnectionMetaData().getConnection().getEndPoint());
        if (connection != null) {
            Request.addCompletionListener(request, failure -> connection.unwatch(action));
            connection.watch(action);
        }
    }

    /** The port of an endpoint, by the index of its listener; -1 for a Unix domain socket. */
    public int port(int listener) {
        return connectors.get(listener).getLocalPort();
    }

    /** Why clients can't reach an endpoint that was not closed, such as an interrupt of its thread; empty if all listen. */
    public Optional<String> problem() {
        for (ServerConnector connector : connectors) {
            if (!gate.draining && !connector.isOpen()) {
                return Optional.of("endpoint no longer listens: endpoint=" + endpoints.get(connector));
            }
        }
        return Optional.empty();
    }

    /** The number of open connections. */
    public int connections() {
        return gate.connections.connections();
    }

    /** The number of connections closed at once because there were too many. */
    public long refusedConnections() {
        return gate.connections.refused();
    }

    /** The number of requests refused for their host, origin or token, or because the server was closing. */
    public long refusedRequests() {
        return gate.refused.sum();
    }

    private void listen(List<Listener> listeners) throws Exception {
        ByConnector handlers = new ByConnector();
        for (Listener listener : listeners) {
            ServerConnector connector = connector(listener.endpoint());
            connector.addBean(gate.connections);
            connector.setIdleTimeout(protection.idleTimeout().toMillis());
            server.addConnector(connector);
            connectors.add(connector);
            endpoints.put(connector, listener.endpoint());
            boolean overNetwork = listener.endpoint().socket() == null;
            handlers.add(connector, new ProtectedHandler(gate, listener, overNetwork, protection.pressedTimeout()));
        }
        server.setHandler(handlers);
        server.start();
        beginReloads();
    }

    private ServerConnector connector(Endpoint endpoint) {
        ByteBufferPool pool = server.getByteBufferPool();
        HttpConfiguration http = configuration();
        if (endpoint.socket() != null) {
            // The host for requests without one, such as HTTP/2's preface; the default is the address, which is a path
            // here.
            http.setServerAuthority(new HostPort("localhost"));
        }
        SslContextFactory.Server tls = credentials.tls();
        ConnectionFactory[] factories = tls == null ? plainFactories(http) : tlsFactories(http, tls);
        if (endpoint.socket() != null) {
            return new SocketFileConnector(server, pool, endpoint.socket(), factories);
        }
        ServerConnector connector = new WatchedConnector(server, pool, factories);
        connector.setHost(endpoint.host());
        connector.setPort(endpoint.port());
        return connector;
    }

    private ConnectionFactory[] plainFactories(HttpConfiguration http) {
        return new ConnectionFactory[] {new HttpConnectionFactory(http), bounded(new PriorKnowledgeFactory(http))};
    }

    private ConnectionFactory[] tlsFactories(HttpConfiguration http, SslContextFactory.Server context) {
        ALPNServerConnectionFactory alpn = new ALPNServerConnectionFactory("h2", "http/1.1");
        alpn.setDefaultProtocol(HttpVersion.HTTP_1_1.asString());
        return new ConnectionFactory[] {
            new SslConnectionFactory(context, alpn.getProtocol()),
            alpn,
            bounded(new HTTP2ServerConnectionFactory(http)),
            new HttpConnectionFactory(http)
        };
    }

    private HttpConfiguration configuration() {
        HttpConfiguration http = new HttpConfiguration();
        http.setSendServerVersion(false);
        http.setSendDateHeader(false);
        http.setRequestHeaderSize(protection.maxHeaderLength());
        http.setOutputBufferSize(NETWORK_BUFFER_LENGTH);
        http.setUseInputDirectByteBuffers(false); // see ConnectionBuffers
        return http;
    }

    /**
     * Bounds what a connection can make the server buffer: a window of 64 KiB, the smallest that the protocol allows for all
     * its streams together.
     */
    private AbstractHTTP2ServerConnectionFactory bounded(AbstractHTTP2ServerConnectionFactory factory) {
        factory.setInitialSessionRecvWindow(FlowControlStrategy.DEFAULT_WINDOW_SIZE);
        factory.setInitialStreamRecvWindow(FlowControlStrategy.DEFAULT_WINDOW_SIZE);
        factory.setMaxConcurrentStreams(protection.maxConcurrentStreams());
        factory.setUseInputDirectByteBuffers(true);
        factory.setRateControlFactory(new RateControl.Factory() {
            @Override
            public RateControl newRateControl(EndPoint endPoint) {
                return gate.connections.frames(endPoint);
            }
        });
        // Our own deadlines end slow requests and say why; this is for streams that never become requests.
        factory.setStreamIdleTimeout(
                protection.readBodyTimeout().plus(protection.writeTimeout()).toMillis());
        return factory;
    }

    private Scheduler scheduler() {
        return server.getScheduler();
    }

    private boolean isRunning() {
        return server.isRunning();
    }

    /** Looks at each connection once. */
    void look() {
        beginReloads(); // they may have ended for lack of memory
        for (ServerConnector connector : connectors) {
            gate.connections.sweep(connector.getConnectedEndPoints());
        }
    }

    private void beginReloads() {
        if (reloads != null) {
            reloads.begin();
        }
    }

    /**
     * Stops accepting connections and refuses new requests on open ones as unavailable. Those in flight go on; {@link #close(Duration)} waits
     * for them. Idempotent.
     */
    public void drain() {
        gate.draining = true;
        for (ServerConnector connector : connectors) {
            connector.setAccepting(false); // first, or its threads would try again and again until the server stops
            connector.close();
        }
    }

    /** Closes within 10 s; see {@link #close(Duration)}. */
    @Override
    public void close() throws IOException {
        close(Duration.ofSeconds(10));
    }

    /**
     * Does what {@link #drain} does, waits for requests in flight, then closes everything. Idempotent. An interrupt ends the waiting alone, and
     * stays set.
     *
     * @param timeout how long to wait for requests in flight
     */
    public void close(Duration timeout) throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        boolean interrupted = Thread.interrupted(); // an interrupted thread can't stop the server
        try {
            drain();
            try {
                gate.awaitNone(interrupted ? 0 : timeout.toMillis());
            } catch (InterruptedException e) {
                interrupted = true;
            }
            server.stop();
            threads.stop();
        } catch (Exception e) {
            throw new IOException("server can't be stopped", e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
