package dev.loom.server.ingest;

import dev.loom.SharedWriter;
import dev.loom.otlp.file.SocketFile;
import dev.loom.otlp.server.Endpoint;
import dev.loom.otlp.server.InFlightBudget;
import dev.loom.otlp.server.Region;
import dev.loom.otlp.server.ServerProtection;
import dev.loom.otlp.tls.ServerCredentials;
import dev.loom.server.protocol.FrameDescriptor;
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
import java.util.function.Consumer;
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
    /** The part of the memory that batches leave to others: as much as OTLP's largest message, which never takes more. */
    private static final int OTHERS_SHARE = 4;

    private final @Nullable Path unixPath;
    /** The endpoint with its actual port. */
    private final Endpoint found;

    private final Supplier<Optional<SharedWriter>> writer;
    final SchemaRequests schema;
    final ServerCredentials credentials;
    private final InFlightBudget memory;
    private final long pressedTimeoutNs;
    private final long frameDeadlineNs;
    private final IngestCounters counters = new IngestCounters();
    private final Set<IngestConnection> connections = ConcurrentHashMap.newKeySet();
    private final Thread acceptor = new Thread(this::accept, "loom-ingest");
    private final Thread watch = new Thread(this::watch, "loom-ingest-deadlines");
    private volatile ServerSocketChannel listener;
    private volatile @Nullable Object socketKey;
    private volatile long pressedUntilNs = System.nanoTime();
    private volatile boolean closing;

    private IngestServer(
            ServerSocketChannel listener,
            Endpoint endpoint,
            Supplier<Optional<SharedWriter>> writer,
            SchemaRequests schema,
            InFlightBudget memory,
            ServerCredentials credentials,
            long pressedTimeoutNs,
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
        this.credentials = credentials;
        this.pressedTimeoutNs = pressedTimeoutNs;
        this.frameDeadlineNs = frameDeadlineNs;
    }

    /**
     * Binds the endpoint and starts to accept connections.
     *
     * @param writer empty while the store can't be written; clients must then resend their batches
     * @param memory bounds what the batches of all connections, and OTLP requests, occupy together
     * @param protection its token, which clients must present, its TLS and its {@code pressedTimeout} apply. Unix sockets, which only this
     *     machine reaches, are never encrypted
     * @param failures takes certificates and tokens that can't be read later; called by any thread
     * @param frameDeadlineNs how long a client may take to send a frame
     * @throws IOException if the address can't be bound or a file of the protection can't be read
     */
    public static IngestServer start(
            Endpoint endpoint,
            Supplier<Optional<SharedWriter>> writer,
            SchemaRequests schema,
            InFlightBudget memory,
            ServerProtection protection,
            Consumer<Throwable> failures,
            long frameDeadlineNs)
            throws IOException {
        ServerCredentials credentials = ServerCredentials.read(protection.tls(), protection.tokenFile(), failures);
        Path unixPath = endpoint.socket();
        ServerSocketChannel listener = unixPath == null ? bind(endpoint) : SocketFile.listen(unixPath);
        IngestServer server = new IngestServer(
                listener,
                endpoint,
                writer,
                schema,
                memory,
                credentials,
                protection.pressedTimeout().toNanos(),
                frameDeadlineNs);
        server.acceptor.setDaemon(true);
        server.watch.setDaemon(true);
        try {
            server.acceptor.start();
            server.watch.start();
        } catch (OutOfMemoryError e) {
            server.close(0); // no thread can be created: the address must not stay taken
            throw e;
        }
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
            connection = new IngestConnection(accepted, this);
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
        long pressesSeen = memory.presses();
        while (!closing) {
            try {
                long presses = memory.presses();
                if (presses != pressesSeen) {
                    pressesSeen = presses;
                    press();
                }
                // A slow client that still sends releases its memory by itself, and is answered.
                connections.stream()
                        .filter(connection -> connection.busyLongerThan(frameDeadlineNs)
                                || (pressed() && connection.receivesLongerThan(2 * pressedTimeoutNs)))
                        .forEach(IngestConnection::end);
            } catch (RuntimeException | OutOfMemoryError e) {
                // retried at the next tick
            }
            Thread.interrupted(); // an interrupted thread would not park
            if (connections.isEmpty()) {
                LockSupport.park(this);
                pressesSeen = memory.presses(); // the others are long past
            } else {
                LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(TICK_MS));
            }
        }
    }

    boolean encrypts() {
        return unixPath == null && credentials.hasTls();
    }

    /** Memory for the beginning of a batch, which leaves others their share; null if there is none now. */
    @Nullable
    Region reserve(int length) {
        Region region = memory.reserve(length, othersShare());
        if (region == null) {
            press();
        }
        return region;
    }

    /** Whether there is room for a further byte. */
    boolean ensureRoom(Region region) {
        boolean ensured = region.ensure(1);
        if (!ensured) {
            press();
        }
        return ensured;
    }

    private int othersShare() {
        return memory.capacity() / OTHERS_SHARE;
    }

    /** Long enough to find every slow client that keeps memory. */
    private void press() {
        pressedUntilNs = System.nanoTime() + 2 * (pressedTimeoutNs + TimeUnit.MILLISECONDS.toNanos(TICK_MS));
    }

    /** Whether a batch, or a request of OTLP, has lately found no memory. */
    boolean pressed() {
        return System.nanoTime() - pressedUntilNs < 0;
    }

    long pressedTimeoutNs() {
        return pressedTimeoutNs;
    }

    /** Empty while the store can't be written. */
    Optional<SharedWriter> writer() {
        return writer.get();
    }

    /** The longest batch that there is memory for. */
    int batchLengthMax() {
        return Math.min(FrameDescriptor.BATCH_LENGTH_MAX, memory.capacity() - othersShare());
    }

    /** The longest payload that the store and a batch have room for. */
    int payloadLengthMax() {
        int ofStore = writer().map(writing -> writing.loom().payloadLengthMax()).orElse(PAYLOAD_LENGTH_MAX);
        return Math.min(ofStore, batchLengthMax() - FrameDescriptor.groupHeaderLength(1));
    }

    boolean closing() {
        return closing;
    }

    void ended(IngestConnection connection) {
        connections.remove(connection);
    }

    /** Stops accepting, gives frames in progress {@code graceNs} to finish, then ends all connections. An interrupt ends the waiting alone. Idempotent. */
    public void close(long graceNs) {
        if (closing) {
            return;
        }
        closing = true;
        LockSupport.unpark(watch);
        closeListener();
        long deadlineNs = System.nanoTime() + graceNs;
        while (!connections.isEmpty()
                && System.nanoTime() - deadlineNs < 0
                && !Thread.currentThread().isInterrupted()) {
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
