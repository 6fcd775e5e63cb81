package dev.loom.cli.input;

import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reads an input ahead on its own daemon thread, so that the consumer can tell whether it would have to wait. That thread closes
 * the stream. One thread takes and returns chunks.
 */
final class InputPump implements AutoCloseable {
    /** A chunk of the input: bytes {@code [0, length)}; the last chunk has a negative length. */
    static final class Chunk {
        private final byte[] bytes;
        private int length;

        private Chunk(int capacity) {
            bytes = new byte[capacity];
        }

        byte[] bytes() {
            return bytes;
        }

        int length() {
            return length;
        }

        boolean last() {
            return length < 0;
        }
    }

    /** How many may have been read and not taken. */
    static final int CHUNKS = 4;

    private static final int CHUNK_BYTES = 128 * 1024;

    private final InputStream stream;
    private final BlockingQueue<Chunk> filled = new ArrayBlockingQueue<>(CHUNKS);
    private final BlockingQueue<Chunk> free = new ArrayBlockingQueue<>(CHUNKS);
    private final Thread thread = new Thread(this::pump, "loom-input");
    private volatile @Nullable Throwable failure;

    InputPump(InputStream stream) {
        this.stream = stream;
        for (int i = 0; i < CHUNKS; i++) {
            free.add(new Chunk(CHUNK_BYTES));
        }
        thread.setDaemon(true);
        thread.start();
    }

    /**
     * The next chunk, or null if none arrives in time.
     *
     * @throws IOException if reading the input failed; from then on each time
     */
    @Nullable
    Chunk poll(long timeoutNs) throws IOException {
        try {
            Chunk chunk = filled.poll(timeoutNs, TimeUnit.NANOSECONDS);
            if (chunk != null && chunk.last()) {
                Throwable cause = failure;
                if (cause != null) {
                    filled.add(chunk); // the thread has ended, and nobody may wait for it
                }
                if (cause instanceof IOException failed) {
                    throw failed;
                } else if (cause != null) {
                    throw new IOException("input can't be read: " + cause, cause);
                }
            }
            return chunk;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    /** Returns a chunk to be filled again. */
    void recycle(Chunk chunk) {
        free.add(chunk);
    }

    @Override
    public void close() {
        thread.interrupt();
    }

    private void pump() {
        try (stream) {
            boolean more = true;
            while (more) {
                Chunk chunk = free.take();
                more = fill(chunk);
                filled.put(chunk);
            }
        } catch (InterruptedException | IOException e) {
            // The consumer closed the pump, or closing failed after the last read: nobody waits.
            Thread.currentThread().interrupt();
        }
    }

    private boolean fill(Chunk chunk) {
        try {
            chunk.length = stream.read(chunk.bytes);
        } catch (IOException | RuntimeException | Error e) {
            failure = e; // allocates nothing, as memory may have run out: the consumer must not wait for ever
            chunk.length = -1;
        }
        return chunk.length >= 0;
    }
}
