package example;

import dev.loom.Recorder;
import dev.loom.api.Bins;
import dev.loom.api.DropPolicy;
import dev.loom.api.IndexFunction;
import dev.loom.api.Source;
import dev.loom.format.Field;
import dev.loom.format.StructCodec;
import dev.loom.format.StructField;
import java.util.Map;

/** Turns requests into records. Usable from any thread. */
final class RequestLog {
    private static final StructCodec<Request> REQUESTS = StructCodec.of(Request.class);
    private static final int PATH_LENGTH_MAX = 200;

    private final Recorder recorder;
    private final Source source;

    /** {@code struct:latency_ns:i64,status:u16,method:utf8,path:utf8} */
    private record Request(
            long latencyNs, @StructField(type = Field.Type.U16) int status, String method, String path) {}

    RequestLog(Recorder recorder) {
        this.recorder = recorder;
        if (recorder.source("requests").filter(known -> !known.closed()).isEmpty()) {
            recorder.defineSource("requests", REQUESTS.format(), Map.of(), DropPolicy.sample(10, 0.5));
        }
        source = recorder.source("requests").orElseThrow();
        recorder.dropPolicy(source.id(), DropPolicy.sample(10, 0.5));
        // changes nothing if it is there; a process that was killed may have left a source without it
        recorder.defineIndex(
                source.id(), "latency_ns", IndexFunction.field(REQUESTS.format(), "latency_ns"), Bins.logLinear());
    }

    Source source() {
        return source;
    }

    void record(long latencyNs, int status, String method, String path) {
        Request request = new Request(
                latencyNs,
                status,
                method.substring(0, Math.min(method.length(), 20)),
                path.substring(0, Math.min(path.length(), PATH_LENGTH_MAX)));
        // a negative result needs no care here: what was dropped is counted, and queries say so
        recorder.offer(source.id(), REQUESTS, request);
    }
}
