package dev.loom.bench.probe;

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
 * Sends frames to a sink over TCP, by a thread of its own. So many frames may wait; if the sink is further behind, frames are dropped
 * and counted, and the application goes on.
 */
final class SocketTelemetry extends FrameTelemetry {
    private static final int FRAMES = 128;
    private static final int SOCKET_BUFFER_BYTES = 1 << 20;

    private final SocketChannel socket;
    private final BlockingQueue<Frame> full = new ArrayBlockingQueue<>(2 * FRAMES);
    private final BlockingQueue<Frame> empty = new ArrayBlockingQueue<>(2 * FRAMES);
    private final Frame end = new Frame();
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
        for (int i = 0; i < FRAMES; i++) {
            empty.add(new Frame());
        }
        sender.start();
    }

    @Override
    @Nullable
    Frame exchange(Frame frame) {
        final Frame next = failure == null ? empty.poll() : null;
        if (next != null) {
            full.add(frame);
        }
        return next;
    }

    private void send() {
        try {
            for (Frame frame = full.take(); frame != end; frame = full.take()) {
                while (frame.bytes.hasRemaining()) {
                    socket.write(frame.bytes);
                }
                empty.add(frame);
            }
        } catch (final IOException e) {
            failure = e;
        } catch (final InterruptedException e) {
            failure = new IOException("interrupted", e);
        }
    }

    /** Waits until the sink, which ends its side when it has stored everything, has ended it. */
    @Override
    public void close() {
        try (socket) {
            full.add(end);
            sender.join();
            final IOException failed = failure;
            if (failed != null) {
                throw failed;
            }
            socket.shutdownOutput();
            final ByteBuffer answer = ByteBuffer.allocate(1);
            while (socket.read(answer) >= 0) {
                answer.clear();
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the sink stores", e);
        }
    }
}
