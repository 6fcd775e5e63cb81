package dev.loom.cli.export;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.cli.Cli;
import dev.loom.cli.RedisCapture;
import dev.loom.format.Formats;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Packets that are imported, exported as pcapng, and imported again. */
class PacketRoundTripTest {
    private static final int PACKETS = 500;
    private static final String OLD_FORMAT = "ts_ns:i64?,caplen:u32,len:u32,protocol:utf8?,src:utf8?,dst:utf8?,"
            + "sport:u16?,dport:u16?,tcp_flags:u8?,flags:utf8?,seq:u32?,ack:u32?,payload_len:u32?,data:bytes";

    @TempDir
    Path directory;

    private Path store = Path.of("");
    private Path file = Path.of("");
    private Cli cli = new Cli();

    private record Packet(long timeNs, int linkType, String name, String bytes, long length) {}

    @BeforeEach
    void open() {
        store = directory.resolve("store");
        file = directory.resolve("out.pcapng");
        cli = Cli.on(store);
    }

    private void importFile(String source, Path from) {
        cli.run("import", "--source", source, "--format", "pcap", from.toString())
                .ok();
    }

    private Cli.Result export(String source, Path to, String... options) {
        List<String> arguments = new ArrayList<>(
                List.of("export", "--format", "pcapng", "--force", "--source", source, "--output", to.toString()));
        arguments.addAll(List.of(options));
        return cli.run(arguments.toArray(String[]::new));
    }

    private List<String> fields(String source) {
        return cli.run("scan", source, "--asc", "-o", "json").ok().lines().stream()
                .map(line -> line.substring(line.indexOf("\"fields\":")))
                .toList();
    }

    @Test
    void shouldReadBackWhatIsWritten() throws IOException {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        System.out.println("PacketRoundTripTest: -Dloom.test.seed=" + seed);
        Random random = new Random(seed);
        List<Packet> packets = new ArrayList<>();
        for (int i = 0; i < PACKETS; i++) {
            byte[] bytes = new byte[i == 7 ? 3 << 20 : random.nextInt(5) == 0 ? 0 : random.nextInt(2000)];
            random.nextBytes(bytes);
            packets.add(new Packet(
                    random.nextInt(10) == 0 ? random.nextLong() : 1_795_229_193_399_411_123L + i,
                    List.of(1, 101, 113, 276, 0xFFFF).get(random.nextInt(5)),
                    List.of("", "eth0", "Ethernet 2", "é\uD834\uDD1E").get(random.nextInt(4)),
                    HexFormat.of().formatHex(bytes),
                    random.nextInt(20) == 0 ? 0xFFFF_FFFFL : bytes.length + random.nextInt(3)));
        }
        Path in = Files.write(directory.resolve("in.pcapng"), written(packets));
        importFile("a", in);
        export("a", file).ok();
        assertEquals(packets, read(file), () -> "seed=" + seed);
        importFile("b", file);
        assertEquals(fields("a"), fields("b"), () -> "seed=" + seed);
        assertTrue(fields("a").get(0).contains("\"link\":" + packets.get(0).linkType()));
        Path again = directory.resolve("again.pcapng");
        export("b", again).ok();
        assertEquals(-1, Files.mismatch(file, again));
    }

    @Test
    void shouldWriteARealCapture() throws IOException {
        importFile("packets", RedisCapture.slice("packets.pcap"));
        assertEquals("", export("packets", file).ok().err().replaceAll("loom: exported 1304 records .*\n", ""));
        ByteBuffer whole = ByteBuffer.wrap(Files.readAllBytes(RedisCapture.slice("packets.pcap")))
                .order(ByteOrder.LITTLE_ENDIAN)
                .position(24);
        List<Packet> packets = new ArrayList<>();
        while (whole.hasRemaining()) {
            long timeNs = whole.getInt() * 1_000_000_000L + whole.getInt() * 1_000L;
            byte[] bytes = new byte[whole.getInt()];
            int length = whole.getInt();
            whole.get(bytes);
            packets.add(new Packet(timeNs, 1, "", HexFormat.of().formatHex(bytes), length));
        }
        assertEquals(packets, read(file));
    }

