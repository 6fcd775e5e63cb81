package dev.loom.cli.pcap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.cli.console.Interruption;
import dev.loom.cli.input.InputWindow;
import dev.loom.cli.input.TrickleStream;
import dev.loom.server.text.DataOutput;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CaptureTest {
    private static final byte[] PACKET = {1, 2, 3, 4, 5};

    /** Nanoseconds that were written as if they were microseconds, for example. */
    @Test
    void shouldGiveNoTimeToPacketsWhoseTimeNanosecondsCannotHold() {
        long beyond = 1_795_229_196_369_650_000L;
        long last = Long.MAX_VALUE / 1000;
        assertEquals(Capture.NO_TIME, new CaptureInterface(1, "", 0, 1_000_000, 0).timeNs(beyond));
        assertEquals(last * 1000, new CaptureInterface(1, "", 0, 1_000_000, 0).timeNs(last));
        assertEquals(Capture.NO_TIME, new CaptureInterface(1, "", 0, 1_000_000, 0).timeNs(last + 1));
        assertEquals(Capture.NO_TIME, new CaptureInterface(1, "", 0, 1_000_000, Long.MAX_VALUE).timeNs(1));
        assertEquals(-5, new CaptureInterface(1, "", 0, 1_000_000_000, 0).timeNs(-5), "before 1970");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldReadClassicPcapInEitherByteOrder(boolean littleEndian) throws Exception {
        ByteBuffer file = buffer(200, littleEndian);
        pcapHeader(file, 0xA1B2C3D4);
        pcapPacket(file, 1_795_229_193, 399_411, 5, 60);
        pcapPacket(file, 0xFFFF_FFFF, 999_999, 0, 0);
        assertEquals(
                List.of("1 1795229193399411000 60 1 0102030405", "2 4294967295999999000 0 1 "), read(written(file)));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldReadNanoseconds(boolean littleEndian) throws Exception {
        ByteBuffer file = buffer(200, littleEndian);
        pcapHeader(file, 0xA1B23C4D);
        pcapPacket(file, 1_795_229_193, 399_411_123, 2, 2);
        assertEquals(List.of("1 1795229193399411123 2 1 0102"), read(written(file)));
    }

    @Test
    void shouldRefuseWhatIsNoCapture() {
        assertEquals("not a capture: file is shorter than 4 bytes", refusal(new byte[] {1, 2}));
        assertEquals(
                "not a capture: magic=0x74735f6e, expected pcap or pcapng",
                refusal("ts_ns,op,key,latency_ns and more".getBytes(StandardCharsets.UTF_8)));
        ByteBuffer file = buffer(200, true);
        pcapHeader(file, 0xA1B2C3D4);
        assertEquals("not a capture: file is shorter than 24 bytes", refusal(Arrays.copyOf(written(file), 23)));
    }

    @Test
    void shouldTellAFileThatEndsWithinAPacket() throws Exception {
        ByteBuffer file = buffer(200, true);
        pcapHeader(file, 0xA1B2C3D4);
        pcapPacket(file, 1, 0, 5, 5);
        byte[] whole = written(file);
        for (int cut = 1; cut < 21; cut++) {
            byte[] bytes = Arrays.copyOf(whole, whole.length - cut);
            String expected = cut <= 5
                    ? "file ends within the packet: bytes=" + (21 - cut) + ", expected=21"
                    : "file ends within the packet: bytes=" + (21 - cut) + ", expected=16";
            assertEquals(expected, refusal(bytes));
        }
        assertEquals(List.of(), read(Arrays.copyOf(whole, 24)));
    }

    @Test
    void shouldRefuseAPacketOfAnImpossibleLength() {
        ByteBuffer file = buffer(200, true);
        pcapHeader(file, 0xA1B2C3D4);
        file.putInt(1).putInt(0).putInt(0x7FFF_FFFF).putInt(5);
        assertEquals("packet is too long: captured=2147483647", refusal(written(file)));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldReadPcapngInEitherByteOrder(boolean littleEndian) throws Exception {
        PcapngWriter file = new PcapngWriter(littleEndian);
        file.section();
        file.captureInterface(1, 0);
        file.captureInterface(113, 0, 9, new byte[] {9});
        file.captureInterface(101, 0, 9, new byte[] {(byte) (0x80 | 10)});
        file.block(5, new byte[8]);
        file.enhanced(0, 1_795_229_193_399_411L, 60);
        file.enhanced(1, 1_795_229_193_399_411_123L, 61);
        file.enhanced(2, (1_795_229_193L << 10) + 512, 62);
        file.simple(5);
        file.obsolete(0, 1_795_229_193_000_000L, 5);
        assertEquals(
                List.of(
                        "1 1795229193399411000 60 1 0102030405",
                        "2 1795229193399411123 61 113 0102030405",
                        "3 1795229193500000000 62 101 0102030405",
                        "4 " + Capture.NO_TIME + " 5 1 0102030405",
                        "5 1795229193000000000 5 1 0102030405"),
                read(file.bytes()));
    }

    @Test
    void shouldReadTheNamesOfInterfaces() throws Exception {
        PcapngWriter file = new PcapngWriter(true);
        file.section();
        file.captureInterface(1, 0);
        file.captureInterface(1, 0, 9, new byte[] {9});
        file.captureInterface(1, 0, 2, new byte[] {(byte) 0xFF, 'x', 0, 'y'});
        file.captureInterface(1, 0, 2, "n".repeat(256).getBytes(StandardCharsets.US_ASCII));
        for (int i = 0; i < 4; i++) {
            file.enhanced(i, i, 5);
        }
        assertEquals(List.of("", "en", "\uFFFDx", "n".repeat(255)), names(file.bytes()));
    }

    @Test
    void shouldDescribeAnyNumberOfInterfaces() throws Exception {
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        DataOutput out = new DataOutput(file, false);
        PcapngOutput output = new PcapngOutput(out);
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 2 * PcapngOutput.INTERFACES_MAX + 2; i++) {
            names.add("eth" + i / 2);
            output.write(i, 1, "eth" + i / 2, PACKET, PACKET.length, PACKET.length);
        }
        out.flush();
        assertEquals(names, names(file.toByteArray()));
    }

    /** A packet names its interface by 16 bits, or by more. */
    @Test
    void shouldReadAsManyInterfacesAsASectionMayHaveAndRefuseOneMore() throws Exception {
        int max = 1 << 16;
        PcapngWriter file = new PcapngWriter(true, 3 << 20);
        for (int section = 0; section < 2; section++) {
            file.section();
            for (int i = 1; i < max; i++) {
                file.captureInterface(1, 0);
            }
            file.captureInterface(101, 0);
            file.enhanced(max - 1, 1, 5);
            file.obsolete(max - 1, 2, 5);
        }
        assertEquals(
                List.of(
                        "1 1000 5 101 0102030405",
                        "2 2000 5 101 0102030405",
                        "3 1000 5 101 0102030405",
                        "4 2000 5 101 0102030405"),
                read(file.bytes()));
        file.captureInterface(1, 0);
        assertEquals("section has too many interfaces: max=65536", refusal(file.bytes()));
    }

    @Test
    void shouldCutANameThatIsTooLong() throws Exception {
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        DataOutput out = new DataOutput(file, false);
        new PcapngOutput(out).write(1, 1, "n".repeat(65536), PACKET, PACKET.length, PACKET.length);
        new PcapngOutput(out).write(1, 1, "n".repeat(65535), PACKET, PACKET.length, PACKET.length);
        out.flush();
        assertEquals(List.of("n".repeat(255), "n".repeat(255)), names(file.toByteArray()));
    }

    private static List<String> names(byte[] bytes) throws IOException, CaptureException {
        List<String> names = new ArrayList<>();
        try (InputWindow window = new InputWindow(new TrickleStream(bytes, new Random(1), 50), new Interruption())) {
            Capture capture = Capture.open(window);
            while (capture.next()) {
                names.add(capture.interfaceName());
            }
        }
        return names;
    }

    @Test
    void shouldCutASimplePacketAtTheSnapshotLength() throws Exception {
        PcapngWriter file = new PcapngWriter(true);
        file.section();
        file.captureInterface(1, 3);
        file.simple(50);
        assertEquals(List.of("1 " + Capture.NO_TIME + " 50 1 010203"), read(file.bytes()));
    }

    @Test
    void shouldReadASecondSectionOfTheOtherByteOrder() throws Exception {
        PcapngWriter first = new PcapngWriter(true);
        first.section();
        first.captureInterface(1, 0);
        first.enhanced(0, 1_000_000, 5);
        PcapngWriter second = new PcapngWriter(false);
        second.section();
        second.captureInterface(101, 0, 14, new byte[] {0, 0, 0, 0, 0, 0, 0, 10});
        second.enhanced(0, 2_000_000, 5);
        ByteArrayOutputStream both = new ByteArrayOutputStream();
        both.write(first.bytes());
        both.write(second.bytes());
        assertEquals(
                List.of("1 1000000000 5 1 0102030405", "2 12000000000 5 101 0102030405"), read(both.toByteArray()));
    }

    @Test
    void shouldRefuseDamagedPcapng() {
        PcapngWriter unknown = new PcapngWriter(true);
        unknown.section();
        unknown.enhanced(3, 1, 5);
        assertEquals("packet names an unknown interface: interface=3, interfaces=0", refusal(unknown.bytes()));

        PcapngWriter lengths = new PcapngWriter(true);
        lengths.section();
        byte[] bytes = lengths.bytes();
        bytes[bytes.length - 4]++;
        assertEquals("block's two lengths differ: first=28, second=29, after packet=0", refusal(bytes));
    }

    @Test
    void shouldEndWithAnAnswerOnAnyDamage() throws IOException {
        PcapngWriter file = new PcapngWriter(true);
        file.section();
        file.captureInterface(1, 0, 9, new byte[] {9});
        file.enhanced(0, 1, 5);
        file.simple(5);
        file.obsolete(0, 1, 5);
        byte[] whole = file.bytes();
        for (int offset = 0; offset < whole.length; offset++) {
            for (int bit = 0; bit < 8; bit++) {
                byte[] damaged = whole.clone();
                damaged[offset] ^= (byte) (1 << bit);
                try {
                    read(damaged);
                } catch (CaptureException e) {
                    assertTrue(Objects.requireNonNull(e.getMessage()).contains("="), e.getMessage());
                }
            }
        }
    }

    @Test
    void shouldReadTheRealCapture() throws Exception {
        long payload = 0;
        long sequences = 0;
        long acknowledgements = 0;
        long times = 0;
        long captured = 0;
        int synchronising = 0;
        String first = "";
        PacketHeaders headers = new PacketHeaders();
        try (InputStream stream = Objects.requireNonNull(CaptureTest.class.getResourceAsStream("/redis/packets.pcap"));
                InputWindow window = new InputWindow(stream, new Interruption())) {
            Capture capture = Capture.open(window);
            while (capture.next()) {
                headers.decode(capture.linkType(), capture.bytes(), capture.originalLength());
                assertEquals("tcp", headers.protocol().toString());
                payload += headers.payloadLength();
                sequences += headers.sequence();
                acknowledgements += headers.acknowledgement();
                captured += capture.bytes().length();
                times ^= capture.timeNs();
                synchronising += headers.tcpFlags() & 2;
                if (capture.number() == 1) {
                    first = capture.timeNs() + " " + headers.source() + ":" + headers.sourcePort() + " "
                            + headers.destination() + ":" + headers.destinationPort() + " " + headers.flagNames();
                }
            }
            assertEquals(1304, capture.number());
        }
        // Counted by another program.
        assertEquals(
                REAL,
                first + " " + payload + " " + sequences + " " + acknowledgements + " " + captured + " " + times + " "
                        + synchronising);
    }

    private static final String REAL = "1795229196369650000 127.0.0.1:6399 127.0.0.1:41098 PSH,ACK"
            + " 25104 2887254931095 2887254934683 111168 3215736 0";

    private static String refusal(byte[] bytes) {
        return Objects.requireNonNull(
                assertThrows(CaptureException.class, () -> read(bytes)).getMessage());
    }

    private static List<String> read(byte[] bytes) throws IOException, CaptureException {
        List<String> packets = new ArrayList<>();
        try (InputWindow window = new InputWindow(new TrickleStream(bytes, new Random(1), 50), new Interruption())) {
            Capture capture = Capture.open(window);
            while (capture.next()) {
                PacketBytes packet = capture.bytes();
                packets.add(capture.number() + " " + capture.timeNs() + " " + capture.originalLength() + " "
                        + capture.linkType() + " "
                        + HexFormat.of()
                                .formatHex(
                                        packet.array(), packet.arrayOffset(), packet.arrayOffset() + packet.length()));
            }
            assertFalse(capture.next());
        }
        return packets;
    }

    private static ByteBuffer buffer(int capacity, boolean littleEndian) {
        return ByteBuffer.allocate(capacity).order(littleEndian ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
    }

    private static byte[] written(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.position()];
        buffer.get(0, bytes);
        return bytes;
    }

    private static void pcapHeader(ByteBuffer file, int magic) {
        file.putInt(magic)
                .putShort((short) 2)
                .putShort((short) 4)
                .putInt(0)
                .putInt(0)
                .putInt(262_144)
                .putInt(1);
    }

    private static void pcapPacket(ByteBuffer file, int seconds, int fraction, int captured, int original) {
        file.putInt(seconds).putInt(fraction).putInt(captured).putInt(original).put(PACKET, 0, captured);
    }

    /** Writes pcapng by its specification. */
    private static final class PcapngWriter {
        private final ByteBuffer file;

        private PcapngWriter(boolean littleEndian) {
            this(littleEndian, 4096);
        }

        private PcapngWriter(boolean littleEndian, int capacity) {
            file = buffer(capacity, littleEndian);
        }

        private void section() {
            ByteBuffer body = body();
            body.putInt(0x1A2B3C4D).putShort((short) 1).putShort((short) 0).putLong(-1);
            block(0x0A0D0D0A, written(body));
        }

        private void captureInterface(int linkType, int snapshotLength) {
            block(
                    1,
                    written(body().putShort((short) linkType)
                            .putShort((short) 0)
                            .putInt(snapshotLength)));
        }

        private void captureInterface(int linkType, int snapshotLength, int option, byte[] value) {
            ByteBuffer body =
                    body().putShort((short) linkType).putShort((short) 0).putInt(snapshotLength);
            body.putShort((short) 2).putShort((short) 2).put(new byte[] {'e', 'n', 0, 0});
            body.putShort((short) option).putShort((short) value.length).put(value);
            body.put(new byte[(4 - value.length % 4) % 4]).putInt(0);
            block(1, written(body));
        }

        private void enhanced(int index, long units, int original) {
            block(6, packet(body().putInt(index), units, original));
        }

        private void obsolete(int index, long units, int original) {
            block(2, packet(body().putShort((short) index).putShort((short) 9), units, original));
        }

        private byte[] packet(ByteBuffer body, long units, int original) {
            body.putInt((int) (units >>> 32))
                    .putInt((int) units)
                    .putInt(PACKET.length)
                    .putInt(original);
            return written(body.put(PACKET).put(new byte[3]));
        }

        private void simple(int original) {
            block(3, written(body().putInt(original).put(PACKET).put(new byte[3])));
        }

        private void block(int type, byte[] body) {
            file.putInt(type).putInt(body.length + 12).put(body).putInt(body.length + 12);
        }

        private ByteBuffer body() {
            return ByteBuffer.allocate(512).order(file.order());
        }

        private byte[] bytes() {
            return written(file);
        }
    }
}
