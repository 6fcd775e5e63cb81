package example;

import dev.loom.Loom;
import dev.loom.api.Snapshot;
import dev.loom.format.StructCodec;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import java.lang.invoke.MethodHandles;
import java.nio.file.Files;
import java.nio.file.Path;

/** Stores a hundred thousand requests, a slow one among them, and finds it again. */
public final class Embed {
    /** A record of the store has two fields: latency_ns:i64 and key:utf8. */
    private record Request(long latencyNs, String key) {}

    private static final StructCodec<Request> REQUESTS = StructCodec.of(Request.class, MethodHandles.lookup());

    public static void main(String[] args) throws Exception {
        Path directory = Files.createTempDirectory("loom-embed");
        try (Loom loom = Loom.open(directory)) {
            int requests = loom.defineSource("requests", REQUESTS.format());
            for (int i = 0; i < 100_000; i++) {
                loom.push(requests, REQUESTS, new Request(i == 27_182 ? 80_000_000 : 40_000, "key-" + i));
            }
            try (Snapshot snapshot = loom.snapshot();
                    QueryCursor record = RawScan.of(snapshot, requests).open()) {
                while (record.next()) {
                    Request request = record.read(REQUESTS);
                    if (request.latencyNs() > 50_000_000) {
                        System.out.println("slow request: time=" + record.timeNs() + ", request=" + request);
                    }
                }
            }
        }
    }
}