    @Test
    void shouldExportOlderSourcesWithALinkTypeThatCanBeSet() throws IOException {
        try (Loom loom = Loom.open(LoomConfig.at(store).build())) {
            loom.defineSource("packets", Formats.struct(OLD_FORMAT));
        }
        Path slice = RedisCapture.slice("packets.pcap");
        Cli.Result imported = cli.run("import", "--source", "packets", "--format", "pcap", slice.toString())
                .ok();
        assertTrue(
                imported.err().startsWith("loom: the source keeps its format, which has no link types and interfaces"),
                imported.err());
        Cli.Result exported = export("packets", file).ok();
        assertTrue(
                exported.err()
                        .startsWith("loom: link type assumed, as the records have none: link type=1, packets=1304;"
                                + " --link-type sets it\n"),
                exported.err());
        assertEquals(1, read(file).get(0).linkType());
        export("packets", file, "--link-type", "65535").ok();
        assertEquals(65535, read(file).get(1303).linkType());
        importFile("again", file);
        assertTrue(fields("again").get(0).contains("\"protocol\":\"link-65535\""));
    }

    @Test
    void shouldGivePacketsWithoutATimeTheEpochs() throws IOException {
        ByteBuffer simple = head(64).putInt(3).putInt(20).putInt(3).put(new byte[] {1, 2, 3, 0});
        Path in = Files.write(directory.resolve("in.pcapng"), bytes(simple.putInt(20)));
        importFile("packets", in);
        Cli.Result exported = export("packets", file).ok();
        assertTrue(
                exported.err().startsWith("loom: packets without a time have the epoch's: packets=1\n"),
                exported.err());
        assertEquals(List.of(new Packet(0, 1, "", "010203", 3)), read(file));
    }

    /** A record may have a text of any length, and the names of a file's interfaces are kept until its end. */
    @Test
    void shouldCutNamesOfInterfaces() throws IOException {
        String name = "e".repeat(254);
        List<String> names =
                List.of(name + "\uD834\uDD1E" + "1".repeat(100_000), name + "\uD834\uDD1E2", name + "xy", "");
        cli.run("source", "add", "packets", "--fields", "ts_ns:i64?,len:u32,data:bytes,iface:utf8?")
                .ok();
        StringBuilder rows = new StringBuilder("ts_ns,len,data,iface\n");
        names.forEach(each -> rows.append("5,3,AQID,").append(each).append('\n'));
        cli.importText("packets", "csv", rows.toString()).ok();
        export("packets", file).ok();
        assertEquals(
                List.of(name, name, name + "x", ""),
                read(file).stream().map(Packet::name).toList());
    }

    @Test
    void shouldLeaveOutWhatIsNoPacket() throws IOException {
        importFile("packets", RedisCapture.slice("packets.pcap"));
        try (Loom loom = Loom.open(LoomConfig.at(store).build())) {
            loom.push(loom.source("packets").orElseThrow().id(), new byte[] {1, 2, 3});
        }
        Cli.Result exported = export("packets", file).exit(4);
        assertTrue(
                exported.err().startsWith("loom: records that are no packets are left out: records=1\n"),
                exported.err());
        assertEquals(1304, read(file).size());
    }

    @Test
    void shouldRefuseWhatMakesNoSense() throws IOException {
        cli.importText("words", "lines", "1\n").ok();
        assertEquals(
                "loom: the store has no source of packets\n",
                cli.run("export", "--format", "pcapng").exit(2).err());
        assertEquals(
                "loom: pcapng is for sources of packets: source=words, format=text\n",
                export("words", file).exit(2).err());
        importFile("packets", RedisCapture.slice("packets.pcap"));
        assertEquals(
                "loom: --link-type is out of range: link type=65536, max=65535\n",
                export("packets", file, "--link-type", "65536").exit(2).err());
        assertEquals(
                "loom: --link-type is for --format pcapng, not csv\n",
                cli.run("export", "--format", "csv", "--link-type", "1").exit(2).err());
        assertTrue(Cli.on(store)
                .outTerminal()
                .run("export", "--format", "pcapng")
                .exit(2)
                .err()
                .contains("pcapng is not for a terminal"));
        // without names, the sources that have packets are exported
        cli.run("export", "--format", "pcapng", "--output", file.toString()).ok();
        assertEquals(1304, read(file).size());
    }

    @Test
    void shouldWriteAValidFileWithoutPackets() throws IOException {
        importFile("packets", RedisCapture.slice("packets.pcap"));
        export("packets", file, "--from", "2100-01-01").ok();
        assertEquals(List.of(), read(file));
        importFile("empty", file);
        assertEquals(List.of(), fields("empty"));
    }

