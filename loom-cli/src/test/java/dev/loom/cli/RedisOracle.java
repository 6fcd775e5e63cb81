package dev.loom.cli;

import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

/**
 * One file of the tested capture, decoded by other means than the import's: the fields of each record as {@code scan}
 * prints them, and where each record ends in the file.
 */
final class RedisOracle {
    static final List<String> SOURCES = List.of("requests", "syscalls", "packets");

    private static final int PCAP_HEADER_LENGTH = 24;
    private static final int PACKET_HEADER_LENGTH = 16;

    private final String source;
    private final byte[] bytes;
    private final List<String> records = new ArrayList<>();
    /** At 0 the end of the file's header, then those of the records. */
    private final List<Integer> ends = new ArrayList<>();

    private RedisOracle(String source) {
        this.source = source;
        this.bytes = RedisCapture.bytes(fileName());
    }

    static RedisOracle of(String source) {
        RedisOracle oracle = new RedisOracle(source);
        if (source.equals("packets")) {
            oracle.readPackets();
        } else {
            oracle.readRows();
        }
        return oracle;
    }

    String source() {
        return source;
    }

    String fileName() {
        return source + (source.equals("packets") ? ".pcap" : ".csv");
    }

    /** The fields of each record, as JSON. */
    List<String> records() {
        return records;
    }

    byte[] bytes() {
        return bytes;
    }

    /** A file of the records from an index on. */
    byte[] bytesFrom(int index) {
        byte[] header = Arrays.copyOf(bytes, ends.get(0));
        byte[] rest = Arrays.copyOfRange(bytes, ends.get(index), bytes.length);
        return ByteBuffer.allocate(header.length + rest.length)
                .put(header)
                .put(rest)
                .array();
    }

    /** The import's arguments, without the file. */
    List<String> importArguments() {
        List<String> arguments = new ArrayList<>(List.of("import", "--source", source, "--format"));
        arguments.addAll(
                source.equals("packets")
                        ? List.of("pcap")
                        : List.of(
                                "csv",
                                "--event-time",
                                "ts_ns",
                                "--clock-pair",
                                RedisCapture.file("clock.json").toString()));
        return arguments;
    }

    private void readRows() {
        String text = new String(bytes, StandardCharsets.UTF_8);
        try (CsvReader<NamedCsvRecord> rows = CsvReader.builder().ofNamedCsvRecord(text)) {
            rows.forEach(row -> records.add(json(row)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        for (int at = 0; at < bytes.length; at++) {
            if (bytes[at] == '\n') {
                ends.add(at + 1);
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

    private void readPackets() {
        ByteBuffer file = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        int at = PCAP_HEADER_LENGTH;
        ends.add(at);
        while (at < bytes.length) {
            byte[] captured = new byte[file.getInt(at + 8)];
            file.get(at + PACKET_HEADER_LENGTH, captured);
            records.add(packet(file, at, captured));
            at += PACKET_HEADER_LENGTH + captured.length;
            ends.add(at);
        }
    }

    /** TCP over IPv4 over Ethernet, which is all there is, at the offsets of its headers without options. */
    private static String packet(ByteBuffer file, int at, byte[] captured) {
        ByteBuffer packet = ByteBuffer.wrap(captured);
        long timeNs = Integer.toUnsignedLong(file.getInt(at)) * 1_000_000_000L + file.getInt(at + 4) * 1_000L;
        int ipLength = Short.toUnsignedInt(packet.getShort(16));
        int tcpHeaderLength = (captured[46] >> 4 & 0xF) * 4;
        StringBuilder flags = new StringBuilder();
        String[] names = {"FIN", "SYN", "RST", "PSH", "ACK", "URG", "ECE", "CWR"};
        for (int bit = 0; bit < names.length; bit++) {
            if ((captured[47] & 1 << bit) != 0) {
                flags.append(flags.length() > 0 ? "," : "").append(names[bit]);
            }
        }
        return "{\"ts_ns\":" + timeNs + ",\"caplen\":" + captured.length + ",\"len\":" + file.getInt(at + 12)
                + ",\"protocol\":\"tcp\",\"src\":\"" + address(captured, 26) + "\",\"dst\":\"" + address(captured, 30)
                + "\",\"sport\":" + Short.toUnsignedInt(packet.getShort(34)) + ",\"dport\":"
                + Short.toUnsignedInt(packet.getShort(36)) + ",\"tcp_flags\":" + (captured[47] & 0xFF)
                + ",\"flags\":\"" + flags + "\",\"seq\":" + Integer.toUnsignedLong(packet.getInt(38)) + ",\"ack\":"
                + Integer.toUnsignedLong(packet.getInt(42)) + ",\"payload_len\":"
                + (ipLength - 20 - tcpHeaderLength) + ",\"link\":1,\"iface\":null,\"data\":\""
                + Base64.getEncoder().encodeToString(captured) + "\"}";
    }

    private static String address(byte[] bytes, int at) {
        return (bytes[at] & 0xFF) + "." + (bytes[at + 1] & 0xFF) + "." + (bytes[at + 2] & 0xFF) + "."
                + (bytes[at + 3] & 0xFF);
    }
}
