package dev.loom.cli.pcap;

import dev.loom.server.text.DataOutput;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * Writes a pcapng file of enhanced packet blocks, little-endian, with times in nanoseconds. An interface is described before its
 * first packet, with a name if it has one. {@link PcapngCapture} has the layout. For one thread.
 */
public final class PcapngOutput {
    /** Then a new section begins, which describes the interfaces again, so that memory stays bounded. */
    static final int INTERFACES_MAX = 4096;

    /** A longer packet could not be imported again. */
    public static final int PACKET_LENGTH_MAX = PcapngCapture.PACKET_LENGTH_MAX;

    private static final int SECTION_LENGTH = 28;
    private static final int SECTION_MAGIC = 0x1A2B3C4D;
    private static final long LENGTH_UNKNOWN = -1;
    private static final int INTERFACE_LENGTH = 20;
    private static final int ENHANCED_LENGTH = 32;
    private static final int OPTION_HEADER_LENGTH = 4;
    private static final int NANOSECONDS = 9;
    private static final byte[] PADDING = new byte[3];

    private record Interface(int linkType, String name) {}

    private final DataOutput out;
    private final Map<Interface, Integer> interfaces = new HashMap<>();
    private final ByteBuffer head = ByteBuffer.allocate(64).order(ByteOrder.LITTLE_ENDIAN);
    private boolean begun;

    /** Writes nothing yet. */
    public PcapngOutput(DataOutput out) {
        this.out = out;
    }

    /** Writes the file's first block, which a file without packets needs too, unless it is written. */
    public void begin() {
        if (!begun) {
            begun = true;
            beginSection();
        }
    }

    private void beginSection() {
        interfaces.clear();
        head.putInt(PcapngCapture.SECTION_HEADER)
                .putInt(SECTION_LENGTH)
                .putInt(SECTION_MAGIC)
                .putShort((short) 1)
                .putShort((short) 0)
                .putLong(LENGTH_UNKNOWN)
                .putInt(SECTION_LENGTH);
        writeHead();
    }

    /**
     * Writes a packet.
     *
     * @param timeNs epoch nanoseconds; a negative number is one of more than 63 bits, as the file's times have no sign
     * @param linkType 0 to 65535
     * @param interfaceName empty if it has none; its first 255 characters are written
     * @param data begins with the packet's bytes
     * @param length how many there are, at most {@link #PACKET_LENGTH_MAX}
     * @param originalLength the packet's length on the wire, 32 bits
     */
    public void write(long timeNs, int linkType, String interfaceName, byte[] data, int length, long originalLength) {
        begin();
        int index = indexOf(linkType, interfaceName);
        int padded = padded(length);
        head.putInt(PcapngCapture.ENHANCED_PACKET)
                .putInt(ENHANCED_LENGTH + padded)
                .putInt(index)
                .putInt((int) (timeNs >>> Integer.SIZE))
                .putInt((int) timeNs)
                .putInt(length)
                .putInt((int) originalLength);
        writeHead();
        out.write(data, 0, length);
        out.write(PADDING, 0, padded - length);
        head.putInt(ENHANCED_LENGTH + padded);
        writeHead();
    }

    private int indexOf(int linkType, String name) {
        Interface of = new Interface(linkType, cut(name));
        Integer known = interfaces.get(of);
        if (known != null) {
            return known;
        }
        if (interfaces.size() == INTERFACES_MAX) {
            beginSection();
        }
        int index = interfaces.size();
        interfaces.put(of, index);
        describe(linkType, of.name.getBytes(StandardCharsets.UTF_8));
        return index;
    }

    /** A record may have a text of any length, and the names are kept. */
    private static String cut(String name) {
        int end = Math.min(name.length(), CaptureInterface.NAME_LENGTH_MAX);
        return name.substring(0, end > 0 && Character.isHighSurrogate(name.charAt(end - 1)) ? end - 1 : end);
    }

    private void describe(int linkType, byte[] name) {
        boolean named = name.length > 0;
        int nameLength = named ? OPTION_HEADER_LENGTH + padded(name.length) : 0;
        int length = INTERFACE_LENGTH + nameLength + 2 * OPTION_HEADER_LENGTH + padded(1);
        head.putInt(PcapngCapture.INTERFACE)
                .putInt(length)
                .putShort((short) linkType)
                .putShort((short) 0)
                .putInt(0);
        if (named) {
            head.putShort((short) CaptureInterface.NAME).putShort((short) name.length);
            writeHead();
            out.write(name, 0, name.length);
            out.write(PADDING, 0, padded(name.length) - name.length);
        }
        head.putShort((short) CaptureInterface.TIME_RESOLUTION).putShort((short) 1);
        head.put((byte) NANOSECONDS).put(PADDING);
        head.putInt(CaptureInterface.END_OF_OPTIONS).putInt(length);
        writeHead();
    }

    private static int padded(int length) {
        return (length + 3) & -4;
    }

    private void writeHead() {
        out.write(head.array(), 0, head.position());
        head.clear();
    }
}
