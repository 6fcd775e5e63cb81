package dev.loom.server.ingest;

import dev.loom.SharedWriter;
import dev.loom.otlp.server.BearerToken;
import dev.loom.otlp.server.Endpoint;
import dev.loom.otlp.server.InFlightBudget;
import dev.loom.otlp.server.ServerTls;
import dev.loom.otlp.server.SocketFile;
import dev.loom.server.protocol.SchemaRequests;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Accepts raw records over TCP or a Unix socket, with a thread per connection. A connection that has begun a frame must finish it
 * and read the answer within a deadline; it may wait for its next frame for ever.
 */
public final class IngestServer implements AutoCloseable {
    /** The most connections at once. */
    public static final int CONNECTIONS_MAX = 256;

    public static final long FRAME_DEADLINE_NS = TimeUnit.SECONDS.toNanos(30);
    private static final long TICK_MS = 500;
    private static final long RETRY_MS = 10;
    /** Reported to clients while the store's limit is unknown: the highest limit that a store can have. */
    private static final int PAYLOAD_LENGTH_MAX = (16 << 20) - 1;

    private final @Nullable Path unixPath;
    /** The endpoint with its actual port. */
    private final Endpoint found;

    private final Supplier<Optional<SharedWriter>> writer;
    final SchemaRequests schema;
    final InFlightBudget memory;
    private final @Nullable Path tokenFile;
    private final @Nullable ServerTls tls;
    private final long frameDeadlineNs;
    private final IngestCounters counters = new IngestCounters();
    private final Set<IngestConnection> connections = ConcurrentHashMap.newKeySet();
    private final Thread acceptor = new Thread(this::accept, "loom-ingest");
    private final Thread watch = new Thread(this::watch, "loom-ingest-deadlines");
    private volatile ServerSocketChannel listener;
    private volatile @Nullable Object socketKey;
    private volatile boolean closing;

    private IngestServer(
            ServerSocketChannel listener,
            Endpoint endpoint,
            Supplier<Optional<SharedWriter>> writer,
            SchemaRequests schema,
            InFlightBudget memory,
            @Nullable Path tokenFile,
            @Nullable ServerTls tls,
            long frameDeadlineNs) {
        this.listener = listener;
        unixPath = endpoint.socket();
        socketKey = unixPath == null ? null : SocketFile.key(unixPath);
        found = unixPath == null
                ? new Endpoint(endpoint.host(), listener.socket().getLocalPort(), null)
                : endpoint;
        this.writer = writer;
        this.schema = schema;
        this.memory = memory;
        this.tokenFile = tokenFile;
        this.tls = unixPath == null ? tls : null;
        this.frameDeadlineNs = frameDeadlineNs;
    }

    /**
     * Binds the endpoint and starts to accept connections.
     *
     * @param writer empty while the store can't be written; clients must then resend their batches
     * @param memory bounds what the batches of all connections, and OTLP requests, occupy together
     * @param tokenFile file of the token that clients must present, see {@link BearerToken#read}, read for each connection; null
     *     for none
     * @param tls encrypts TCP connections; null for none. Unix sockets, which only this machine reaches, are never encrypted
     * @param frameDeadlineNs how long a client may take to send a frame
     * @throws IOException if the address can't be bound or the token can't be read
     */
    public static IngestServer start(
            Endpoint endpoint,
            Supplier<Optional<SharedWriter>> writer,
            SchemaRequests schema,
            InFlightBudget memory,
            @Nullable Path tokenFile,
            @Nullable ServerTls tls,
            long frameDeadlineNs)
            throws IOException {
        if (tokenFile != null) {
            BearerToken.read(tokenFile);
        }
        Path unixPath = endpoint.socket();
        ServerSocketChannel listener = unixPath == null ? bind(endpoint) : SocketFile.listen(unixPath);
        IngestServer server =
                new IngestServer(listener, endpoint, writer, schema, memory, tokenFile, tls, frameDeadlineNs);
        server.acceptor.setDaemon(true);
        server.watch.setDaemon(true);
        server.acceptor.start();
        server.watch.start();
        return server;
    }

    private static ServerSocketChannel bind(Endpoint endpoint) throws IOException {
        ServerSocketChannel listener = ServerSocketChannel.open();
        try {
            return listener.setOption(StandardSocketOptions.SO_REUSEADDR, true).bind(endpoint.address());
        } catch (IOException e) {
            listener.close();
            throw new IOException("can't listen: address=" + endpoint + ": " + e.getMessage(), e);
        }
    }

