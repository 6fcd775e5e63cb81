package dev.loom.cli.pcap;

import dev.loom.server.text.TextBuffer;

/** Addresses as text. */
final class AddressText {
    private static final int IPV4_BYTES = 4;
    private static final int IPV6_GROUPS = 8;

    private AddressText() {}

    static void putIpv4(TextBuffer into, PacketBytes packet, int at) {
        for (int i = 0; i < IPV4_BYTES; i++) {
            if (i > 0) {
                into.put('.');
            }
            into.putLong(packet.byteAt(at + i));
        }
    }

    /** Writes IPv6 by RFC 5952: groups without leading zeros, the longest run of two or more zero groups as two colons. */
    static void putIpv6(TextBuffer into, PacketBytes packet, int at) {
        int runFrom = IPV6_GROUPS;
        int runLength = 1;
        for (int from = 0; from < IPV6_GROUPS; from++) {
            int length = zeroGroups(packet, at, from);
            if (length > runLength) {
                runFrom = from;
                runLength = length;
            }
        }
        for (int group = 0; group < IPV6_GROUPS; group++) {
            if (group == runFrom) {
                into.put(':');
                into.put(':');
                group += runLength - 1;
            } else {
                if (group > 0 && group != runFrom + runLength) {
                    into.put(':');
                }
                into.put(Integer.toHexString(packet.shortAt(at + group * Short.BYTES)));
            }
        }
    }

    private static int zeroGroups(PacketBytes packet, int at, int from) {
        int count = 0;
        while (from + count < IPV6_GROUPS && packet.shortAt(at + (from + count) * Short.BYTES) == 0) {
            count++;
        }
        return count;
    }
}
