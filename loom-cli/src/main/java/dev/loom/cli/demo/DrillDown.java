package dev.loom.cli.demo;

import java.net.ProtocolException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Traces a slow request to the packet that made it slow, with commands only, as an engineer would. */
final class DrillDown {
    /** How much later than the event a record may arrive, because of its way through the ring. */
    private static final long LATENESS_MS = 50;

    private static final String BAD_PACKET = "frame_length > " + FrameDescriptor.REQUEST_BODY_LENGTH_MAX;

    private final CliSession session;
    private final Narrator narrator;
    private final String slow;
    private final long slowMs;

    DrillDown(CliSession session, Narrator narrator, WorkloadPlan plan) {
        this.session = session;
        this.narrator = narrator;
        slowMs = plan.slow().toMillis();
        slow = "latency_ns >= " + slowMs + "ms";
    }

    Findings run() throws ProtocolException {
        Map<String, Long> records = session.run("sources").stream()
                .collect(Collectors.toMap(row -> row.text("name"), row -> row.integer("records")));
        narrator.say("");
        narrator.say("  The newest requests:");
        session.run("scan", DemoSource.REQUESTS.sourceName(), "--limit", "3");
        narrator.say("");
        narrator.say("  How long do they take?");
        session.show("hist", DemoSource.REQUESTS.sourceName(), "latency_ns");
        CliRow latency = session.run(
                        "agg", DemoSource.REQUESTS.sourceName(), "latency_ns", "--percentile", "50,99,99.99")
                .get(0);
        narrator.say(
                "  Of ten thousand requests %,d are done within %.2f ms, but the slowest took %.0f. Which are these?",
                9_999, latency.integer("99.99") / 1e6, latency.integer("max") / 1e6);
        List<CliRow> slowRequests = session.run("scan", DemoSource.REQUESTS.sourceName(), "--where", slow);
        narrator.say(
                "  %d of %,d. A sample of one in ten would hold %.1f of them on average.",
                slowRequests.size(),
                records.getOrDefault(DemoSource.REQUESTS.sourceName(), 0L),
                slowRequests.size() / 10.0);
        traceOne(slowRequests);
        narrator.say("");
        narrator.say("  Is it the same each time? All waits of that length, and all packets like that one:");
        List<CliRow> longWaits = session.run("scan", DemoSource.SOCKET_OPS.sourceName(), "--where", slow);
        List<CliRow> badPackets = session.run("scan", DemoSource.PACKETS.sourceName(), "--where", BAD_PACKET);
        Findings findings = new Findings(records, slowRequests, longWaits, badPackets);
        tell(findings);
        return findings;
    }

    /** Follows the slowest request that leads anywhere, as far as it leads. */
    private void traceOne(List<CliRow> slowRequests) throws ProtocolException {
        List<CliRow> slowestFirst = slowRequests.stream()
                .sorted(Comparator.comparingLong((CliRow row) -> row.integer("latency_ns"))
                        .reversed())
                .toList();
        for (CliRow request : slowestFirst) {
            narrator.say("");
            narrator.say(
                    "  Request %d took %.1f ms and %d attempts. What kept the server so long at that time?",
                    request.integer("id"), millis(request), request.integer("attempts"));
            if (traced(request)) {
                return;
            }
        }
    }

    private boolean traced(CliRow request) throws ProtocolException {
        List<CliRow> during =
                correlated(request, DemoSource.REQUESTS, DemoSource.SOCKET_OPS, "--overlap", "latency_ns,latency_ns");
        List<CliRow> waits = during.stream()
                .filter(row -> row.integer("latency_ns") >= TimeUnit.MILLISECONDS.toNanos(slowMs))
                .toList();
        narrator.say("  %,d calls of the server overlap it, of which took as long: %d.", during.size(), waits.size());
        for (CliRow wait : waits) {
            narrator.say(
                    "  A %s waited %.1f ms for port %d and got %d bytes. What had been sent on that connection last?",
                    wait.text("op"), millis(wait), wait.integer("peer_port"), wait.integer("ret"));
            Optional<CliRow> packet = lastPacketBefore(wait);
            if (packet.isPresent() && explains(packet.get(), request)) {
                dissect(packet.get());
                return true;
            }
            narrator.say("  That one carries another request, or all of its own.");
        }
        narrator.say("  Nothing on the wire explains this one.");
        return false;
    }

