package dev.loom.cli.input;

import java.io.InputStream;
import java.util.Random;

/** Bytes that arrive in pieces of random size, as out of a pipe. */
public final class TrickleStream extends InputStream {
    private final byte[] bytes;
    private final Random random;
    private final int pieceMax;
    private int position;

    public TrickleStream(byte[] bytes, Random random, int pieceMax) {
        this.bytes = bytes.clone();
        this.random = random;
        this.pieceMax = pieceMax;
    }

    @Override
    public int read() {
        return position == bytes.length ? -1 : bytes[position++] & 0xFF;
    }

    @Override
    public int read(byte[] into, int offset, int length) {
        if (position == bytes.length) {
            return -1;
        }
        int count = Math.min(Math.min(length, 1 + random.nextInt(pieceMax)), bytes.length - position);
        System.arraycopy(bytes, position, into, offset, count);
        position += count;
        return count;
    }
}
