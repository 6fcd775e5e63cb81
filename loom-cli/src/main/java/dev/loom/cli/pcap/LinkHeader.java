package dev.loom.cli.pcap;

/** The first header of a packet, by the capture's link type. */
final class LinkHeader {
    static final int NULL = 0;
    static final int ETHERNET = 1;
    static final int RAW_BSD = 12;
    static final int RAW_OPENBSD = 14;
    static final int RAW = 101;
    static final int LOOP = 108;
    static final int LINUX_COOKED = 113;
    static final int IPV4 = 228;
    static final int IPV6 = 229;
    static final int LINUX_COOKED_2 = 276;

    private static final int TYPE_IPV4 = 0x0800;
    private static final int TYPE_ARP = 0x0806;
    private static final int TYPE_VLAN = 0x8100;
    private static final int TYPE_IPV6 = 0x86DD;
    private static final int TYPE_SERVICE_VLAN = 0x88A8;
    private static final int TYPE_OLD_SERVICE_VLAN = 0x9100;

    private static final int ETHERNET_TYPE_OFFSET = 12;
    private static final int COOKED_TYPE_OFFSET = 14;
    private static final int COOKED_2_LENGTH = 20;
    private static final int FAMILY_LENGTH = 4;
    private static final int FAMILY_IPV4 = 2;
    private static final int VLAN_TAG_LENGTH = 4;

    /** A smaller Ethernet type is a length, as in spanning-tree frames. */
    private static final int TYPE_MIN = 0x0600;

    private LinkHeader() {}

    static void decode(PacketHeaders into, int linkType, PacketBytes packet, long originalLength) {
        switch (linkType) {
            case ETHERNET -> typed(into, packet, ETHERNET_TYPE_OFFSET, originalLength);
            case LINUX_COOKED -> typed(into, packet, COOKED_TYPE_OFFSET, originalLength);
            case LINUX_COOKED_2 -> {
                if (packet.has(0, Short.BYTES)) {
                    byType(into, packet, packet.shortAt(0), COOKED_2_LENGTH, originalLength);
                }
            }
            case RAW, RAW_BSD, RAW_OPENBSD, IPV4, IPV6 -> byVersion(into, packet, 0, originalLength);
            case NULL, LOOP -> family(into, packet, originalLength);
            default -> into.setProtocol("link-" + linkType);
        }
    }

    /** Reads a two-byte type at the header's end, possibly after VLAN tags. */
    private static void typed(PacketHeaders into, PacketBytes packet, int typeOffset, long originalLength) {
        int at = typeOffset;
        while (packet.has(at, Short.BYTES) && isVlan(packet.shortAt(at))) {
            at += VLAN_TAG_LENGTH;
        }
        if (packet.has(at, Short.BYTES)) {
            byType(into, packet, packet.shortAt(at), at + Short.BYTES, originalLength);
        }
    }

    private static boolean isVlan(int type) {
        return type == TYPE_VLAN || type == TYPE_SERVICE_VLAN || type == TYPE_OLD_SERVICE_VLAN;
    }

    private static void byType(PacketHeaders into, PacketBytes packet, int type, int next, long originalLength) {
        switch (type) {
            case TYPE_IPV4 -> NetworkHeader.ipv4(into, packet, next, originalLength);
            case TYPE_IPV6 -> NetworkHeader.ipv6(into, packet, next, originalLength);
            case TYPE_ARP -> NetworkHeader.arp(into, packet, next);
            default -> into.setProtocol(type < TYPE_MIN ? "llc" : String.format("eth-0x%04x", type));
        }
    }

    /** Reads an address family: IPv6's number differs between systems, and the byte order between machines. */
    private static void family(PacketHeaders into, PacketBytes packet, long originalLength) {
        if (packet.has(0, FAMILY_LENGTH)) {
            int number = packet.intAt(0);
            int family = (number & 0xFFFF) == 0 ? Integer.reverseBytes(number) : number;
            switch (family) {
                case FAMILY_IPV4 -> NetworkHeader.ipv4(into, packet, FAMILY_LENGTH, originalLength);
                case 10, 24, 28, 30 -> NetworkHeader.ipv6(into, packet, FAMILY_LENGTH, originalLength);
                default -> into.setProtocol("family-" + family);
            }
        }
    }

    private static void byVersion(PacketHeaders into, PacketBytes packet, int at, long originalLength) {
        if (packet.has(at, 1)) {
            int version = packet.byteAt(at) >> 4;
            if (version == 6) {
                NetworkHeader.ipv6(into, packet, at, originalLength);
            } else {
                NetworkHeader.ipv4(into, packet, at, originalLength);
            }
        }
    }
}
