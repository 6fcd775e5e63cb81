package dev.loom.cli.pcap;

import dev.loom.cli.input.InputWindow;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A pcapng file: sections, each of its own byte order, with interfaces, and packets in enhanced, simple or obsolete packet
 * blocks. Other blocks are skipped.
 *
 * <pre>
 *  block:     type(4) length(4) body length(4)
 *  section:   byte-order magic(4) major(2) minor(2) section length(8) options
 *  interface: link type(2) reserved(2) snapshot length(4) options
 *  enhanced:  interface(4) time high(4) time low(4) captured length(4) original length(4) bytes options
 *  simple:    original length(4) bytes
 *  obsolete:  interface(2) drops(2) time high(4) time low(4) captured length(4) original length(4) bytes options
 * </pre>
 */
final class PcapngCapture extends Capture {
    static final int SECTION_HEADER = 0x0A0D0D0A;

    /** A longer packet means damage: no medium has packets this long. */
    static final int PACKET_LENGTH_MAX = 16 * 1024 * 1024 - 1024;

    static final int INTERFACE = 1;
    private static final int OBSOLETE_PACKET = 2;
    private static final int SIMPLE_PACKET = 3;
    static final int ENHANCED_PACKET = 6;

    /** The interfaces of a section; a packet names its own by a number of 16 or 32 bits. */
    private static final int INTERFACES_MAX = 1 << 16;

    private static final int BYTE_ORDER_MAGIC = 0x1A2B3C4D;
    private static final int BLOCK_LENGTH_MAX = PACKET_LENGTH_MAX + 1024;
    private static final int BLOCK_FRAME_LENGTH = 12;
    private static final int BODY_OFFSET = 8;

    private final List<CaptureInterface> interfaces = new ArrayList<>();
    private final PacketBytes block = new PacketBytes(new byte[0], 0, 0);
    private boolean littleEndian;

    PcapngCapture(InputWindow window) {
        super(window);
    }

    @Override
    public boolean next() throws IOException, CaptureException {
        while (true) {
            window.consume(consumed);
            consumed = 0;
            if (!window.require(1)) {
                return false;
            }
            switch (readBlock()) {
                case INTERFACE -> {
                    if (interfaces.size() == INTERFACES_MAX) {
                        throw new CaptureException("section has too many interfaces: max=" + INTERFACES_MAX);
                    }
                    interfaces.add(CaptureInterface.read(block, BODY_OFFSET));
                }
                case ENHANCED_PACKET -> {
                    takePacket(interfaceAt(block.unsignedIntAt(BODY_OFFSET)), BODY_OFFSET + 4);
                    return true;
                }
                case OBSOLETE_PACKET -> {
                    takePacket(interfaceAt(block.shortAt(BODY_OFFSET)), BODY_OFFSET + 4);
                    return true;
                }
                case SIMPLE_PACKET -> {
                    takeSimplePacket();
                    return true;
                }
                default -> {
                    // statistics, name resolution and so on
                }
            }
        }
    }

    /** Moves to the next block; returns its type. */
    private int readBlock() throws IOException, CaptureException {
        requireWhole(BLOCK_FRAME_LENGTH);
        block.wrap(window.array(), window.arrayOffset(), BLOCK_FRAME_LENGTH, littleEndian);
        int type = block.intAt(0);
        if (type == SECTION_HEADER) {
            beginSection();
        }
        long length = block.unsignedIntAt(Integer.BYTES);
        if (length < BLOCK_FRAME_LENGTH || length > BLOCK_LENGTH_MAX || length % Integer.BYTES != 0) {
            throw new CaptureException("block has a bad length: length=" + length + ", after packet=" + number);
        }
        consumed = (int) length;
        requireWhole(consumed);
        block.wrap(window.array(), window.arrayOffset(), consumed, littleEndian);
        long trailing = block.unsignedIntAt(consumed - Integer.BYTES);
        if (trailing != length) {
            throw new CaptureException("block's two lengths differ: first=" + length + ", second=" + trailing
                    + ", after packet=" + number);
        }
        return type;
    }

    private void beginSection() throws CaptureException {
        int magic = new PacketBytes(window.array(), window.arrayOffset() + BODY_OFFSET, Integer.BYTES).intAt(0);
        if (magic != BYTE_ORDER_MAGIC && magic != Integer.reverseBytes(BYTE_ORDER_MAGIC)) {
            throw new CaptureException("section has a bad byte-order magic: magic=0x" + Integer.toHexString(magic));
        }
        littleEndian = magic != BYTE_ORDER_MAGIC;
        interfaces.clear();
        block.wrap(window.array(), window.arrayOffset(), BLOCK_FRAME_LENGTH, littleEndian);
    }

    private CaptureInterface interfaceAt(long index) throws CaptureException {
        if (index >= interfaces.size()) {
            throw new CaptureException(
                    "packet names an unknown interface: interface=" + index + ", interfaces=" + interfaces.size());
        }
        return interfaces.get((int) index);
    }

    private void takePacket(CaptureInterface from, int timeOffset) throws CaptureException {
        number++;
        int bytesOffset = timeOffset + 16;
        requireInBlock(bytesOffset);
        timeNs = from.timeNs((block.unsignedIntAt(timeOffset) << Integer.SIZE) | block.unsignedIntAt(timeOffset + 4));
        originalLength = block.unsignedIntAt(timeOffset + 12);
        take(from, bytesOffset, block.unsignedIntAt(timeOffset + 8));
    }

    private void takeSimplePacket() throws CaptureException {
        number++;
        CaptureInterface from = interfaceAt(0);
        int bytesOffset = BODY_OFFSET + Integer.BYTES;
        requireInBlock(bytesOffset);
        timeNs = NO_TIME;
        originalLength = block.unsignedIntAt(BODY_OFFSET);
        long room = (long) block.length() - Integer.BYTES - bytesOffset;
        long snapshotLength = from.snapshotLength() == 0 ? Long.MAX_VALUE : from.snapshotLength();
        take(from, bytesOffset, Math.min(room, Math.min(originalLength, snapshotLength)));
    }

    private void take(CaptureInterface from, int bytesOffset, long captured) throws CaptureException {
        requireInBlock(bytesOffset + captured);
        linkType = from.linkType();
        interfaceName = from.name();
        bytes.wrap(window.array(), window.arrayOffset() + bytesOffset, (int) captured, false);
    }

    private void requireInBlock(long end) throws CaptureException {
        int room = block.length() - Integer.BYTES;
        if (end > room) {
            throw new CaptureException("packet reaches past its block: end=" + end + ", block=" + room);
        }
    }

    private void requireWhole(int count) throws IOException, CaptureException {
        if (!window.require(count)) {
            consumed = window.length();
            throw new CaptureException(
                    "file ends within a block: bytes=" + consumed + ", expected=" + count + ", after packet=" + number);
        }
    }
}
