package dev.loom.cli.importing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.cli.Cli;
import dev.loom.cli.RedisCapture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PcapImportTest {
    private static final int FILE_HEADER_LENGTH = 24;
    /** In a packet's header. */
    private static final int CAPTURED_LENGTH_OFFSET = 8;

    @TempDir
    Path directory;

    private Cli cli;

    @BeforeEach
    void open() {
        cli = Cli.onSmallStore(directory.resolve("store"));
    }

    @Test
    void shouldImportOneRecordAPacket() throws IOException {
        Path file = RedisCapture.slice("packets.pcap");
        cli.run("import", "--source", "packets", "--format", "pcap", file.toString())
                .ok();
        String first = cli.run("scan", "packets", "--asc", "--limit", "1", "--time", "event")
                .ok()
                .out();
        assertEquals(
                "{\"time\":\"2026-11-21T02:46:36.369650000Z\",\"ts\":1795229196369650000,\"source\":\"packets\","
                        + "\"fields\":{\"ts_ns\":1795229196369650000,\"caplen\":71,\"len\":71,\"protocol\":\"tcp\","
                        + "\"src\":\"127.0.0.1\",\"dst\":\"127.0.0.1\",\"sport\":6399,\"dport\":41098,\"tcp_flags\":24,"
                        + "\"flags\":\"PSH,ACK\",\"seq\":3592428487,\"ack\":837803191,\"payload_len\":5,"
                        + "\"link\":1,\"iface\":null,",
                first.substring(0, first.indexOf("\"data\"")).replaceFirst("\"addr\":\\d+,", ""));
    }

    @Test
    void shouldStopWhereACaptureIsDamaged() throws IOException {
        byte[] whole = Files.readAllBytes(RedisCapture.slice("packets.pcap"));
        Path cut = Files.write(directory.resolve("cut.pcap"), Arrays.copyOf(whole, whole.length - 1));
        Cli.Result stopped = cli.run("import", "--source", "a", "--format", "pcap", cut.toString())
                .exit(4);
        assertTrue(stopped.err().startsWith("loom: packet 1304: file ends within the packet: "), stopped.err());
        assertTrue(stopped.err().contains("imported 1303 records"), stopped.err());
        assertTrue(stopped.err().endsWith("; 1 bad, stopped there\n"), stopped.err());
    }

    /** As tcpdump leaves one where it is killed before its first packet. */
    @Test
    void shouldNameACaptureThatIsEmptyAndGoOnWhereItIsToSkip() throws IOException {
        Path whole = RedisCapture.slice("packets.pcap");
        for (Path empty : new Path[] {
            Files.createFile(directory.resolve("empty.pcap")),
            Files.writeString(directory.resolve("notes.pcap"), "notes")
        }) {
            String[] files = {whole.toString(), empty.toString(), whole.toString()};
            String stopped =
                    run("stopping-" + empty.getFileName(), "stop", files).err();
            assertTrue(stopped.contains("loom: not a capture: "), stopped);
            assertTrue(stopped.contains(", file=" + empty + "\n"), stopped);
            assertTrue(
                    stopped.endsWith("not imported, as the import stopped before: files=1, first=" + whole + "\n"),
                    stopped);
            String skipped =
                    run("skipping-" + empty.getFileName(), "skip", files).err();
            assertTrue(skipped.contains(", file=" + empty + "\n"), skipped);
            assertFalse(skipped.contains("not imported"), skipped);
            String sources = cli.run("sources").ok().out();
            assertTrue(
                    sources.matches(
                            "(?s).*\"name\":\"stopping-" + empty.getFileName() + "\"[^\\n]*\"records\":1304,.*"),
                    sources);
            assertTrue(
                    sources.matches(
                            "(?s).*\"name\":\"skipping-" + empty.getFileName() + "\"[^\\n]*\"records\":2608,.*"),
                    sources);
        }
    }

    private Cli.Result run(String source, String onBad, String... files) {
        List<String> command =
                new ArrayList<>(List.of("import", "--source", source, "--format", "pcap", "--on-bad", onBad));
        command.addAll(List.of(files));
        return cli.run(command.toArray(new String[0])).exit(4);
    }

    /** To skip a record is no way past damage: the rest of the capture is not in the store. */
    @Test
    void shouldBeIncompleteAfterDamageAlsoWhereBadRecordsAreSkipped() throws IOException {
        byte[] whole = Files.readAllBytes(RedisCapture.slice("packets.pcap"));
        whole[FILE_HEADER_LENGTH + CAPTURED_LENGTH_OFFSET + 3] = 0x7F;
        Path damaged = Files.write(directory.resolve("damaged.pcap"), whole);
        String[] command = {"import", "--source", "a", "--format", "pcap", "--on-bad", "skip", damaged.toString()};
        Cli.Result alone = cli.run(command).exit(4);
        assertTrue(alone.err().startsWith("loom: packet 1: "), alone.err());
        assertTrue(alone.err().contains("imported 0 records"), alone.err());
        assertTrue(alone.err().endsWith("; 1 skipped; incomplete\n"), alone.err());

        String[] two = Arrays.copyOf(command, command.length + 1);
        two[command.length] = RedisCapture.slice("packets.pcap").toString();
        Cli.Result both = cli.run(two).exit(4);
        assertTrue(both.err().contains("imported 1304 records"), both.err());
        two[6] = "stop";
        Cli.Result stopped = cli.run(two).exit(4);
        assertFalse(stopped.err().contains("imported 1304 records"), stopped.err());
    }

    @Test
    void shouldRefuseWhatIsNoCapture() {
        cli.importText("a", "pcap", "ts_ns,op\n")
                .exit(4)
                .says("not a capture: magic=0x74735f6e, expected pcap or pcapng");
        assertEquals("", cli.run("sources").ok().out());
    }
}
