package dev.loom.cli.pcap;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.loom.server.text.TextBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PacketHeadersTest {
    private static final String ETHERNET = "0242ac110002" + "0242ac110003";
    /** 10.0.0.1 to 10.0.0.2; 52 bytes in all, of which 12 are the transport's payload. */
    private static final String IPV4_TCP = "45000034abcd40004006ffff" + "0a000001" + "0a000002";

    private static final String TCP = "a08a18ff" + "31e0ca5c" + "d61db679" + "5018" + "ffd7" + "00000000";
    private static final String TCP_TEXT = "tcp 10.0.0.1:41098 > 10.0.0.2:6399 24 PSH,ACK 836815452 3592271481 12";
    private static final String IPV6_ADDRESSES =
            "20010db8000000000000000000000001" + "fe800000000000000000000000000002";
    private static final String PAYLOAD = "000102030405060708090a0b";

    @Test
    void shouldReadTcpOverIpv4OverEthernet() {
        assertEquals(TCP_TEXT, decode(LinkHeader.ETHERNET, ETHERNET + "0800" + IPV4_TCP + TCP + PAYLOAD));
    }

    @Test
    void shouldPassOverVlanTags() {
        String tags = "88a80064" + "81000065";
        assertEquals(TCP_TEXT, decode(LinkHeader.ETHERNET, ETHERNET + tags + "0800" + IPV4_TCP + TCP + PAYLOAD));
    }

    @ParameterizedTest
    @CsvSource({
        "113, 0000030400060000000000000000" + "0800",
        "276, 0800" + "0000000000010304060000000000000000" + "00",
        "101, ''",
        "12, ''",
        "14, ''",
        "228, ''",
        "0, 02000000",
        "0, 00000002",
        "108, 00000002"
    })
    void shouldReadEveryLinkType(int linkType, String linkHeader) {
        assertEquals(TCP_TEXT, decode(linkType, linkHeader + IPV4_TCP + TCP + PAYLOAD));
    }

    @Test
    void shouldReadUdpOverIpv6() {
        String udp = "0035" + "d431" + "0014" + "0000";
        assertEquals(
                "udp 2001:db8::1:53 > fe80::2:54321 -1  -1 -1 12",
                decode(LinkHeader.RAW, "600000000014" + "1140" + IPV6_ADDRESSES + udp + PAYLOAD));
    }

    @Test
    void shouldWalkIpv6ExtensionHeaders() {
        String hopByHop = "2b00" + "010400000000";
        String routing = "3c00" + "000000000000";
        String destination = "3300" + "010400000000";
        String authentication = "2c04" + "0000" + "00".repeat(20);
        String fragmentFirst = "0600" + "0001" + "00000007";
        String extensions = hopByHop + routing + destination + authentication + fragmentFirst;
        int length = extensions.length() / 2 + 32;
        String ip = "60000000" + String.format("%04x", length) + "0040" + IPV6_ADDRESSES;
        assertEquals(
                "tcp 2001:db8::1:41098 > fe80::2:6399 24 PSH,ACK 836815452 3592271481 12",
                decode(LinkHeader.IPV6, ip + extensions + TCP + PAYLOAD));
    }

    @Test
    void shouldNotTakeALaterFragmentsBytesForPorts() {
        String laterIpv4 = IPV4_TCP.replace("abcd4000", "abcd0010");
        assertEquals("tcp 10.0.0.1:-1 > 10.0.0.2:-1 -1  -1 -1 -1", decode(LinkHeader.RAW, laterIpv4 + TCP + PAYLOAD));
        String laterIpv6 = "60000000" + "0028" + "2c40" + IPV6_ADDRESSES + "0600" + "0008" + "00000007";
        assertEquals("tcp 2001:db8::1:-1 > fe80::2:-1 -1  -1 -1 -1", decode(LinkHeader.RAW, laterIpv6 + TCP + PAYLOAD));
    }

    @Test
    void shouldNameWhatIsNeitherTcpNorUdp() {
        assertEquals("icmp 10.0.0.1:-1 > 10.0.0.2:-1 -1  -1 -1 -1", decode(LinkHeader.RAW, ipv4("01") + "0800"));
        assertEquals("sctp 10.0.0.1:1 > 10.0.0.2:2 -1  -1 -1 -1", decode(LinkHeader.RAW, ipv4("84") + "00010002"));
        assertEquals("ip-200 10.0.0.1:-1 > 10.0.0.2:-1 -1  -1 -1 -1", decode(LinkHeader.RAW, ipv4("c8") + TCP));
        assertEquals("eth-0x88cc :-1 > :-1 -1  -1 -1 -1", decode(LinkHeader.ETHERNET, ETHERNET + "88cc0207"));
        assertEquals("llc :-1 > :-1 -1  -1 -1 -1", decode(LinkHeader.ETHERNET, ETHERNET + "0026424203"));
        assertEquals("link-147 :-1 > :-1 -1  -1 -1 -1", decode(147, "00"));
    }

    private static String ipv4(String protocol) {
        return IPV4_TCP.replace("4006ffff", "40" + protocol + "ffff");
    }

    @Test
    void shouldReadWhoAsksByArp() {
        String arp = "0001080006040001" + "0242ac110002" + "0a000001" + "000000000000" + "0a000002";
        assertEquals(
                "arp 10.0.0.1:-1 > 10.0.0.2:-1 -1  -1 -1 -1", decode(LinkHeader.ETHERNET, ETHERNET + "0806" + arp));
    }

    @Test
    void shouldTakeTheWiresLengthWhenTheHeaderHasNone() {
        String segmentedByTheCard = IPV4_TCP.replace("45000034", "45000000");
        assertEquals(TCP_TEXT, decode(LinkHeader.RAW, segmentedByTheCard + TCP + PAYLOAD));
    }

    @ParameterizedTest
    @CsvSource({
        "00000000000000000000000000000000, ::",
        "00000000000000000000000000000001, ::1",
        "00010000000000000000000000000000, 1::",
        "20010db8000000010001000100010001, 2001:db8:0:1:1:1:1:1",
        "20010000000000010000000000000001, 2001:0:0:1::1",
        "20010db8000000000001000000000001, 2001:db8::1:0:0:1",
        "abcdef0100100200300040005678000f, abcd:ef01:10:200:3000:4000:5678:f"
    })
    void shouldWriteIpv6AddressesByRfc5952(String hex, String text) {
        TextBuffer into = new TextBuffer(8);
        byte[] bytes = HexFormat.of().parseHex(hex);
        AddressText.putIpv6(into, new PacketBytes(bytes, 0, bytes.length), 0);
        assertEquals(text, into.toString());
    }

    @Test
    void shouldGiveWhatWasCapturedOfAPacketCutAtAnyLength() {
        byte[] whole = HexFormat.of().parseHex(ETHERNET + "0800" + IPV4_TCP + TCP + PAYLOAD);
        List<String> seen = new ArrayList<>();
        for (int length = 0; length <= whole.length; length++) {
            String text = decode(LinkHeader.ETHERNET, whole, length);
            if (seen.isEmpty() || !seen.get(seen.size() - 1).equals(text)) {
                seen.add(text);
            }
        }
        assertEquals(
                List.of(
                        " :-1 > :-1 -1  -1 -1 -1",
                        "ip :-1 > :-1 -1  -1 -1 -1",
                        "tcp :-1 > :-1 -1  -1 -1 -1",
                        "tcp 10.0.0.1:-1 > :-1 -1  -1 -1 -1",
                        "tcp 10.0.0.1:-1 > 10.0.0.2:-1 -1  -1 -1 -1",
                        "tcp 10.0.0.1:41098 > 10.0.0.2:6399 -1  -1 -1 -1",
                        "tcp 10.0.0.1:41098 > 10.0.0.2:6399 -1  836815452 -1 -1",
                        "tcp 10.0.0.1:41098 > 10.0.0.2:6399 -1  836815452 3592271481 -1",
                        "tcp 10.0.0.1:41098 > 10.0.0.2:6399 -1  836815452 3592271481 12",
                        TCP_TEXT),
                seen);
    }

    @Test
    void shouldReadNothingPastTheEndOfAnyBytes() {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        Random random = new Random(seed);
        int[] linkTypes = {0, 1, 12, 101, 108, 113, 228, 229, 276, 9};
        byte[] template = HexFormat.of().parseHex("600000000014" + "0040" + IPV6_ADDRESSES + "2b00" + PAYLOAD + TCP);
        for (int round = 0; round < 100_000; round++) {
            byte[] bytes = template.clone();
            for (int flips = random.nextInt(8); flips >= 0; flips--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            decode(linkTypes[random.nextInt(linkTypes.length)], bytes, random.nextInt(bytes.length + 1));
        }
    }

    private static String decode(int linkType, String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex);
        return decode(linkType, bytes, bytes.length);
    }

    /** The array ends with the packet, so that reading past it fails. */
    private static String decode(int linkType, byte[] bytes, int length) {
        byte[] packet = new byte[length + 3];
        System.arraycopy(bytes, 0, packet, 3, length);
        PacketHeaders headers = new PacketHeaders();
        headers.decode(linkType, new PacketBytes(packet, 3, length), bytes.length);
        return headers.protocol() + " " + headers.source() + ":" + headers.sourcePort() + " > " + headers.destination()
                + ":" + headers.destinationPort() + " " + headers.tcpFlags() + " " + headers.flagNames() + " "
                + headers.sequence() + " " + headers.acknowledgement() + " " + headers.payloadLength();
    }
}
