package dev.loom.cli.demo;

import dev.loom.Recorder;
import java.util.Arrays;
import java.util.List;

/** What the workload records, once it has warmed up. Usable from any thread. */
final class Telemetry {
    /** Bytes kept of each packet. */
    static final int CAPTURED_LENGTH_MAX = 32;

    private final TelemetrySource requests;
    private final TelemetrySource socketOps;
    private final TelemetrySource packets;
    private volatile boolean on;

    Telemetry(Recorder recorder) {
        requests = new TelemetrySource(
                recorder, "requests", "id:i64,latency_ns:i64,attempts:u8,op:utf8,key:utf8", "latency_ns");
        socketOps = new TelemetrySource(
                recorder, "socket_ops", "latency_ns:i64,op:utf8,ret:i32,peer_port:u16", "latency_ns");
        packets = new TelemetrySource(
                recorder,
                "packets",
                "length:i32,frame_length:i32,src_port:u16,dst_port:u16,held_ns:i64,data:bytes",
                "frame_length");
    }

    List<TelemetrySource> sources() {
        return List.of(requests, socketOps, packets);
    }

    void start() {
        on = true;
    }

    boolean on() {
        return on;
    }

    /** Records a request that has its reply, timed by the client from the first byte sent, over all attempts. */
    void request(long id, long latencyNs, int attempts, String op, String key) {
        if (on) {
            requests.record(id, latencyNs, attempts, op, key);
        }
    }

    /** Records a {@code recv} or {@code send} of the server; {@code ret} is 0 at the end of the stream, -1 after an error. */
    void socketOp(long latencyNs, String op, int ret, int peerPort) {
        if (on) {
            socketOps.record(latencyNs, op, ret, peerPort);
        }
    }

    /** Records a message as it leaves the filter, {@code heldNs} after it was received. */
    void packet(byte[] bytes, int sourcePort, int destinationPort, long heldNs) {
        if (on) {
            byte[] data = Arrays.copyOf(bytes, Math.min(bytes.length, CAPTURED_LENGTH_MAX));
            packets.record(bytes.length, Frame.bodyLength(bytes), sourcePort, destinationPort, heldNs, data);
        }
    }
}
