package dev.loom.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real capture, imported and scanned back field for field; with {@code -Dloom.data=DIR} a whole one. */
class RedisImportTest {
    private static final int PCAP_HEADER_LENGTH = 24;
    private static final int PACKET_HEADER_LENGTH = 16;
    private static final Pattern QUOTES = Pattern.compile("\"");

    @TempDir
    static Path directory;

    private static Cli cli = new Cli();

    @BeforeAll
    static void importAll() {
        cli = Cli.on(directory.resolve("store"));
        importCsv("requests");
        importCsv("syscalls");
        cli.run(
                        "import",
                        "--source",
                        "packets",
                        "--format",
                        "pcap",
                        RedisCapture.file("packets.pcap").toString())
                .ok();
    }

    private static void importCsv(String name) {
        cli.run(
                        "import",
                        "--source",
                        name,
                        "--format",
                        "csv",
                        "--event-time",
                        "ts_ns",
                        "--clock-pair",
                        RedisCapture.file("clock.json").toString(),
                        RedisCapture.file(name + ".csv").toString())
                .ok();
    }

    private static List<String> scan(String source, String... options) {
        List<String> arguments = new ArrayList<>(List.of("scan", source, "--asc", "-o", "json"));
        arguments.addAll(List.of(options));
        return cli.run(arguments.toArray(String[]::new)).ok().lines();
    }

    private static String fields(String line) {
        return line.substring(line.indexOf("\"fields\":") + 9, line.length() - 1);
    }

    @Test
    void shouldGiveBackEveryRequestAndSystemCall() throws IOException {
        for (String name : new String[] {"requests", "syscalls"}) {
            String text = new String(RedisCapture.bytes(name + ".csv"), StandardCharsets.UTF_8);
            List<String> expected = new ArrayList<>();
            try (CsvReader<NamedCsvRecord> rows = CsvReader.builder().ofNamedCsvRecord(text)) {
                rows.forEach(row -> expected.add(json(row)));
            }
            List<String> actual = scan(name);
            assertEquals(expected.size(), actual.size());
            for (int i = 0; i < expected.size(); i++) {
                assertEquals(expected.get(i), fields(actual.get(i)));
            }
        }
    }

    private static String json(NamedCsvRecord row) {
        StringBuilder json = new StringBuilder("{");
        row.getFieldsAsMap().forEach((name, value) -> {
            boolean text = name.equals("op") || name.equals("key");
            json.append(json.length() > 1 ? "," : "").append('"').append(name).append("\":");
            json.append(text ? '"' + value + '"' : value);
        });
        return json.append('}').toString();
    }

    @Test
    void shouldGiveBackEveryPacket() {
        ByteBuffer file = ByteBuffer.wrap(RedisCapture.bytes("packets.pcap")).order(ByteOrder.LITTLE_ENDIAN);
        List<String> packets = scan("packets");
        int at = PCAP_HEADER_LENGTH;
        for (String packet : packets) {
            int captured = file.getInt(at + 8);
            byte[] bytes = new byte[captured];
            file.get(at + PACKET_HEADER_LENGTH, bytes);
            assertEquals(packet(file, at, bytes), QUOTES.matcher(fields(packet)).replaceAll(""));
            at += PACKET_HEADER_LENGTH + captured;
        }
        assertEquals(file.capacity(), at);
    }

    /** TCP over IPv4 over Ethernet, which is all there is, at the offsets of its headers without options. */
    private static String packet(ByteBuffer file, int at, byte[] bytes) {
        ByteBuffer packet = ByteBuffer.wrap(bytes);
        long timeNs = Integer.toUnsignedLong(file.getInt(at)) * 1_000_000_000L + file.getInt(at + 4) * 1_000L;
        int ipLength = Short.toUnsignedInt(packet.getShort(16));
        int tcpHeaderLength = (bytes[46] >> 4 & 0xF) * 4;
        StringBuilder flags = new StringBuilder();
        String[] names = {"FIN", "SYN", "RST", "PSH", "ACK", "URG", "ECE", "CWR"};
        for (int bit = 0; bit < names.length; bit++) {
            if ((bytes[47] & 1 << bit) != 0) {
                flags.append(flags.length() > 0 ? "," : "").append(names[bit]);
            }
        }
        return "{ts_ns:" + timeNs + ",caplen:" + bytes.length + ",len:" + file.getInt(at + 12) + ",protocol:tcp,src:"
                + address(bytes, 26) + ",dst:" + address(bytes, 30) + ",sport:"
                + Short.toUnsignedInt(packet.getShort(34)) + ",dport:" + Short.toUnsignedInt(packet.getShort(36))
                + ",tcp_flags:" + (bytes[47] & 0xFF) + ",flags:" + flags + ",seq:"
                + Integer.toUnsignedLong(packet.getInt(38)) + ",ack:" + Integer.toUnsignedLong(packet.getInt(42))
                + ",payload_len:" + (ipLength - 20 - tcpHeaderLength) + ",data:"
                + Base64.getEncoder().encodeToString(bytes) + "}";
    }

    private static String address(byte[] bytes, int at) {
        return (bytes[at] & 0xFF) + "." + (bytes[at + 1] & 0xFF) + "." + (bytes[at + 2] & 0xFF) + "."
                + (bytes[at + 3] & 0xFF);
    }

    @Test
    void shouldFindTheSlowRequestAndWhatLayAroundItInEventTime() {
        List<String> slow = scan("requests", "--where", "latency_ns > 30ms", "--time", "event");
        assertEquals(1, slow.size());
        assertTrue(
                slow.get(0)
                        .startsWith("{\"time\":\"2026-11-21T02:46:36.440121559Z\",\"ts\":1795229196440121559,"
                                + "\"source\":\"requests\",\"addr\":"),
                slow.get(0));
        assertEquals(
                "{\"ts_ns\":2904627318388,\"op\":\"GET\",\"key\":\"key:085509\",\"latency_ns\":40512498}",
                fields(slow.get(0)));
        // The client waited for it, so that nothing else went on but a few packets of this and another connection.
        String[] during = {"--time", "event", "--from", "1795229196399609061", "--to", "1795229196440121559"};
        assertEquals(0, scan("requests", during).size());
        assertEquals(4, scan("packets", during).size());
        String[] around = {"--time", "event", "--from", "1795229196380000000", "--to", "1795229196460000000"};
        for (String source : new String[] {"requests", "syscalls", "packets"}) {
            List<String> lines = scan(source, around);
            assertTrue(lines.size() > 100, source);
            for (int i = 1; i < lines.size(); i++) {
                assertTrue(lines.get(i).compareTo(lines.get(i - 1)) > 0, lines.get(i));
            }
        }
    }

    @Test
    void shouldCountWhatItHolds() {
        List<String> sources = cli.run("sources").ok().lines();
        assertEquals(3, sources.size());
        for (String source : sources) {
            String name = source.substring(9, source.indexOf('"', 9));
            assertTrue(source.contains("\"records\":" + scan(name).size() + ","), source);
            assertTrue(source.endsWith(",\"lost\":0}"), source);
        }
    }
}