    /** Whether the packet carries the request and announces more bytes than it has. */
    private static boolean explains(CliRow packet, CliRow request) {
        long frameLength = packet.integer("frame_length") + FrameDescriptor.PREFIX_LENGTH;
        return Findings.requestId(packet) == request.integer("id") && frameLength > packet.integer("length");
    }

    private Optional<CliRow> lastPacketBefore(CliRow wait) {
        long lookBackMs = TimeUnit.NANOSECONDS.toMillis(wait.integer("latency_ns")) + LATENESS_MS;
        List<CliRow> around =
                correlated(wait, DemoSource.SOCKET_OPS, DemoSource.PACKETS, "--before", lookBackMs + "ms");
        narrator.say("  %,d packets in all since shortly before it began. The last on that connection:", around.size());
        Optional<CliRow> last = around.stream()
                .filter(row -> row.integer("src_port") == wait.integer("peer_port"))
                .reduce((earlier, later) -> later);
        last.ifPresent(packet -> narrator.output(packet.toString()));
        return last;
    }

    /** The records of one source around a record of another whose latency few others exceed. */
    private List<CliRow> correlated(CliRow cause, DemoSource source, DemoSource other, String... window) {
        List<String> arguments = new ArrayList<>(List.of(
                source.sourceName(),
                "latency_ns",
                "--above",
                Long.toString(cause.integer("latency_ns") - 1),
                "--with",
                other.sourceName()));
        arguments.addAll(List.of(window));
        return session.run("correlate", arguments.toArray(String[]::new)).stream()
                .filter(row -> row.integer("cause") == cause.integer("addr"))
                .toList();
    }

    /** Shows where in the captured bytes the fault is. */
    private void dissect(CliRow packet) throws ProtocolException {
        byte[] data = packet.bytes("data");
        FrameFlyweight frame = new FrameFlyweight().wrap(data);
        String hex = HexFormat.ofDelimiter(" ").formatHex(data);
        String length = hex.substring(0, FrameDescriptor.PREFIX_LENGTH * 3 - 1);
        narrator.say("  Its bytes:  [%s]%s", length, hex.substring(length.length()));
        narrator.say(
                "  It is the request for \"%s\". The first four bytes are its length field: it announces %d bytes,",
                frame.key(), frame.bodyLength());
        narrator.say(
                "  but %d follow. The server waited for the other %d, which never came; the client gave up,",
                packet.integer("length") - FrameDescriptor.PREFIX_LENGTH,
                frame.frameLength() - packet.integer("length"));
        narrator.say("  connected anew and sent its request again.");
    }

    private void tell(Findings findings) {
        narrator.say("");
        narrator.say("  request          took        the server's recv             the packet that carried it");
        for (Findings.Chain chain : findings.chains()) {
            String wait = chain.waits().stream()
                    .map(row -> Narrator.text("%.1f ms for port %d", millis(row), row.integer("peer_port")))
                    .collect(Collectors.joining(", "));
            narrator.say(
                    "  %-15d  %-10s  %-28s  %d bytes, length field %d",
                    chain.request().integer("id"),
                    Narrator.text("%.1f ms", millis(chain.request())),
                    wait.isEmpty() ? "-" : wait,
                    chain.packet().integer("length"),
                    chain.packet().integer("frame_length"));
        }
    }

    private static double millis(CliRow row) {
        return row.integer("latency_ns") / 1e6;
    }
}
