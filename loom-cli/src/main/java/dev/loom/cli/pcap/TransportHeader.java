package dev.loom.cli.pcap;

import dev.loom.server.text.TextBuffer;
import java.util.List;

/** TCP and UDP. For other protocols the name, and the ports if they are in the same place. */
final class TransportHeader {
    private static final int ICMP = 1;
    private static final int IGMP = 2;
    private static final int TCP = 6;
    private static final int UDP = 17;
    private static final int GRE = 47;
    private static final int ESP = 50;
    private static final int AH = 51;
    private static final int ICMP6 = 58;
    private static final int OSPF = 89;
    private static final int SCTP = 132;

    private static final int PORTS_LENGTH = 4;
    private static final int UDP_LENGTH_OFFSET = 4;
    private static final int UDP_HEADER_LENGTH = 8;
    private static final int TCP_SEQUENCE_OFFSET = 4;
    private static final int TCP_ACKNOWLEDGEMENT_OFFSET = 8;
    private static final int TCP_HEADER_LENGTH_OFFSET = 12;
    private static final int TCP_FLAGS_OFFSET = 13;

    /** From the lowest bit up. */
    private static final List<String> FLAG_NAMES = List.of("FIN", "SYN", "RST", "PSH", "ACK", "URG", "ECE", "CWR");

    private TransportHeader() {}

    /** Decodes the header at {@code at} of a datagram with {@code length} bytes from there on the wire. */
    static void decode(PacketHeaders into, int protocol, PacketBytes packet, int at, long length) {
        name(into, protocol);
        if (protocol == TCP || protocol == UDP || protocol == SCTP) {
            if (packet.has(at, PORTS_LENGTH)) {
                into.sourcePort = packet.shortAt(at);
                into.destinationPort = packet.shortAt(at + Short.BYTES);
            }
        }
        if (protocol == TCP) {
            tcp(into, packet, at, length);
        } else if (protocol == UDP && packet.has(at + UDP_LENGTH_OFFSET, Short.BYTES)) {
            int udpLength = packet.shortAt(at + UDP_LENGTH_OFFSET);
            into.setPayloadLength((udpLength == 0 ? length : udpLength) - UDP_HEADER_LENGTH);
        }
    }

    private static void tcp(PacketHeaders into, PacketBytes packet, int at, long length) {
        if (packet.has(at + TCP_SEQUENCE_OFFSET, Integer.BYTES)) {
            into.sequence = packet.unsignedIntAt(at + TCP_SEQUENCE_OFFSET);
        }
        if (packet.has(at + TCP_ACKNOWLEDGEMENT_OFFSET, Integer.BYTES)) {
            into.acknowledgement = packet.unsignedIntAt(at + TCP_ACKNOWLEDGEMENT_OFFSET);
        }
        if (packet.has(at + TCP_HEADER_LENGTH_OFFSET, 1)) {
            int headerWords = packet.byteAt(at + TCP_HEADER_LENGTH_OFFSET) >> 4;
            into.setPayloadLength(length - headerWords * (long) Integer.BYTES);
        }
        if (packet.has(at + TCP_FLAGS_OFFSET, 1)) {
            into.setTcpFlags(packet.byteAt(at + TCP_FLAGS_OFFSET));
        }
    }

    static void name(PacketHeaders into, int protocol) {
        into.setProtocol(
                switch (protocol) {
                    case ICMP -> "icmp";
                    case IGMP -> "igmp";
                    case TCP -> "tcp";
                    case UDP -> "udp";
                    case GRE -> "gre";
                    case ESP -> "esp";
                    case AH -> "ah";
                    case ICMP6 -> "icmp6";
                    case OSPF -> "ospf";
                    case SCTP -> "sctp";
                    default -> "ip-" + protocol;
                });
    }

    static void putFlagNames(int flags, TextBuffer into) {
        for (int bit = 0; bit < FLAG_NAMES.size(); bit++) {
            if ((flags & (1 << bit)) != 0) {
                if (into.length() > 0) {
                    into.put(',');
                }
                into.put(FLAG_NAMES.get(bit));
            }
        }
    }
}
