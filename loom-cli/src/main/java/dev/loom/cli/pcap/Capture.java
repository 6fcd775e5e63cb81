package dev.loom.cli.pcap;

import dev.loom.cli.input.InputWindow;
import java.io.IOException;

/** A cursor over the packets of a capture file. Accessors are valid until the next {@link #next()}. For one thread. */
public interface Capture {
    /** {@link #timeNs()} of a packet that was captured without a time. */
    long NO_TIME = Long.MIN_VALUE;

    /**
     * Recognises a capture by its first bytes and opens it.
     *
     * @throws CaptureException if the format is unknown
     */
    static Capture open(InputWindow window) throws IOException, CaptureException {
        if (!window.require(Integer.BYTES)) {
            throw new CaptureException("not a capture: file is shorter than 4 bytes");
        }
        PacketBytes magic = new PacketBytes(window.array(), window.arrayOffset(), Integer.BYTES);
        return magic.intAt(0) == PcapngCapture.SECTION_HEADER ? new PcapngCapture(window) : PcapCapture.open(window);
    }

    /**
     * Moves to the next packet. False at the end, if that follows a complete packet.
     *
     * @throws CaptureException if the file is damaged or ends within a packet
     */
    boolean next() throws IOException, CaptureException;

    /** Number of the packet in the file, from 1. */
    long number();

    /** When the packet was captured, epoch nanoseconds, or {@link #NO_TIME}. */
    long timeNs();

    /** The packet's length on the wire. */
    long originalLength();

    /** Link type of the first header, as in the tcpdump group's list. */
    int linkType();

    /** The captured bytes. */
    PacketBytes bytes();
}
