package dev.loom.cli.demo;

import dev.loom.Recorder;
import dev.loom.api.Bins;
import dev.loom.api.DropPolicy;
import dev.loom.api.IndexFunction;
import dev.loom.api.PushStatus;
import dev.loom.format.Formats;
import dev.loom.format.StructFormat;
import dev.loom.format.StructWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;

/** What the workload records, once it has warmed up. Usable from any thread. */
final class Telemetry {
    /** One source of the demo with its index: encodes records, passes them to the recorder, counts them. Usable from any thread. */
    static final class Source {
        private static final int PAYLOAD_LENGTH_MAX = 1024;

        private final Recorder recorder;
        private final String name;
        private final int id;
        private final StructWriter writer;
        private final UnsafeBuffer payload = new UnsafeBuffer(new byte[PAYLOAD_LENGTH_MAX]);
        private long recorded;

        /** Defines the source. */
        Source(Recorder recorder, String name, String fields, String indexedField) {
            this.recorder = recorder;
            this.name = name;
            StructFormat format = Formats.struct(fields);
            writer = new StructWriter(format);
            id = recorder.defineSource(name, format, Map.of(), DropPolicy.waitUpTo(DropPolicy.WAIT_MAX));
            recorder.defineIndex(id, indexedField, IndexFunction.field(format, indexedField), Bins.logLinear());
        }

        String name() {
            return name;
        }

        /**
         * Records one event; never drops it.
         *
         * @param values one per field: integers, texts and byte arrays
         */
        synchronized void record(Object... values) {
            writer.begin(payload, 0);
            for (int i = 0; i < values.length; i++) {
                if (values[i] instanceof Number number) {
                    writer.setLong(i, number.longValue());
                } else if (values[i] instanceof byte[] bytes) {
                    writer.setBytes(i, new UnsafeBuffer(bytes), 0, bytes.length);
                } else {
                    writer.setUtf8(i, (String) values[i]);
                }
            }
            long status = recorder.offer(id, payload, 0, writer.finish());
            if (status < 0) {
                throw new IllegalStateException(
                        "record was refused: source=" + name + ", status=" + PushStatus.name(status));
            }
            recorded++;
        }

        /** Records taken so far. */
        synchronized long recorded() {
            return recorded;
        }
    }

    /** Bytes kept of each packet. */
    static final int CAPTURED_LENGTH_MAX = 32;

    private final Source requests;
    private final Source socketOps;
    private final Source packets;
    private volatile boolean on;

    Telemetry(Recorder recorder) {
        requests = new Source(recorder, "requests", "id:i64,latency_ns:i64,attempts:u8,op:utf8,key:utf8", "latency_ns");
        socketOps = new Source(recorder, "socket_ops", "latency_ns:i64,op:utf8,ret:i32,peer_port:u16", "latency_ns");
        packets = new Source(
                recorder,
                "packets",
                "length:i32,frame_length:i32,src_port:u16,dst_port:u16,held_ns:i64,data:bytes",
                "frame_length");
    }

    List<Source> sources() {
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
