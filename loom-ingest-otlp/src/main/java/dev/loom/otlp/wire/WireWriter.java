package dev.loom.otlp.wire;

import org.agrona.MutableDirectBuffer;

/** Writes varints, which are protobuf's lengths and tags. */
public final class WireWriter {
    private static final int VARINT_BITS = 7;
    private static final long MORE = 0x80;

    private WireWriter() {}

    /** The length of a varint, 1 to 10 bytes. */
    public static int varintLength(long value) {
        return (Long.SIZE - Long.numberOfLeadingZeros(value | 1) + VARINT_BITS - 1) / VARINT_BITS;
    }

    /**
     * Writes a varint.
     *
     * @return the offset after it
     */
    public static int putVarint(MutableDirectBuffer buffer, int offset, long value) {
        long rest = value;
        int at = offset;
        while ((rest & -MORE) != 0) {
            buffer.putByte(at++, (byte) (rest | MORE));
            rest >>>= VARINT_BITS;
        }
        buffer.putByte(at++, (byte) rest);
        return at;
    }
}
