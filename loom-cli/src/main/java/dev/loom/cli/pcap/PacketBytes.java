package dev.loom.cli.pcap;

/**
 * Bytes of a packet, or of a header in a capture file. In network byte order unless wrapped otherwise. Only {@link #has} checks
 * offsets.
 */
public final class PacketBytes {
    private byte[] array;
    private int start;
    private int length;
    private boolean littleEndian;

    PacketBytes(byte[] array, int start, int length) {
        this.array = array;
        this.start = start;
        this.length = length;
    }

    PacketBytes wrap(byte[] newArray, int newStart, int newLength, boolean little) {
        array = newArray;
        start = newStart;
        length = newLength;
        littleEndian = little;
        return this;
    }

    public byte[] array() {
        return array;
    }

    /** Offset of the first byte in {@link #array()}. */
    public int arrayOffset() {
        return start;
    }

    public int length() {
        return length;
    }

    boolean has(int offset, int count) {
        return offset >= 0 && offset <= length - count;
    }

    int byteAt(int offset) {
        return array[start + offset] & 0xFF;
    }

    int shortAt(int offset) {
        int first = byteAt(offset);
        int second = byteAt(offset + 1);
        return littleEndian ? (second << 8) | first : (first << 8) | second;
    }

    int intAt(int offset) {
        int first = shortAt(offset);
        int second = shortAt(offset + 2);
        return littleEndian ? (second << 16) | first : (first << 16) | second;
    }

    long unsignedIntAt(int offset) {
        return Integer.toUnsignedLong(intAt(offset));
    }

    long longAt(int offset) {
        long first = unsignedIntAt(offset);
        long second = unsignedIntAt(offset + Integer.BYTES);
        return littleEndian ? (second << Integer.SIZE) | first : (first << Integer.SIZE) | second;
    }
}
