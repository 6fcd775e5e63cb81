package dev.loom.cli.pcap;

import dev.loom.cli.input.InputWindow;
import java.io.IOException;

/**
 * A classic pcap file, of either byte order, in micro- or nanoseconds.
 *
 * <pre>
 *  file:   magic(4) major(2) minor(2) zone(4) accuracy(4) snapshot length(4) link type(4)
 *  packet: seconds(4) fraction(4) captured length(4) original length(4) bytes
 * </pre>
 */
final class PcapCapture extends Capture {
    private static final int MICROSECONDS = 0xA1B2C3D4;
    private static final int NANOSECONDS = 0xA1B23C4D;
    private static final int FILE_HEADER_LENGTH = 24;
    private static final int LINK_TYPE_OFFSET = 20;
    private static final int PACKET_HEADER_LENGTH = 16;
    private static final int FRACTION_OFFSET = 4;
    private static final int CAPTURED_OFFSET = 8;
    private static final int ORIGINAL_OFFSET = 12;

    /** The link type's upper bits describe a frame check sequence. */
    private static final int LINK_TYPE_MASK = 0xFFFF;

    private static final long NS_PER_SECOND = 1_000_000_000L;

    private final boolean littleEndian;
    private final long nsPerFraction;
    private final PacketBytes header = new PacketBytes(new byte[0], 0, 0);

    private PcapCapture(InputWindow window, boolean littleEndian, long nsPerFraction) {
        super(window);
        this.littleEndian = littleEndian;
        this.nsPerFraction = nsPerFraction;
        linkType = wrapHeader(FILE_HEADER_LENGTH).intAt(LINK_TYPE_OFFSET) & LINK_TYPE_MASK;
        consumed = FILE_HEADER_LENGTH;
    }

    static PcapCapture of(InputWindow window) throws IOException, CaptureException {
        int magic = new PacketBytes(window.array(), window.arrayOffset(), Integer.BYTES).intAt(0);
        boolean littleEndian = magic != MICROSECONDS && magic != NANOSECONDS;
        int kind = littleEndian ? Integer.reverseBytes(magic) : magic;
        if (kind != MICROSECONDS && kind != NANOSECONDS) {
            throw new CaptureException(
                    "not a capture: magic=0x" + Integer.toHexString(magic) + ", expected pcap or pcapng");
        } else if (!window.require(FILE_HEADER_LENGTH)) {
            throw new CaptureException("not a capture: file is shorter than " + FILE_HEADER_LENGTH + " bytes");
        }
        return new PcapCapture(window, littleEndian, kind == MICROSECONDS ? 1_000 : 1);
    }

    @Override
    public boolean next() throws IOException, CaptureException {
        window.consume(consumed);
        consumed = 0;
        if (!window.require(1)) {
            return false;
        }
        number++;
        requireWhole(PACKET_HEADER_LENGTH);
        PacketBytes packet = wrapHeader(PACKET_HEADER_LENGTH);
        timeNs = packet.unsignedIntAt(0) * NS_PER_SECOND + packet.unsignedIntAt(FRACTION_OFFSET) * nsPerFraction;
        originalLength = packet.unsignedIntAt(ORIGINAL_OFFSET);
        long captured = packet.unsignedIntAt(CAPTURED_OFFSET);
        if (captured > PcapngCapture.PACKET_LENGTH_MAX) {
            throw new CaptureException("packet is too long: captured=" + captured);
        }
        consumed = PACKET_HEADER_LENGTH + (int) captured;
        requireWhole(consumed);
        bytes.wrap(window.array(), window.arrayOffset() + PACKET_HEADER_LENGTH, (int) captured, false);
        return true;
    }

    private void requireWhole(int count) throws IOException, CaptureException {
        if (!window.require(count)) {
            consumed = window.length();
            throw new CaptureException("file ends within the packet: bytes=" + consumed + ", expected=" + count);
        }
    }

    private PacketBytes wrapHeader(int length) {
        return header.wrap(window.array(), window.arrayOffset(), length, littleEndian);
    }
}
