package dev.loom.cli.input;

import dev.loom.cli.console.Interruption;
import dev.loom.server.text.EightBytes;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of an input that have arrived and are not yet consumed. Offsets count from the first of them, so they stay valid
 * while more arrive. For one thread.
 */
public final class InputWindow implements AutoCloseable {
    private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};
    private static final byte[] UTF_16_LITTLE_ENDIAN = {(byte) 0xFF, (byte) 0xFE};
    private static final byte[] UTF_16_BIG_ENDIAN = {(byte) 0xFE, (byte) 0xFF};
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
    /** How often more was asked for since an interruption: what had been read by then is taken. */
    private int takenSince;

    private Runnable idle = () -> {};

    public InputWindow(InputStream stream, Interruption interruption) {
        this.pump = new InputPump(stream);
        this.interruption = interruption;
    }

    /** Sets an action that runs each time before the window waits for input. */
    public void onIdle(Runnable action) {
        idle = action;
    }

    /**
     * After {@code timeoutNs} {@link #more()} still takes what has arrived but no longer waits: the window is {@link #starved()}.
     */
    public void starveAfter(long timeoutNs) {
        starving = true;
        starveAtNs = System.nanoTime() + timeoutNs;
    }

    /** From now on {@link #more()} waits again. */
    public void starveNoMore() {
        starving = false;
        starved = false;
    }

    /** The number of bytes in the window. */
    public int length() {
        return limit - start;
    }

    public byte at(int offset) {
        return bytes[start + offset];
    }

    /** The array that holds the window, from {@link #arrayOffset()}; {@link #more()} changes both. */
    public byte[] array() {
        return bytes;
    }

    public int arrayOffset() {
        return start;
    }

    /** Bytes consumed since the start of the input. */
    public long consumedBytes() {
        return consumedBytes;
    }

    /** Whether the last {@link #more()} gave up; more may still arrive. */
    public boolean starved() {
        return starved;
    }

    /** Whether all of the input is in the window, or was. */
    public boolean ended() {
        return ended;
    }

    /** The offset of the first line feed from an offset on; {@link #length()} if none has arrived. */
    public int lineFeed(int from) {
        int end = limit;
        int at = start + from;
        while (end - at >= EightBytes.COUNT) {
            long found = EightBytes.equal(EightBytes.at(bytes, at), '\n');
            if (found != 0) {
                return at + EightBytes.before(found) - start;
            }
            at += EightBytes.COUNT;
        }
        while (at < end && bytes[at] != '\n') {
            at++;
        }
        return at - start;
    }

    /** Waits until the window has {@code count} bytes. False if the input ends before. */
    public boolean require(int count) throws IOException {
        while (length() < count) {
            if (!more()) {
                return false;
            }
        }
        return true;
    }

    /** Waits for at least one more byte. False at the end, on interruption, and when starved. */
    public boolean more() throws IOException {
        return more(Long.MAX_VALUE);
    }

    /** Like {@link #more()}, but waits at most {@code timeoutNs}; after false, more may still arrive. */
    public boolean more(long timeoutNs) throws IOException {
        if (ended || takenSince > InputPump.CHUNKS) {
            return false;
        }
        takenSince += interruption.requested() ? 1 : 0;
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

    /** Drops the first bytes. */
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

    /** Skips a byte order mark at the start of the input. */
    public void skipByteOrderMark() throws IOException {
        if (begins(BYTE_ORDER_MARK)) {
            consume(BYTE_ORDER_MARK.length);
        }
    }

    /** Whether the input begins with the byte order mark of UTF-16, which no text in UTF-8 does. */
    public boolean isUtf16() throws IOException {
        return begins(UTF_16_LITTLE_ENDIAN) || begins(UTF_16_BIG_ENDIAN);
    }

    /** Whether the input begins with these bytes; waits for a further one only while those before are equal. */
    boolean begins(byte[] mark) throws IOException {
        for (int i = 0; i < mark.length; i++) {
            if (!require(i + 1) || bytes[start + i] != mark[i]) {
                return false;
            }
        }
        return true;
    }

    /** Copies bytes of the window. */
    public byte[] copy(int offset, int count) {
        return Arrays.copyOfRange(bytes, start + offset, start + offset + count);
    }

    @Override
    public void close() {
        pump.close();
    }
}
