package dev.loom.otlp.json;

import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Memory that moves with every growth, up to a limit. */
final class ArrayTarget implements JsonTarget {
    private final int lengthMax;
    private byte[] bytes = {};
    private int moves;

    ArrayTarget(int lengthMax) {
        this.lengthMax = lengthMax;
    }

    byte[] message(int length) {
        byte[] message = new byte[length];
        buffer().getBytes(offset(), message);
        return message;
    }

    @Override
    public MutableDirectBuffer buffer() {
        return new UnsafeBuffer(bytes);
    }

    @Override
    public int offset() {
        return moves % 7;
    }

    @Override
    public boolean ensure(int length) {
        if (length > lengthMax) {
            return false;
        }
        if (offset() + length > bytes.length) {
            byte[] old = bytes;
            int oldOffset = offset();
            moves++;
            bytes = new byte[2 * length + 7];
            System.arraycopy(old, oldOffset, bytes, offset(), old.length - oldOffset);
        }
        return true;
    }
}
