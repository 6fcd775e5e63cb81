package dev.loom.cli.pcap;

import dev.loom.cli.input.InputWindow;
import java.io.IOException;

/** A cursor over the packets of a capture file. Accessors are valid until the next {@link #next()}. For one thread. */
public abstract class Capture {
    /** {@link #timeNs()} of a packet that was captured without a time. */
    public static final long NO_TIME = Long.MIN_VALUE;

    final InputWindow window;
    final PacketBytes bytes = new PacketBytes(new byte[0], 0, 0);
    /** Bytes of the window that {@link #next()} passes over first. */
    int consumed;

    long number;
    long timeNs;
    long originalLength;
    int linkType;
    String interfaceName = "";

    Capture(InputWindow window) {
        this.window = window;
    }

    /**
     * Recognises a capture by its first bytes and opens it.
     *
     * @throws CaptureException if the format is unknown
     */
    public static Capture open(InputWindow window) throws IOException, CaptureException {
        if (!window.require(Integer.BYTES)) {
            throw new CaptureException("not a capture: file is shorter than 4 bytes");
        }
        PacketBytes magic = new PacketBytes(window.array(), window.arrayOffset(), Integer.BYTES);
        return magic.intAt(0) == PcapngCapture.SECTION_HEADER ? new PcapngCapture(window) : PcapCapture.of(window);
    }

    /**
     * Moves to the next packet. False at the end, if that follows a complete packet.
     *
     * @throws CaptureException if the file is damaged or ends within a packet
     */
    public abstract boolean next() throws IOException, CaptureException;

    /** Number of the packet in the file, from 1. */
    public final long number() {
        return number;
    }

    /** When the packet was captured, epoch nanoseconds, or {@link #NO_TIME}. */
    public final long timeNs() {
        return timeNs;
    }

    /** The packet's length on the wire. */
    public final long originalLength() {
        return originalLength;
    }

    /** Link type of the first header, as in the tcpdump group's list. */
    public final int linkType() {
        return linkType;
    }

    /** Name of the interface that captured the packet, empty if the file doesn't say. */
    public final String interfaceName() {
        return interfaceName;
    }

    /** The captured bytes. */
    public final PacketBytes bytes() {
        return bytes;
    }
}
