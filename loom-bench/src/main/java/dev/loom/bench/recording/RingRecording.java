package dev.loom.bench.recording;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.locks.LockSupport;
import org.agrona.BufferUtil;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;
import org.jspecify.annotations.Nullable;

/** The limit: producers read the clock and write to Agrona's ring, and one thread copies its events to a file. No sources, chains or indexes. */
final class RingRecording implements RecordingTarget, Runnable {
    private static final int TYPE = 1;
    private static final int EVENT_LENGTH = Long.BYTES + PAYLOAD_LENGTH;
    private static final int EVENTS_READ = 1 << 14;
    private static final int RUN_LENGTH = EVENT_LENGTH << 14;
    private static final long WAIT_NS = 50_000;
    private static final int CACHE_LINE = 64;

    private final Path path;
    private final ManyToOneRingBuffer ring;
    private final FileChannel file;
    private final ByteBuffer runBytes = ByteBuffer.allocateDirect(RUN_LENGTH);
    private final UnsafeBuffer run = new UnsafeBuffer(runBytes);
    private final Thread consumer;
    private int used;
    private volatile boolean stopping;
    private volatile @Nullable Throwable failure;

    RingRecording(Path directory, int ringBytes) {
        path = directory.resolve("events");
        ring = new ManyToOneRingBuffer(new UnsafeBuffer(
                BufferUtil.allocateDirectAligned(ringBytes + RingBufferDescriptor.TRAILER_LENGTH, CACHE_LINE)));
        try {
            file = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        consumer = new Thread(this, "ring-consumer");
        consumer.setDaemon(true);
        consumer.start();
    }

    @Override
    public Producer producer(int number) {
        final UnsafeBuffer event = new UnsafeBuffer(new byte[EVENT_LENGTH]);
        return sequence -> {
            event.putLong(0, System.nanoTime());
            for (int i = 0; i < PAYLOAD_LENGTH / Long.BYTES; i++) {
                event.putLong((1 + i) * Long.BYTES, RecordingTarget.number(i, number, sequence));
            }
            while (!ring.write(TYPE, event, 0, EVENT_LENGTH)) {
                throwIfFailed();
                LockSupport.parkNanos(WAIT_NS);
            }
        };
    }

    @Override
    public void run() {
        try {
            while (true) {
                final boolean last = stopping;
                if (ring.read(this::take) == 0) {
                    if (last) {
                        write();
                        return;
                    }
                    LockSupport.parkNanos(WAIT_NS);
                }
            }
        } catch (final RuntimeException | Error e) {
            failure = e;
        }
    }

    private void take(int type, MutableDirectBuffer from, int offset, int length) {
        if (used + length > RUN_LENGTH) {
            write();
        }
        run.putBytes(used, from, offset, length);
        used += length;
    }

    private void write() {
        try {
            runBytes.limit(used).position(0);
            while (runBytes.hasRemaining()) {
                file.write(runBytes);
            }
            used = 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void throwIfFailed() {
        final Throwable cause = failure;
        if (cause != null) {
            throw new IllegalStateException("consumer failed", cause);
        }
    }

    @Override
    public void finish() {
        stopping = true;
        try {
            consumer.join();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the last events were written", e);
        }
        throwIfFailed();
    }

    @Override
    public long verify(int producers) {
        final RecordedEvents events = new RecordedEvents(producers);
        final ByteBuffer some = ByteBuffer.allocate(EVENTS_READ * EVENT_LENGTH);
        final UnsafeBuffer payload = new UnsafeBuffer(some);
        try (FileChannel written = FileChannel.open(path, StandardOpenOption.READ)) {
            while (written.read(some) >= 0 || some.position() > 0) {
                if (some.position() < EVENT_LENGTH) {
                    throw new IllegalStateException("event is cut off: offset=" + (written.size() - some.position()));
                }
                final int whole = some.position() - some.position() % EVENT_LENGTH;
                for (int at = 0; at < whole; at += EVENT_LENGTH) {
                    final int offset = at;
                    events.check(i -> payload.getLong(offset + (1 + i) * Long.BYTES));
                }
                some.flip().position(whole);
                some.compact();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return events.found();
    }

    @Override
    public void close() {
        finish();
        try {
            file.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
