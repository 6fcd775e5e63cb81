package dev.loom.cli.pcap;

/** IPv4, IPv6 with its extension headers, and ARP. */
final class NetworkHeader {
    private static final int IPV4_LENGTH_MIN = 20;
    private static final int IPV4_TOTAL_LENGTH_OFFSET = 2;
    private static final int IPV4_FRAGMENT_OFFSET = 6;
    private static final int IPV4_PROTOCOL_OFFSET = 9;
    private static final int IPV4_SOURCE_OFFSET = 12;
    private static final int IPV4_DESTINATION_OFFSET = 16;
    private static final int IPV4_ADDRESS_LENGTH = 4;
    private static final int IPV4_FRAGMENT_MASK = 0x1FFF;

    private static final int IPV6_LENGTH = 40;
    private static final int IPV6_PAYLOAD_LENGTH_OFFSET = 4;
    private static final int IPV6_NEXT_HEADER_OFFSET = 6;
    private static final int IPV6_SOURCE_OFFSET = 8;
    private static final int IPV6_DESTINATION_OFFSET = 24;
    private static final int IPV6_ADDRESS_LENGTH = 16;
    private static final int IPV6_FRAGMENT_MASK = 0xFFF8;
    private static final int EXTENSION_LENGTH_UNIT = 8;
    private static final int EXTENSIONS_MAX = 16;

    private static final int HOP_BY_HOP = 0;
    private static final int ROUTING = 43;
    private static final int FRAGMENT = 44;
    private static final int AUTHENTICATION = 51;
    private static final int DESTINATION_OPTIONS = 60;

    private static final int ARP_ETHERNET_IPV4_LENGTH = 28;
    private static final int ARP_SENDER_OFFSET = 14;
    private static final int ARP_TARGET_OFFSET = 24;

    private NetworkHeader() {}

    static void ipv4(PacketHeaders into, PacketBytes packet, int at, long originalLength) {
        into.setProtocol("ip");
        if (packet.has(at, IPV4_SOURCE_OFFSET + IPV4_ADDRESS_LENGTH)) {
            AddressText.putIpv4(into.source(), packet, at + IPV4_SOURCE_OFFSET);
        }
        if (packet.has(at, IPV4_LENGTH_MIN)) {
            AddressText.putIpv4(into.destination(), packet, at + IPV4_DESTINATION_OFFSET);
        }
        if (!packet.has(at, IPV4_PROTOCOL_OFFSET + 1)) {
            return;
        }
        int protocol = packet.byteAt(at + IPV4_PROTOCOL_OFFSET);
        int headerLength = (packet.byteAt(at) & 0x0F) * Integer.BYTES;
        int totalLength = packet.shortAt(at + IPV4_TOTAL_LENGTH_OFFSET);
        // a card with segmentation offload leaves the length 0
        long length = (totalLength == 0 ? originalLength - at : totalLength) - headerLength;
        boolean first = (packet.shortAt(at + IPV4_FRAGMENT_OFFSET) & IPV4_FRAGMENT_MASK) == 0;
        if (first && headerLength >= IPV4_LENGTH_MIN) {
            TransportHeader.decode(into, protocol, packet, at + headerLength, length);
        } else {
            TransportHeader.name(into, protocol);
        }
    }

    static void ipv6(PacketHeaders into, PacketBytes packet, int at, long originalLength) {
        into.setProtocol("ip6");
        if (packet.has(at, IPV6_SOURCE_OFFSET + IPV6_ADDRESS_LENGTH)) {
            AddressText.putIpv6(into.source(), packet, at + IPV6_SOURCE_OFFSET);
        }
        if (packet.has(at, IPV6_LENGTH)) {
            AddressText.putIpv6(into.destination(), packet, at + IPV6_DESTINATION_OFFSET);
        }
        if (packet.has(at, IPV6_NEXT_HEADER_OFFSET + 1)) {
            int payloadLength = packet.shortAt(at + IPV6_PAYLOAD_LENGTH_OFFSET);
            long end = payloadLength == 0 ? originalLength : at + IPV6_LENGTH + payloadLength;
            extensions(into, packet.byteAt(at + IPV6_NEXT_HEADER_OFFSET), packet, at + IPV6_LENGTH, end);
        }
    }

    private static void extensions(PacketHeaders into, int firstHeader, PacketBytes packet, int firstAt, long end) {
        int header = firstHeader;
        int at = firstAt;
        boolean first = true;
        for (int count = 0; count < EXTENSIONS_MAX && isExtension(header); count++) {
            if (!packet.has(at, Integer.BYTES)) {
                TransportHeader.name(into, header);
                return;
            }
            int extension = header;
            header = packet.byteAt(at);
            int lengthField = packet.byteAt(at + 1);
            if (extension == FRAGMENT) {
                first = (packet.shortAt(at + 2) & IPV6_FRAGMENT_MASK) == 0;
                at += EXTENSION_LENGTH_UNIT;
            } else if (extension == AUTHENTICATION) {
                at += (lengthField + 2) * Integer.BYTES;
            } else {
                at += (lengthField + 1) * EXTENSION_LENGTH_UNIT;
            }
        }
        if (first) {
            TransportHeader.decode(into, header, packet, at, end - at);
        } else {
            TransportHeader.name(into, header);
        }
    }

    private static boolean isExtension(int header) {
        return switch (header) {
            case HOP_BY_HOP, ROUTING, FRAGMENT, AUTHENTICATION, DESTINATION_OPTIONS -> true;
            default -> false;
        };
    }

    /** Reads the sender and the target of ARP for IPv4 over Ethernet. */
    static void arp(PacketHeaders into, PacketBytes packet, int at) {
        into.setProtocol("arp");
        if (packet.has(at, ARP_ETHERNET_IPV4_LENGTH) && packet.shortAt(at + 4) == 0x0604) {
            AddressText.putIpv4(into.source(), packet, at + ARP_SENDER_OFFSET);
            AddressText.putIpv4(into.destination(), packet, at + ARP_TARGET_OFFSET);
        }
    }
}
