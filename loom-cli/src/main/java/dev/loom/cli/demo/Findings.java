package dev.loom.cli.demo;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What the commands found.
 *
 * @param records records by source, as {@code loom sources} counts them
 * @param slowRequests slow requests
 * @param longWaits socket operations that took as long
 * @param badPackets packets whose length field announces more than any request has
 */
record Findings(Map<String, Long> records, List<CliRow> slowRequests, List<CliRow> longWaits, List<CliRow> badPackets) {
    /** A slow request, the bad packet that carried it, and the server's long waits on that connection at that time. */
    record Chain(CliRow request, CliRow packet, List<CliRow> waits) {}

    /** The bad packets, each with the slow request that it carried, oldest first. */
    List<Chain> chains() {
        Map<Long, CliRow> requestsById =
                slowRequests.stream().collect(Collectors.toMap(row -> row.integer("id"), row -> row));
        Map<Long, List<CliRow>> waitsByPort =
                longWaits.stream().collect(Collectors.groupingBy(row -> row.integer("peer_port")));
        List<Chain> chains = new ArrayList<>();
        for (CliRow packet : badPackets) {
            CliRow request = requestsById.get(requestId(packet));
            if (request != null) {
                List<CliRow> waits = waitsByPort.getOrDefault(packet.integer("src_port"), List.of()).stream()
                        .filter(wait -> stuck(wait) && overlap(wait, request))
                        .toList();
                chains.add(new Chain(request, packet, waits));
            }
        }
        chains.sort(Comparator.comparingLong(chain -> chain.packet.timeNs()));
        return chains;
    }

    /** The id of the request in a packet, from the captured bytes. */
    static long requestId(CliRow packet) {
        return new FrameFlyweight().wrap(packet.bytes("data")).requestId();
    }

    /** Whether the server waited in vain because the connection ended. */
    static boolean stuck(CliRow wait) {
        return wait.text("op").equals("recv") && wait.integer("ret") == 0;
    }

    /** Whether two waits overlapped in time; each ended at its record's time. */
    static boolean overlap(CliRow a, CliRow b) {
        return a.timeNs() - a.integer("latency_ns") <= b.timeNs() && b.timeNs() - b.integer("latency_ns") <= a.timeNs();
    }
}
