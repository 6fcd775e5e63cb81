package dev.loom.cli.demo;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Lines as the command line prints them, for two mangled requests among a thousand. */
final class StoryFixture {
    static final long BASE_NS = 1_795_229_193_000_000_000L;
    static final long MS = 1_000_000L;

    final List<CliRow> requests = new ArrayList<>(List.of(request(17, 300, 251), request(640, 700, 253)));
    final List<CliRow> waits = new ArrayList<>(List.of(wait(40001, 299, 250), wait(40002, 699, 252)));
    final List<CliRow> packets = new ArrayList<>(List.of(packet(40001, 48, 17, 557), packet(40002, 446, 640, 301)));
    final Ledger ledger = new Ledger(1_000, Set.of(17L, 640L), Set.of(17L, 640L), 2, Set.of(40001, 40002), 0, 0);
    final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    final Narrator narrator = new Narrator(new PrintStream(printed, true, StandardCharsets.UTF_8), false);

    Findings findings() {
        return new Findings(
                Map.of("requests", 1_000L, "socket_ops", 2_004L, "packets", 2_002L), requests, waits, packets);
    }

    static Map<DemoSource, Long> recorded() {
        return Map.of(DemoSource.REQUESTS, 1_000L, DemoSource.SOCKET_OPS, 2_004L, DemoSource.PACKETS, 2_002L);
    }

    String text() {
        return printed.toString(StandardCharsets.UTF_8);
    }

    /** A request that ended {@code endMs} after the beginning. */
    static CliRow request(long id, long endMs, long latencyMs) {
        return record(
                "requests",
                endMs,
                "\"id\":%d,\"latency_ns\":%d,\"client\":1,\"attempts\":2,\"op\":\"GET\",\"key\":\"user:1:9\"",
                id,
                latencyMs * MS);
    }

    static CliRow wait(int port, long endMs, long latencyMs) {
        return wait(port, endMs, latencyMs, 0);
    }

    static CliRow wait(int port, long endMs, long latencyMs, int ret) {
        return record(
                "socket_ops",
                endMs,
                "\"latency_ns\":%d,\"ret\":%d,\"peer_port\":%d,\"op\":\"recv\",\"thread\":\"server-1\"",
                latencyMs * MS,
                ret,
                port);
    }

    static CliRow packet(int port, long atMs, long id, int announced) {
        byte[] data = new byte[22];
        FrameFlyweight frame = new FrameFlyweight()
                .wrap(data)
                .encode(FrameDescriptor.GET, id, FrameFlyweight.ascii("user:1:9"), new byte[0]);
        frame.bodyLength(announced);
        return record(
                "packets",
                atMs,
                "\"length\":22,\"frame_length\":%d,\"src_port\":%d,\"dst_port\":7777,\"direction\":\"request\","
                        + "\"data\":\"%s\"",
                announced,
                port,
                Base64.getEncoder().encodeToString(data));
    }

    private static CliRow record(String source, long atMs, String fields, Object... values) {
        return new CliRow(String.format(
                Locale.ROOT,
                "{\"time\":\"2026-11-21T02:46:33Z\",\"ts\":%d,\"source\":\"%s\",\"addr\":64,\"cause\":64,\"fields\":{%s}}",
                BASE_NS + atMs * MS,
                source,
                String.format(Locale.ROOT, fields, values)));
    }
}
