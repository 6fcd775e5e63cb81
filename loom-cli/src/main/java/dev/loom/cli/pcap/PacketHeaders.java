package dev.loom.cli.pcap;

import dev.loom.server.text.TextBuffer;

/**
 * The fields of one packet's headers. A field that was not captured is {@link #ABSENT} or empty. Reused from packet to packet.
 * For one thread.
 */
public final class PacketHeaders {
    public static final int ABSENT = -1;

    private final TextBuffer protocol = new TextBuffer(16);
    private final TextBuffer source = new TextBuffer(48);
    private final TextBuffer destination = new TextBuffer(48);
    private final TextBuffer flagNames = new TextBuffer(32);
    int sourcePort;
    int destinationPort;
    private int tcpFlags;
    long sequence;
    long acknowledgement;
    private long payloadLength;

    /** Decodes a packet's headers. */
    public void decode(int linkType, PacketBytes packet, long originalLength) {
        clear();
        LinkHeader.decode(this, linkType, packet, originalLength);
    }

    private void clear() {
        protocol.clear();
        source.clear();
        destination.clear();
        flagNames.clear();
        sourcePort = ABSENT;
        destinationPort = ABSENT;
        tcpFlags = ABSENT;
        sequence = ABSENT;
        acknowledgement = ABSENT;
        payloadLength = ABSENT;
    }

    /** The highest protocol recognised, in lower case, such as {@code tcp}, {@code icmp6}, {@code arp}. */
    public TextBuffer protocol() {
        return protocol;
    }

    /** Address of the network layer. */
    public TextBuffer source() {
        return source;
    }

    public TextBuffer destination() {
        return destination;
    }

    public int sourcePort() {
        return sourcePort;
    }

    public int destinationPort() {
        return destinationPort;
    }

    /** TCP's eight flag bits; FIN is the lowest. */
    public int tcpFlags() {
        return tcpFlags;
    }

    /** The names of the flags that are set, such as {@code SYN,ACK}. */
    public TextBuffer flagNames() {
        return flagNames;
    }

    public long sequence() {
        return sequence;
    }

    public long acknowledgement() {
        return acknowledgement;
    }

    /** Bytes of transport payload, captured or not. */
    public long payloadLength() {
        return payloadLength;
    }

    void setProtocol(String name) {
        protocol.clear();
        protocol.put(name);
    }

    void setTcpFlags(int flags) {
        tcpFlags = flags;
        TransportHeader.putFlagNames(flags, flagNames);
    }

    void setPayloadLength(long length) {
        payloadLength = Math.max(0, length);
    }
}
