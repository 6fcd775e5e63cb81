package dev.loom.cli.input;

import dev.loom.cli.console.Interruption;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The part of an input that is being looked at: bytes that have arrived and are not yet consumed. Offsets count from its
 * first byte, so they hold while it grows. For one thread.
 */
public final class InputWindow implements AutoCloseable {
    private static final int CAPACITY_FIRST = 512 * 1024;
    private static final long INTERRUPTION_CHECK_NS = TimeUnit.MILLISECONDS.toNanos(50);

    private final InputPump pump;
    private final Interruption interruption;
    private byte[] bytes = new byte[CAPACITY_FIRST];
    private int start;
    private int limit;
    private boolean ended;
    private boolean starved;
    private boolean starving;
    private long starveAtNs;
    private long consumedBytes;
    private Runnable idle = () -> {};

    public InputWindow(InputStream stream, Interruption interruption) {
        this.pump = new InputPump(stream);
        this.interruption = interruption;
    }

    /** Sets what is done each time before the input is waited for. */
    public void onIdle(Runnable action) {
        idle = action;
    }

    /** Once that time has passed, {@link #more()} takes what has arrived, but no longer waits: it is {@link #starved()}. */
    public void starveAfter(long timeoutNs) {
        starving = true;
        starveAtNs = System.nanoTime() + timeoutNs;
    }

    /** From now on {@link #more()} waits again. */
    public void starveNoMore() {
        starving = false;
        starved = false;
    }

    /** Bytes at hand. */
    public int length() {
        return limit - start;
    }

    public byte at(int offset) {
        return bytes[start + offset];
    }

    /** The array that holds the window from {@link #arrayOffset()}; both change with {@link #more()}. */
    public byte[] array() {
        return bytes;
    }

    public int arrayOffset() {
        return start;
    }

    /** Bytes consumed since the input's beginning. */
    public long consumedBytes() {
        return consumedBytes;
    }

    /** Whether the last {@link #more()} gave up; there may yet be more. */
    public boolean starved() {
        return starved;
    }

    /** Waits until there are as many bytes. False when the input ends before. */
    public boolean require(int count) throws IOException {
        while (length() < count) {
            if (!more()) {
                return false;
            }
        }
        return true;
    }

    /** Waits for at least one byte more. False when there is none: at the end, when interrupted, when starved. */
    public boolean more() throws IOException {
        return more(Long.MAX_VALUE);
    }

    /** As {@link #more()}, but waits no longer than that; there may yet be more. */
    public boolean more(long timeoutNs) throws IOException {
        if (ended) {
            return false;
        }
        InputPump.Chunk chunk = pump.poll(0);
        if (chunk == null) {
            idle.run();
            chunk = await(timeoutNs);
            if (chunk == null) {
                return false;
            }
        }
        if (chunk.last()) {
            ended = true;
            return false;
        }
        append(chunk.bytes(), chunk.length());
        pump.recycle(chunk);
        return true;
    }

    private InputPump.@Nullable Chunk await(long timeoutNs) throws IOException {
        long begunNs = System.nanoTime();
        InputPump.Chunk chunk = null;
        long leftNs = timeoutNs;
        while (chunk == null && !interruption.requested() && !starved && leftNs > 0) {
            long nowNs = System.nanoTime();
            leftNs = timeoutNs - (nowNs - begunNs);
            if (starving) {
                leftNs = Math.min(leftNs, starveAtNs - nowNs);
                starved = starveAtNs - nowNs <= 0;
            }
            chunk = pump.poll(Math.max(0, Math.min(leftNs, INTERRUPTION_CHECK_NS)));
        }
        return chunk;
    }

    /** Lets go of the first bytes. */
    public void consume(int count) {
        start += count;
        consumedBytes += count;
    }

    private void append(byte[] source, int count) {
        int length = length();
        if (count > bytes.length - limit) {
            byte[] target =
                    count > bytes.length - length ? new byte[Math.max(bytes.length * 2, length + count)] : bytes;
            System.arraycopy(bytes, start, target, 0, length);
            bytes = target;
            start = 0;
            limit = length;
        }
        System.arraycopy(source, 0, bytes, limit, count);
        limit += count;
    }

    /** A copy of some bytes of the window. */
    public byte[] copy(int offset, int count) {
        return Arrays.copyOfRange(bytes, start + offset, start + offset + count);
    }

    @Override
    public void close() {
        pump.close();
    }
}
