/**
 * Packet captures: the files of tcpdump (classic pcap) and Wireshark (pcapng), and the headers of their packets.
 *
 * <p>They are read here because the maintained libraries bind the native libpcap, which an import must not require.
 */
@NullMarked
package dev.loom.cli.pcap;

import org.jspecify.annotations.NullMarked;
