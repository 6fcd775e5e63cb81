package dev.loom.cli.pcap;

/** A pcapng block, read in its section's byte order. Callers must not read past its end. */
final class BlockBytes {
    private final PacketBytes bytes = new PacketBytes(new byte[0], 0, 0);
    private boolean littleEndian;

    void wrap(byte[] array, int start, int length, boolean little) {
        bytes.wrap(array, start, length);
        littleEndian = little;
    }

    int length() {
        return bytes.length();
    }

    int byteAt(int offset) {
        return bytes.byteAt(offset);
    }

    int unsignedShortAt(int offset) {
        int value = bytes.shortAt(offset);
        return littleEndian ? Short.toUnsignedInt(Short.reverseBytes((short) value)) : value;
    }

    int intAt(int offset) {
        int value = bytes.intAt(offset);
        return littleEndian ? Integer.reverseBytes(value) : value;
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
