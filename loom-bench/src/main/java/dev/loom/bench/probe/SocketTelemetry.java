package dev.loom.bench.probe;

import dev.loom.bench.replay.TelemetryBatch;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * Sends batches to a sink over TCP, by a thread of its own. A bounded number of them may wait; if the sink is further behind, batches are dropped and
 * counted, and the application goes on.
 */
final class SocketTelemetry extends BatchTelemetry {
    private static final int BATCHES = 128;
    private static final int SOCKET_BUFFER_BYTES = 1 << 20;

    private final SocketChannel socket;
    private final BlockingQueue<TelemetryBatch> full = new ArrayBlockingQueue<>(2 * BATCHES);
    private final BlockingQueue<TelemetryBatch> empty = new ArrayBlockingQueue<>(2 * BATCHES);
    private final TelemetryBatch end = new TelemetryBatch();
    private final Thread sender = new Thread(this::send, "bench-telemetry");
    private volatile @Nullable IOException failure;

    SocketTelemetry(int port) {
        try {
            socket = SocketChannel.open();
            socket.setOption(StandardSocketOptions.SO_SNDBUF, SOCKET_BUFFER_BYTES);
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        for (int i = 0; i < BATCHES; i++) {
            empty.add(new TelemetryBatch());
        }
        sender.start();
    }

    @Override
    @Nullable
    TelemetryBatch exchange(TelemetryBatch batch) {
        final TelemetryBatch next = failure == null ? empty.poll() : null;
        if (next != null) {
            full.add(batch);
        }
        return next;
    }

    private void send() {
        try {
            long number = 0;
            for (TelemetryBatch batch = full.take(); batch != end; batch = full.take()) {
                write(batch.bytes(number++, Epoch.timeNs(System.nanoTime())));
                empty.add(batch);
            }
            write(TelemetryBatch.end(Epoch.timeNs(System.nanoTime())));
        } catch (final IOException e) {
            failure = e;
        } catch (final InterruptedException e) {
            failure = new IOException("interrupted", e);
        }
    }

    private void write(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            socket.write(bytes);
        }
    }

    /** Waits until the sink says that it has stored everything. */
    @Override
    public void close() {
        try (socket) {
            full.add(end);
            sender.join();
            final IOException failed = failure;
            if (failed != null) {
                throw failed;
            }
            if (socket.read(ByteBuffer.allocate(1)) < 0) {
                throw new EOFException("sink ended before it had stored everything");
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the sink stores", e);
        }
    }
}
