package dev.loom.cli.demo;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** What the server counts of its socket operations, beside recording them. Usable from any thread. */
final class ServerCounts {
    private final long slowNs;
    private final LongAdder bytesReceived = new LongAdder();
    private final LongAdder bytesSent = new LongAdder();
    private final Set<Integer> stuckPorts = ConcurrentHashMap.newKeySet();

    /** {@code slow} is how long a wait counts as long. */
    ServerCounts(Duration slow) {
        slowNs = slow.toNanos();
    }

    /** {@code returned} is as {@code recv(2)} returns: 0 at the end, negative after a failure. */
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

    /** Peers for which the server waited long, and whose connection then ended. */
    Set<Integer> stuckPorts() {
        return Set.copyOf(stuckPorts);
    }
}
