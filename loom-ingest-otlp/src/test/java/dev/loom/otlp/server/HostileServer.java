package dev.loom.otlp.server;

import dev.loom.otlp.ExportOutcome;
import dev.loom.otlp.Signal;
import dev.loom.otlp.json.JsonRequests;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.DirectBuffer;

/** A process of its own with a receiver of default settings, that ends when its input does. */
final class HostileServer {
    private static final AtomicLong SUM = new AtomicLong();

    private HostileServer() {}

    public static void main(String[] args) throws IOException {
        ServerProtection protection = ServerProtection.defaults();
        OtlpReceiver receiver = new OtlpReceiver(
                OtlpConfig.defaults(), protection, HostileServer::export, new JsonRequests(), failure -> {});
        HttpServers.Listener listener =
                new HttpServers.Listener(Endpoint.parse("localhost:0"), receiver, receiver.refusals());
        try (HttpServers servers = HttpServers.start(protection, List.of(listener), failure -> {})) {
            System.out.println(servers.port(0));
            while (System.in.read() >= 0) {
                long direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                        .filter(pool -> pool.getName().equals("direct"))
                        .mapToLong(BufferPoolMXBean::getMemoryUsed)
                        .sum();
                System.out.printf(
                        "in flight=%d, peak=%d, connections=%d, direct=%d, threads=%d, heap=%s%n",
                        receiver.bytesInFlight(),
                        receiver.bytesInFlightPeak(),
                        servers.connections(),
                        direct,
                        Thread.activeCount(),
                        ManagementFactory.getMemoryMXBean().getHeapMemoryUsage());
            }
        }
    }

    private static void export(Signal signal, DirectBuffer message, int offset, int length, ExportOutcome outcome) {
        long sum = 0;
        for (int i = 0; i < length; i++) {
            sum += message.getByte(offset + i);
        }
        SUM.addAndGet(sum);
        outcome.accepted(1);
    }
}
