package dev.loom.cli.demo;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** The server's own counts of its socket operations, kept beside the records. Usable from any thread. */
final class ServerCounts {
    private final long slowNs;
    private final LongAdder bytesReceived = new LongAdder();
    private final LongAdder bytesSent = new LongAdder();
    private final Set<Integer> stuckPorts = ConcurrentHashMap.newKeySet();

    /** @param slow the shortest wait that counts as long */
    ServerCounts(Duration slow) {
        slowNs = slow.toNanos();
    }

    /** @param returned as {@code recv(2)} returns: 0 at the end, negative after a failure */
    void received(int peerPort, long latencyNs, int returned) {
        bytesReceived.add(Math.max(0, returned));
        if (returned == 0 && latencyNs >= slowNs) {
            stuckPorts.add(peerPort);
        }
    }

    void sent(int returned) {
        bytesSent.add(Math.max(0, returned));
    }

    long bytesReceived() {
        return bytesReceived.sum();
    }

    long bytesSent() {
        return bytesSent.sum();
    }

    /** Ports of peers for which the server waited long before the connection ended. */
    Set<Integer> stuckPorts() {
        return Set.copyOf(stuckPorts);
    }
}