    /** A file by the specification: big-endian, times in nanoseconds, an interface for each packet. */
    private static byte[] written(List<Packet> packets) {
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        ByteBuffer section =
                ByteBuffer.allocate(28).putInt(0x0A0D0D0A).putInt(28).putInt(0x1A2B3C4D);
        file.writeBytes(section.putInt(0x00010000).putLong(-1).putInt(28).array());
        for (int i = 0; i < packets.size(); i++) {
            Packet packet = packets.get(i);
            byte[] name = packet.name().getBytes(StandardCharsets.UTF_8);
            int length = 20 + 4 + padded(name.length) + 8 + 4;
            ByteBuffer description = ByteBuffer.allocate(length).putInt(1).putInt(length);
            description.putShort((short) packet.linkType()).putShort((short) 0).putInt(0);
            description.putShort((short) 2).putShort((short) name.length).put(name);
            description.position(20 + padded(name.length));
            description.putShort((short) 9).putShort((short) 1).put((byte) 9).put(new byte[3]);
            file.writeBytes(description.putInt(0).putInt(length).array());
            byte[] bytes = HexFormat.of().parseHex(packet.bytes());
            length = 32 + padded(bytes.length);
            ByteBuffer block =
                    ByteBuffer.allocate(length).putInt(6).putInt(length).putInt(i);
            block.putLong(packet.timeNs()).putInt(bytes.length).putInt((int) packet.length());
            file.writeBytes(block.put(bytes).position(length - 4).putInt(length).array());
        }
        return file.toByteArray();
    }

    /** A section with one interface. */
    private static ByteBuffer head(int more) {
        ByteBuffer head =
                ByteBuffer.allocate(48 + more).putInt(0x0A0D0D0A).putInt(28).putInt(0x1A2B3C4D);
        head.putInt(0x00010000).putLong(-1).putInt(28);
        return head.putInt(1).putInt(20).putInt(0x00010000).putInt(0).putInt(20);
    }

    private static byte[] bytes(ByteBuffer written) {
        byte[] bytes = new byte[written.position()];
        written.get(0, bytes);
        return bytes;
    }

    /** Reads what an export may write: little-endian, enhanced packets, names and nanoseconds as options. */
    private static List<Packet> read(Path file) throws IOException {
        ByteBuffer in = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
        assertEquals("0a0d0d0a1c0000004d3c2b1a01000000ffffffffffffffff1c000000", hex(in, 28));
        List<Packet> interfaces = new ArrayList<>();
        List<Packet> packets = new ArrayList<>();
        while (in.hasRemaining()) {
            int begin = in.position();
            int type = in.getInt();
            int length = in.getInt();
            if (type == 1) {
                int linkType = Short.toUnsignedInt(in.getShort());
                assertEquals(0, in.getShort());
                assertEquals(0, in.getInt());
                String name = "";
                int option = in.getShort();
                if (option == 2) {
                    byte[] bytes = new byte[Short.toUnsignedInt(in.getShort())];
                    in.get(bytes).position(in.position() + padded(bytes.length) - bytes.length);
                    name = new String(bytes, StandardCharsets.UTF_8);
                    option = in.getShort();
                }
                assertEquals(9, option);
                assertEquals("01000900000000000000", hex(in, 10));
                interfaces.add(new Packet(0, linkType, name, "", 0));
            } else {
                assertEquals(6, type);
                Packet from = interfaces.get(in.getInt());
                long timeNs = (long) in.getInt() << 32 | Integer.toUnsignedLong(in.getInt());
                int captured = in.getInt();
                long original = Integer.toUnsignedLong(in.getInt());
                packets.add(new Packet(timeNs, from.linkType(), from.name(), hex(in, captured), original));
                assertArrayEquals(new byte[padded(captured) - captured], rest(in, padded(captured) - captured));
            }
            assertEquals(length, in.getInt());
            assertEquals(begin + length, in.position());
        }
        assertEquals(interfaces.size(), interfaces.stream().distinct().count());
        return packets;
    }

    private static String hex(ByteBuffer in, int count) {
        return HexFormat.of().formatHex(rest(in, count));
    }

    private static byte[] rest(ByteBuffer in, int count) {
        byte[] bytes = new byte[count];
        in.get(bytes);
        return bytes;
    }

    private static int padded(int length) {
        return (length + 3) / 4 * 4;
    }
}
