package dev.loom.cli.ingest;

import dev.loom.SharedWriter;
import dev.loom.cli.schema.SchemaAccess;
import dev.loom.otlp.server.BearerToken;
import dev.loom.otlp.server.Endpoint;
import dev.loom.otlp.server.SocketFile;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Takes raw records over TCP or a Unix socket, a thread for each connection. A connection that has begun a frame must end it,
 * and take the answer, within a deadline; one that waits for its next frame may wait for ever.
 */
public final class IngestServer implements AutoCloseable {
    /** Connections at once. */
    public static final int CONNECTIONS_MAX = 256;

    private static final long FRAME_DEADLINE_NS = TimeUnit.SECONDS.toNanos(30);
    private static final long TICK_MS = 500;
    private static final long RETRY_MS = 10;
    /** What clients are told while it is not known: of the longest that a store takes. */
    private static final int PAYLOAD_LENGTH_MAX = (16 << 20) - 1;

    private final @Nullable Path unixPath;
    /** Where it listens, with the port that was found. */
    private final Endpoint found;

    private final Supplier<Optional<SharedWriter>> writer;
    private final SchemaAccess schema;
    private final BatchMemory memory;
    private final @Nullable Path tokenFile;
    private final long frameDeadlineNs;
    private final IngestCounters counters = new IngestCounters();
    private final Set<IngestConnection> connections = ConcurrentHashMap.newKeySet();
    private final Thread acceptor = new Thread(this::accept, "loom-ingest");
    private final Thread watch = new Thread(this::watch, "loom-ingest-deadlines");
    private volatile ServerSocketChannel listener;
    private volatile boolean closing;

    private IngestServer(
            ServerSocketChannel listener,
            Endpoint endpoint,
            Supplier<Optional<SharedWriter>> writer,
            SchemaAccess schema,
            BatchMemory memory,
            @Nullable Path tokenFile,
            long frameDeadlineNs) {
        this.listener = listener;
        unixPath = endpoint.socket();
        found = unixPath == null
                ? new Endpoint(endpoint.host(), listener.socket().getLocalPort(), null)
                : endpoint;
        this.writer = writer;
        this.schema = schema;
        this.memory = memory;
        this.tokenFile = tokenFile;
        this.frameDeadlineNs = frameDeadlineNs;
    }

    /**
     * Listens.
     *
     * @param writer empty while the store can't be written; batches are to be sent again then
     * @param tokenFile of the token that clients must know, as of {@link BearerToken#read}, looked at for each connection; null for none
     * @throws IOException when the address can't be had, or the token not be read
     */
    public static IngestServer start(
            Endpoint endpoint,
            Supplier<Optional<SharedWriter>> writer,
            SchemaAccess schema,
            BatchMemory memory,
            @Nullable Path tokenFile)
            throws IOException {
        return start(endpoint, writer, schema, memory, tokenFile, FRAME_DEADLINE_NS);
    }

    static IngestServer start(
            Endpoint endpoint,
            Supplier<Optional<SharedWriter>> writer,
            SchemaAccess schema,
            BatchMemory memory,
            @Nullable Path tokenFile,
            long frameDeadlineNs)
            throws IOException {
        if (tokenFile != null) {
            BearerToken.read(tokenFile);
        }
        Path unixPath = endpoint.socket();
        ServerSocketChannel listener = unixPath == null ? bind(endpoint) : SocketFile.listen(unixPath);
        IngestServer server = new IngestServer(listener, endpoint, writer, schema, memory, tokenFile, frameDeadlineNs);
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

    /** The port at which it listens; -1 for a socket in the file system. */
    public int port() {
        return unixPath == null ? found.port() : -1;
    }

    public IngestCounters counters() {
        return counters;
    }

    /** Connections now. */
    public int connections() {
        return connections.size();
    }

    private void accept() {
        while (!closing) {
            try {
                serve(listener.accept());
            } catch (IOException | RuntimeException | OutOfMemoryError e) {
                // closed; or out of descriptors, memory or threads, which others may give back
                Thread.interrupted(); // nobody's business; but it has closed the listener
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(closing ? 0 : RETRY_MS));
                listenAgain();
            }
        }
    }

    /** Where an interrupt has closed it: whose it was is still to be reached. */
    private synchronized void listenAgain() {
        if (closing || listener.isOpen()) {
            return;
        }
        try {
            listener = unixPath == null ? bind(found) : SocketFile.listen(unixPath);
        } catch (IOException | RuntimeException e) {
            // until it can be had; meanwhile problem() says so
        }
    }

    /** Why clients can't reach it though nobody has closed it; empty if it listens. */
    public Optional<String> problem() {
        return closing || (acceptor.isAlive() && listener.isOpen())
                ? Optional.empty()
                : Optional.of("endpoint no longer listens: endpoint=" + found);
    }

    @SuppressWarnings("resource") // the connection closes it
    private void serve(SocketChannel accepted) throws IOException {
        FrameChannel channel = new FrameChannel(accepted);
        if (connections.size() >= CONNECTIONS_MAX) {
            counters.connectionsRefused.increment();
            channel.close();
            return;
        }
        if (unixPath == null) {
            accepted.setOption(StandardSocketOptions.TCP_NODELAY, true);
            accepted.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        }
        IngestConnection connection = new IngestConnection(channel, this);
        boolean served = false;
        try {
            connections.add(connection);
            LockSupport.unpark(watch);
            Thread thread = new Thread(connection, "loom-ingest-connection");
            thread.setDaemon(true);
            thread.start();
            served = true;
        } finally {
            if (!served) { // no memory, or no thread
                connections.remove(connection);
                channel.close();
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
                // at the next tick then
            }
            Thread.interrupted(); // with it no park would last
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

    SchemaAccess schema() {
        return schema;
    }

    BatchMemory memory() {
        return memory;
    }

    boolean closing() {
        return closing;
    }

    void ended(IngestConnection connection) {
        connections.remove(connection);
    }

    /** Accepts no more, lets frames that have begun come to their end for so long, then ends all connections. */
    public void close(long graceNs) {
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
            if (unixPath != null) {
                Files.deleteIfExists(unixPath);
            }
        } catch (IOException e) {
            // the process ends anyway
        }
    }

    @Override
    public void close() {
        close(TimeUnit.SECONDS.toNanos(5));
    }
}
