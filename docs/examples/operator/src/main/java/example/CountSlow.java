package example;

import dev.loom.Loom;
import dev.loom.api.Bins;
import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.format.StructCodec;
import java.lang.invoke.MethodHandles;
import java.nio.file.Files;

/** Stores a hundred thousand requests, some of them slow, and counts these with an operator of its own. */
public final class CountSlow {
    private record Request(long latencyNs, String key) {}

    private static final StructCodec<Request> REQUESTS = StructCodec.of(Request.class, MethodHandles.lookup());

    public static void main(String[] args) throws Exception {
        try (Loom loom = Loom.open(Files.createTempDirectory("loom-operator"))) {
            int id = loom.defineSource("requests", REQUESTS.format());
            loom.defineIndex(
                    id, "latency_ns", IndexFunction.field(REQUESTS.format(), "latency_ns"), Bins.logLinear());
            for (int i = 0; i < 100_000; i++) {
                loom.push(id, REQUESTS, new Request(i % 50_000 == 27_182 ? 80_000_000 : 40_000, "key-" + i));
            }
            try (Snapshot snapshot = loom.snapshot()) {
                Source source = snapshot.source("requests").orElseThrow();
                Index index = snapshot.index(id, "latency_ns").orElseThrow();
                CountAbove.Result slow = CountAbove.run(snapshot, source, index, 50_000_000);
                System.out.println("slow requests: " + slow);
                if (slow.count() != 2 || slow.recordsRead() > 20_000 || !slow.complete()) {
                    throw new IllegalStateException("of 100,000 requests two are slow: " + slow);
                }
            }
        }
    }
}
