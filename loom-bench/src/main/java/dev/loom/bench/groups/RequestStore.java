package dev.loom.bench.groups;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.bench.push.CpuTime;
import dev.loom.bench.query.ClosedStore;
import dev.loom.bench.search.StoredFiles;
import dev.loom.format.StructFormat;
import dev.loom.format.StructWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/** A closed store of requests, with an index over their latency. Each question takes one thread. */
public final class RequestStore extends ClosedStore implements GroupPeer {
    /** The source. */
    public static final String REQUESTS = "requests";

    /** The field that is summed up, and the index over it. */
    public static final String LATENCY = "latency_ns";

    private static final int PAYLOAD_LENGTH_MAX = 256;

    private final Path path;
    private final List<String> keys;

    /**
     * Writes the store below {@code directory} and attaches to it.
     *
     * @param bins of the index over latency
     * @param keys fields that have an index by their values each, which keeps all latencies
     */
    public RequestStore(Path directory, Path staging, SimulatedRequests requests, Bins bins, List<String> keys) {
        this(written(directory.resolve("store"), staging, requests, bins, keys), keys);
    }

    private RequestStore(Path path, List<String> keys) {
        super(path);
        this.path = path;
        this.keys = List.copyOf(keys);
    }

    private static Path written(Path path, Path staging, SimulatedRequests requests, Bins bins, List<String> keys) {
        final long[] nowNs = {requests.beginNs()};
        final StructFormat format = SimulatedRequests.FORMAT;
        final IndexFunction latency = IndexFunction.field(format, LATENCY);
        try (Loom loom = Loom.open(LoomConfig.at(path)
                .stagingDirectory(staging)
                .clock(() -> nowNs[0])
                .build())) {
            final int source = loom.defineSource(REQUESTS, format);
            loom.defineIndex(source, LATENCY, latency, bins);
            for (final String key : keys) {
                loom.defineIndex(
                        source, LATENCY + ":" + key, latency, Bins.logLinear().withValues(), List.of(key));
            }
            final StructWriter writer = new StructWriter(format);
            final UnsafeBuffer payload = new UnsafeBuffer(new byte[PAYLOAD_LENGTH_MAX]);
            for (long number = 0; number < requests.records(); number++) {
                nowNs[0] = requests.timeNs(number);
                writer.begin(payload, 0);
                int field = 0;
                writer.setLong(field++, requests.customer(number));
                writer.setLong(field++, requests.latencyNs(number));
                writer.setLong(field++, requests.status(number));
                writer.setUtf8(field++, SimulatedRequests.REGION);
                writer.setUtf8(field++, requests.service(number));
                writer.setUtf8(field, requests.route(number));
                final long address = loom.push(source, payload, 0, writer.finish());
                if (address < 0) {
                    throw new IllegalStateException("push was refused: status=" + address);
                }
            }
            finish(loom);
        }
        return path;
    }

    @Override
    public String name() {
        return "loom";
    }

    @Override
    public String description() throws IOException {
        return SimulatedRequests.FORMAT.text() + ", indexes over " + LATENCY + " of all and by each of " + keys
                + "; bytes " + StoredFiles.bytes(path, false);
    }

    @Override
    public Answer ask(GroupQuestion question, int threads) {
        final long startNs = System.nanoTime();
        final long cpuNs = CpuTime.threadNs();
        final List<List<Object>> rows = question.loom().apply(snapshot());
        return new Answer(rows, System.nanoTime() - startNs, CpuTime.threadNs() - cpuNs);
    }
}
