package dev.loom.cli.demo;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;

/** Keeps the workload's records, decoded by hand: the formats of {@link DemoSource}, written down once more. */
final class CapturedRecords implements TelemetrySink {
    record Request(long id, long latencyNs, int client, int attempts, String op, String key) {}

    record SocketOp(long latencyNs, int ret, int peerPort, String op, String thread) {}

    record Packet(int length, int frameLength, int srcPort, int dstPort, String direction, ByteBuffer data) {}

    final List<Request> requests = new ArrayList<>();
    final List<SocketOp> socketOps = new ArrayList<>();
    final List<Packet> packets = new ArrayList<>();

    @Override
    public synchronized void record(DemoSource source, DirectBuffer payload, int offset, int length) {
        byte[] bytes = new byte[length];
        payload.getBytes(offset, bytes);
        ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        switch (source) {
            case REQUESTS ->
                requests.add(
                        new Request(in.getLong(), in.getLong(), in.get() & 0xFF, in.get() & 0xFF, text(in), text(in)));
            case SOCKET_OPS ->
                socketOps.add(new SocketOp(in.getLong(), in.getInt(), in.getShort() & 0xFFFF, text(in), text(in)));
            case PACKETS ->
                packets.add(new Packet(
                        in.getInt(),
                        in.getInt(),
                        in.getShort() & 0xFFFF,
                        in.getShort() & 0xFFFF,
                        text(in),
                        ByteBuffer.wrap(variable(in))));
        }
        if (in.hasRemaining()) {
            throw new IllegalStateException("payload has bytes left: source=" + source + ", left=" + in.remaining());
        }
    }

    private static String text(ByteBuffer in) {
        return new String(variable(in), StandardCharsets.US_ASCII);
    }

    private static byte[] variable(ByteBuffer in) {
        byte[] bytes = new byte[in.get()];
        in.get(bytes);
        return bytes;
    }
}
