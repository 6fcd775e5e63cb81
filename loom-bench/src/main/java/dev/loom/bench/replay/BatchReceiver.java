package dev.loom.bench.replay;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** Reads batches from one connection and gives them to a sink, on a thread of its own. Other threads wait for what they ask about. */
final class BatchReceiver {
    private static final int FIRST_CAPACITY = 1 << 20;

    private final ServerSocketChannel server;
    private final Sink sink;
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile long records;
    private volatile @Nullable Throwable failure;

    /** @param server closed by its owner once everything is received */
    BatchReceiver(ServerSocketChannel server, Sink sink) {
        this.server = server;
        this.sink = sink;
    }

    /** Starts the thread. */
    void start() {
        final Thread thread = new Thread(this::receive, "sink-receiver");
        thread.setDaemon(true);
        thread.start();
    }

    private void receive() {
        try (SocketChannel replay = server.accept()) {
            receive(replay);
            sink.finish();
            ended.countDown();
            replay.write(ByteBuffer.allocate(1));
        } catch (final Exception | Error e) {
            failure = e;
            e.printStackTrace(); // whoever replays sees its connection end, and nobody may ask any more
        } finally {
            ended.countDown();
        }
    }

    private void receive(SocketChannel replay) throws Exception {
        final BatchSection section = new BatchSection();
        long taken = 0;
        ByteBuffer bytes = ByteBuffer.allocateDirect(FIRST_CAPACITY);
        UnsafeBuffer buffer = new UnsafeBuffer(bytes);
        while (true) {
            read(replay, bytes.clear().limit(BatchDescriptor.HEADER_LENGTH));
            final int length = buffer.getInt(BatchDescriptor.LENGTH_OFFSET, LITTLE_ENDIAN);
            if (buffer.getLong(BatchDescriptor.NUMBER_OFFSET, LITTLE_ENDIAN) == BatchDescriptor.END) {
                return;
            }
            if (length > bytes.capacity()) {
                final ByteBuffer longer = ByteBuffer.allocateDirect(2 * length);
                longer.put(bytes.flip());
                bytes = longer;
                buffer = new UnsafeBuffer(bytes);
            }
            read(replay, bytes.limit(length).position(BatchDescriptor.HEADER_LENGTH));
            section.wrap(buffer, length);
            while (section.next()) {
                if (section.records() > 0) {
                    sink.write(section);
                    taken += section.records();
                }
            }
            sink.endBatch(buffer.getLong(BatchDescriptor.END_NS_OFFSET, LITTLE_ENDIAN));
            records = taken;
        }
    }

    private static void read(SocketChannel from, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            if (from.read(bytes) < 0) {
                throw new EOFException("replay ended in the middle of a batch, or without its last one");
            }
        }
    }

    /** Records that the sink has taken. */
    long records() {
        return records;
    }

    /** Waits until questions see all records before a time, or all of the run. */
    void await(long timeNs) throws InterruptedException {
        while (sink.visibleNs() < timeNs && !ended.await(1, TimeUnit.MILLISECONDS)) {
            // the receiver's thread moves on
        }
        final Throwable failed = failure;
        if (failed != null) {
            throw new IllegalStateException("sink failed while it took records in", failed);
        }
    }

    /** Waits for the end of the run. */
    void awaitEnd() throws InterruptedException {
        await(Long.MAX_VALUE);
    }
}
