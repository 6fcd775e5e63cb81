package dev.loom.cli.pcap;

/** A packet's bytes, read in network byte order. Only {@link #has} checks offsets. */
public final class PacketBytes {
    private byte[] array;
    private int start;
    private int length;

    PacketBytes(byte[] array, int start, int length) {
        this.array = array;
        this.start = start;
        this.length = length;
    }

    PacketBytes wrap(byte[] newArray, int newStart, int newLength) {
        array = newArray;
        start = newStart;
        length = newLength;
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
        return (byteAt(offset) << 8) | byteAt(offset + 1);
    }

    int intAt(int offset) {
        return (shortAt(offset) << 16) | shortAt(offset + 2);
    }

    long unsignedIntAt(int offset) {
        return intAt(offset) & 0xFFFF_FFFFL;
    }
}
