package dev.loom.cli.demo;

import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Goes from a slow request to the packet that made it slow, with commands only, as an engineer would. */
final class Story {
    /** What the commands found. */
    record Findings(Map<String, Long> records, Set<Long> slowIds, Set<Long> damagedIds) {}

    private static final String SLOW = "latency_ns >= " + Workload.SLOW.toMillis() + "ms";
    private static final String DAMAGED = "frame_length > " + Frame.REQUEST_BODY_LENGTH_MAX;

    /** Columns of a heatmap beside its labels. */
    private static final int STEPS = 66;

    private static final int SLOWEST_SHOWN = 5;

    private final Shell shell;
    private final Narrator narrator;
    private final int seconds;

    Story(Shell shell, Narrator narrator, int seconds) {
        this.shell = shell;
        this.narrator = narrator;
        this.seconds = seconds;
    }

    Findings tell() {
        Map<String, Long> records = shell.ask("sources").stream()
                .collect(Collectors.toMap(row -> row.text("name"), row -> row.integer("records")));
        List<CliRow> slow = slowRequests(records.getOrDefault("requests", 0L));
        for (CliRow request : slow) {
            if (traced(request)) {
                break;
            }
        }
        narrator.heading("Is it the same each time?");
        narrator.say(
                "No client sends more than %d bytes at once, so larger lengths are wrong. The index over frame_length"
                        + " finds them without a scan:",
                Frame.REQUEST_BODY_LENGTH_MAX);
        List<CliRow> damaged =
                shell.showAndAsk("scan packets --where '" + DAMAGED + "' --fields length,frame_length,src_port,data");
        return new Findings(
                records,
                slow.stream().map(row -> row.integer("id")).collect(Collectors.toSet()),
                damaged.stream().map(row -> Frame.requestId(row.bytes("data"))).collect(Collectors.toSet()));
    }

    private List<CliRow> slowRequests(long requests) {
        narrator.heading("Is the service fast?");
        String step = Math.max(1, seconds * 1000 / STEPS) + "ms";
        shell.show("hist requests latency_ns --by time,value --step " + step);
        CliRow latency = shell.ask("agg requests latency_ns --percentile 50").get(0);
        List<CliRow> slow = shell.ask("scan requests --where '" + SLOW + "'").stream()
                .sorted(Comparator.comparingLong((CliRow row) -> row.integer("latency_ns"))
                        .reversed())
                .toList();
        narrator.say(
                "Time runs to the right and latency up. Half of %,d requests took less than %.0f us. The %d dots on"
                        + " top took more than %d ms, and while each of them waited, nothing else was served. A sample"
                        + " of one request in a hundred would most likely hold none of them.",
                requests, latency.integer("50") / 1e3, slow.size(), Workload.SLOW.toMillis());
        narrator.heading("Which requests are they?");
        shell.show("top requests latency_ns -n " + SLOWEST_SHOWN);
        return slow;
    }

    /** Follows a request as far as it leads; returns whether it leads to a damaged packet. */
    private boolean traced(CliRow request) {
        String above = Long.toString(request.integer("latency_ns") - 1);
        narrator.heading(Narrator.text("What did the server do during request %d?", request.integer("id")));
        List<CliRow> calls = correlated(above, "socket_ops", "latency_ns", "");
        calls.stream()
                .filter(row -> row.integer("ret") == 0)
                .max(Comparator.comparingLong(row -> row.integer("latency_ns")))
                .ifPresent(wait -> narrator.say(
                        "It waited %.0f ms for more bytes from port %d, until that connection ended (ret=0).",
                        wait.integer("latency_ns") / 1e6, wait.integer("peer_port")));
        narrator.heading("What was on the wire at that time?");
        List<CliRow> packets = correlated(above, "packets", "held_ns", " --fields length,frame_length,src_port,data");
        Optional<CliRow> damaged = packets.stream()
                .filter(packet -> Frame.requestId(packet.bytes("data")) == request.integer("id"))
                .filter(packet -> announced(packet) > packet.integer("length"))
                .findFirst();
        damaged.ifPresentOrElse(
                this::dissect,
                () -> narrator.say("Nothing here explains it: this machine itself stopped for a while."));
        return damaged.isPresent();
    }

    /** The records of a source during the requests above a latency. */
    private List<CliRow> correlated(String above, String source, String duration, String options) {
        return shell.showAndAsk("correlate requests latency_ns --above " + above + " --with " + source
                + " --overlap latency_ns," + duration + options);
    }

    private void dissect(CliRow packet) {
        byte[] data = packet.bytes("data");
        long length = packet.integer("length");
        long right = length - Frame.PREFIX_LENGTH;
        long wrong = packet.integer("frame_length");
        narrator.say("The same request twice, over two connections, and one reply. The bytes of the first packet:");
        narrator.gap();
        HexFormat hex = HexFormat.ofDelimiter(" ");
        int each = narrator.columns < Narrator.COLUMNS_MAX ? 8 : 16;
        for (int from = 0; from < data.length; from += each) {
            int to = Math.min(data.length, from + each);
            narrator.line(Narrator.text(
                    "  %04x  %-" + (3 * each - 1) + "s  %s",
                    from,
                    hex.formatHex(data, from, to),
                    ascii(data, from, to)));
            if (from == 0) {
                narrator.line("        ^^^^^^^^^^^ its length");
            }
        }
        narrator.gap();
        narrator.say(
                "Its length field says %d, but %d bytes follow: 0x%x instead of 0x%x, so one bit was flipped on the"
                        + " way. The server waited for %d bytes that nobody had sent; after %d ms the client gave up,"
                        + " connected again, and repeated its request.",
                wrong, right, wrong, right, wrong - right, Workload.REPLY_TIMEOUT.toMillis());
    }

    private static long announced(CliRow packet) {
        return packet.integer("frame_length") + Frame.PREFIX_LENGTH;
    }

    private static String ascii(byte[] data, int from, int to) {
        StringBuilder text = new StringBuilder();
        for (int i = from; i < to; i++) {
            text.append(data[i] >= ' ' && data[i] <= '~' ? (char) data[i] : '.');
        }
        return text.toString();
    }
}
