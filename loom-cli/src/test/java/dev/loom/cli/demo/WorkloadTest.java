package dev.loom.cli.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.cli.demo.CapturedRecords.Packet;
import dev.loom.cli.demo.CapturedRecords.Request;
import dev.loom.cli.demo.CapturedRecords.SocketOp;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** One short run over real sockets, looked at from every side. A stall of the machine may add retries, never losses. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 3, unit = TimeUnit.MINUTES)
final class WorkloadTest {
    private static final long SEED = 20_251_013;
    private static final int REQUESTS = 2_000;
    private static final int MANGLED = 3;
    private static final Duration TIMEOUT = Duration.ofMillis(100);

    private final CapturedRecords captured = new CapturedRecords();
    private Ledger ledger;
    private int serverPort;

    @BeforeAll
    void runOnce() throws IOException, InterruptedException {
        WorkloadPlan plan = WorkloadPlan.counted(SEED, 2, MANGLED, TIMEOUT, REQUESTS);
        try (Workload workload = Workload.start(plan, captured)) {
            serverPort = workload.serverPort();
            ledger = workload.finish();
        }
    }

    @Test
    void shouldRecordEveryRequestOnce() {
        assertEquals(REQUESTS, ledger.requests());
        assertEquals(REQUESTS, captured.requests.size());
        Set<Long> expected = LongStream.range(0, REQUESTS).boxed().collect(Collectors.toSet());
        assertEquals(expected, captured.requests.stream().map(Request::id).collect(Collectors.toSet()));
        assertEquals(
                ledger.retries(),
                captured.requests.stream().mapToLong(r -> r.attempts() - 1).sum());
    }

    @Test
    void shouldRetryEveryMangledRequestAfterTheTimeout() {
        assertEquals(MANGLED, ledger.mangledIds().size());
        assertTrue(ledger.slowIds().containsAll(ledger.mangledIds()), ledger::toString);
        for (Request request : captured.requests) {
            if (ledger.mangledIds().contains(request.id())) {
                assertTrue(request.attempts() >= 2, request::toString);
                assertTrue(request.latencyNs() >= TIMEOUT.toNanos(), request::toString);
            }
        }
    }

    @Test
    void shouldCountAsSlowWhatTheRecordsShowAsSlow() {
        Set<Long> slow = captured.requests.stream()
                .filter(r -> r.latencyNs() >= TIMEOUT.toNanos() / 2)
                .map(Request::id)
                .collect(Collectors.toSet());
        assertEquals(slow, ledger.slowIds());
    }

    @Test
    void shouldRecordThePacketsThatTheServerReceivedAndSent() {
        assertEquals(ledger.bytesReceived(), bytes(packets("request")));
        assertEquals(ledger.bytesReceived(), received());
        assertEquals(ledger.bytesSent(), bytes(packets("reply")));
        // Each attempt is a packet; one that a stall delayed past its time-out may end on its way to the filter.
        assertTrue(packets("request").size() >= REQUESTS + MANGLED);
        assertTrue(packets("request").size() <= REQUESTS + ledger.retries());
        packets("request").forEach(packet -> assertEquals(serverPort, packet.dstPort()));
        packets("reply").forEach(packet -> assertEquals(serverPort, packet.srcPort()));
    }

    @Test
    void shouldShowTheMangledLengthInTheBytesOfItsPacket() {
        Set<Long> found = new HashSet<>();
        for (Packet packet : packets("request")) {
            ByteBuffer data = packet.data();
            int announced = data.getInt(0);
            long id = data.getLong(5);
            assertEquals(packet.frameLength(), announced);
            assertEquals(Math.min(packet.length(), PacketFilter.CAPTURED_LENGTH_MAX), data.capacity());
            int followed = packet.length() - Integer.BYTES;
            if (announced != followed) {
                assertTrue(announced > FrameDescriptor.REQUEST_BODY_LENGTH_MAX, packet::toString);
                assertEquals(1, Integer.bitCount(announced ^ followed), packet::toString);
                assertTrue(found.add(id), packet::toString);
            }
        }
        assertEquals(ledger.mangledIds(), found);
    }

    @Test
    void shouldLeaveTheServerWaitingUntilTheConnectionOfAMangledPacketEnds() {
        for (Packet bad : packets("request")) {
            if (bad.frameLength() > FrameDescriptor.REQUEST_BODY_LENGTH_MAX) {
                List<Packet> onConnection = packets("request").stream()
                        .filter(packet -> packet.srcPort() == bad.srcPort())
                        .toList();
                assertEquals(bad, onConnection.get(onConnection.size() - 1));
                List<SocketOp> ops = captured.socketOps.stream()
                        .filter(op -> op.peerPort() == bad.srcPort())
                        .toList();
                SocketOp last = ops.get(ops.size() - 1);
                SocketOp before = ops.get(ops.size() - 2);
                assertEquals("recv", last.op());
                assertEquals(0, last.ret());
                assertEquals("recv", before.op());
                assertEquals(bad.length(), before.ret());
            }
        }
    }

    private List<Packet> packets(String direction) {
        return captured.packets.stream()
                .filter(packet -> packet.direction().equals(direction))
                .toList();
    }

    private static long bytes(List<Packet> packets) {
        return packets.stream().mapToLong(Packet::length).sum();
    }

    private long received() {
        return captured.socketOps.stream()
                .filter(op -> op.op().equals("recv"))
                .mapToLong(op -> Math.max(0, op.ret()))
                .sum();
    }
}