    /** The port it listens on; -1 for a Unix socket. */
    public int port() {
        return unixPath == null ? found.port() : -1;
    }

    public IngestCounters counters() {
        return counters;
    }

    /** The number of open connections. */
    public int connections() {
        return connections.size();
    }

    private void accept() {
        while (!closing) {
            try {
                serve(listener.accept());
            } catch (IOException | RuntimeException | OutOfMemoryError e) {
                // closed; or out of descriptors, memory or threads, which others may release
                Thread.interrupted(); // meant for nobody, but it closed the listener
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(closing ? 0 : RETRY_MS));
                listenAgain();
            }
        }
    }

    /** Rebinds after an interrupt has closed the listener. */
    private synchronized void listenAgain() {
        if (closing || listener.isOpen()) {
            return;
        }
        try {
            listener = unixPath == null ? bind(found) : SocketFile.listen(unixPath);
            socketKey = unixPath == null ? null : SocketFile.key(unixPath);
        } catch (IOException | RuntimeException e) {
            // retried until it succeeds; meanwhile problem() reports it
        }
    }

    /** Why clients can't connect although the server is not closed; empty if it listens. */
    public Optional<String> problem() {
        return closing || (acceptor.isAlive() && listener.isOpen())
                ? Optional.empty()
                : Optional.of("endpoint no longer listens: endpoint=" + found);
    }

    @SuppressWarnings("resource") // the connection closes it
    private void serve(SocketChannel accepted) throws IOException {
        if (connections.size() >= CONNECTIONS_MAX) {
            counters.connectionsRefused.increment();
            accepted.close();
            return;
        }
        IngestConnection connection = null;
        boolean served = false;
        try {
            if (unixPath == null) {
                accepted.setOption(StandardSocketOptions.TCP_NODELAY, true);
                accepted.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
            }
            connection = new IngestConnection(accepted, tls == null ? null : tls.engine(), this);
            connections.add(connection);
            LockSupport.unpark(watch);
            Thread thread = new Thread(connection, "loom-ingest-connection");
            thread.setDaemon(true);
            thread.start();
            served = true;
            if (closing) {
                connection.end(); // close() may have looked before it was there
            }
        } finally {
            if (!served) { // out of memory or threads
                if (connection != null) {
                    connections.remove(connection);
                }
                accepted.close();
            }
        }
    }

    private void watch() {
        while (!closing) {
            try {
                connections.stream()
                        .filter(connection -> connection.busyLongerThan(frameDeadlineNs))
                        .forEach(IngestConnection::end);
            } catch (RuntimeException | OutOfMemoryError e) {
                // retried at the next tick
            }
            Thread.interrupted(); // an interrupted thread would not park
            if (connections.isEmpty()) {
                LockSupport.park(this);
            } else {
                LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(TICK_MS));
            }
        }
    }

    boolean admits(String offered) throws IOException {
        return tokenFile == null || BearerToken.read(tokenFile).is(offered);
    }

    /** Empty while the store can't be written. */
    Optional<SharedWriter> writer() {
        return writer.get();
    }

    int payloadLengthMax() {
        return writer().map(writing -> writing.loom().payloadLengthMax()).orElse(PAYLOAD_LENGTH_MAX);
    }

    boolean closing() {
        return closing;
    }

    void ended(IngestConnection connection) {
        connections.remove(connection);
    }

    /** Stops accepting, gives frames in progress {@code graceNs} to finish, then ends all connections. Idempotent. */
    public void close(long graceNs) {
        if (closing) {
            return;
        }
        closing = true;
        LockSupport.unpark(watch);
        closeListener();
        long deadlineNs = System.nanoTime() + graceNs;
        while (!connections.isEmpty() && System.nanoTime() - deadlineNs < 0) {
            connections.stream().filter(IngestConnection::idle).forEach(IngestConnection::end);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
        connections.forEach(IngestConnection::end);
    }

    private synchronized void closeListener() {
        try {
            listener.close();
        } catch (IOException e) {
            // the process ends anyway
        }
        if (unixPath != null) {
            SocketFile.delete(unixPath, socketKey);
        }
    }

    @Override
    public void close() {
        close(TimeUnit.SECONDS.toNanos(5));
    }
}
