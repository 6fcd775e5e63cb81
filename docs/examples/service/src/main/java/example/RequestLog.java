package example;

import dev.loom.Recorder;
import dev.loom.api.Bins;
import dev.loom.api.DropPolicy;
import dev.loom.api.IndexFunction;
import dev.loom.api.Source;
import dev.loom.format.Formats;
import dev.loom.format.StructFormat;
import dev.loom.format.StructWriter;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;

/** Turns requests into records. Usable from any thread. */
final class RequestLog {
    private static final StructFormat FORMAT =
            Formats.struct("latency_ns:i64,status:u16,method:utf8,path:utf8");
    private static final int PATH_LENGTH_MAX = 200;

    private final Recorder recorder;
    private final Source source;
    private final ThreadLocal<Payload> payloads = ThreadLocal.withInitial(Payload::new);

    /** A thread's place to put a record together, used again and again, so that recording makes no garbage. */
    private static final class Payload {
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[2048]);
        final StructWriter writer = new StructWriter(FORMAT);
    }

    RequestLog(Recorder recorder) {
        this.recorder = recorder;
        // a store that was there before has both already
        if (recorder.source("requests").isEmpty()) {
            int id = recorder.defineSource("requests", FORMAT, Map.of(), DropPolicy.sample(10, 0.5));
            recorder.defineIndex(id, "latency_ns", IndexFunction.field(FORMAT, "latency_ns"), Bins.logLinear());
        }
        source = recorder.source("requests").orElseThrow();
        recorder.dropPolicy(source.id(), DropPolicy.sample(10, 0.5));
    }

    Source source() {
        return source;
    }

    void record(long latencyNs, int status, String method, String path) {
        Payload payload = payloads.get();
        StructWriter writer = payload.writer;
        writer.begin(payload.buffer, 0);
        writer.setLong(0, latencyNs);
        writer.setLong(1, status);
        writer.setUtf8(2, method.substring(0, Math.min(method.length(), 20)));
        writer.setUtf8(3, path.substring(0, Math.min(path.length(), PATH_LENGTH_MAX)));
        // a negative status needs no care here: what was dropped is counted, and queries say so
        recorder.offer(source.id(), payload.buffer, 0, writer.finish());
    }
}
