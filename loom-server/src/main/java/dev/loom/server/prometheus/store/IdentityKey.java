package dev.loom.server.prometheus.store;

import dev.loom.format.FieldValue;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** The bytes of some values, one behind the other. A copy can be a key. For one thread. */
final class IdentityKey {
    private static final int FEW = 256;

    /** Odd, and known to nobody outside, so that nobody can send points of one hash. Of all keys, since maps hold those of several readers. */
    private static final long MULTIPLIER = new SplittableRandom().nextLong() | 1;

    private byte[] bytes;
    private int length;
    private int hash;

    IdentityKey() {
        this(new byte[FEW], 0, 0);
    }

    private IdentityKey(byte[] bytes, int length, int hash) {
        this.bytes = bytes;
        this.length = length;
        this.hash = hash;
    }

    void clear() {
        length = 0;
    }

    /** Appends a value: what it is, and of a text its length and bytes. */
    void add(FieldValue value) {
        reserve(1 + Long.BYTES);
        switch (value.kind()) {
            case ABSENT -> bytes[length++] = 0;
            case TEXT -> addBytes(1, value);
            case JSON -> addBytes(2, value);
            case BYTES -> addBytes(3, value);
            case BOOLEAN, INTEGER, UNSIGNED -> addLong(4, value.longValue());
            case DOUBLE -> addLong(5, Double.doubleToLongBits(value.doubleValue()));
        }
    }

    private void addLong(int kind, long number) {
        bytes[length++] = (byte) kind;
        for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
            bytes[length++] = (byte) (number >>> shift);
        }
    }

    private void addBytes(int kind, FieldValue value) {
        addLong(kind, value.length());
        reserve(value.length());
        value.bytes().getBytes(value.offset(), bytes, length, value.length());
        length += value.length();
    }

    private void reserve(int more) {
        if (length + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, 2 * (length + more));
        }
    }

    /** Ends the appending. */
    void end() {
        long state = length;
        for (int i = 0; i < length; i++) {
            state = (state + bytes[i]) * MULTIPLIER;
            state ^= state >>> Integer.SIZE; // products alone agree for some texts, whatever the multiplier
        }
        hash = (int) (state >>> Integer.SIZE);
    }

    int length() {
        return length;
    }

    IdentityKey copy() {
        return new IdentityKey(Arrays.copyOf(bytes, length), length, hash);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof IdentityKey that
                && hash == that.hash
                && Arrays.equals(bytes, 0, length, that.bytes, 0, that.length);
    }

    @Override
    public int hashCode() {
        return hash;
    }
}
