package dev.loom.bench.otlp;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.SharedWriter;
import dev.loom.api.Eviction;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.bench.push.ScratchDirectory;
import dev.loom.otlp.ExportOutcome;
import dev.loom.otlp.Signal;
import dev.loom.otlp.ingest.IngestSettings;
import dev.loom.otlp.ingest.OtlpIngester;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import java.nio.file.Path;
import org.agrona.concurrent.UnsafeBuffer;

/** A store that takes the requests of a pool in turn. For one thread. */
public final class IngestStore implements AutoCloseable {
    private final Signal signal;
    private final RequestPool pool;
    private final ScratchDirectory directory;
    private final SharedWriter writer;
    private final OtlpIngester ingester;
    private final ExportOutcome outcome = new ExportOutcome();
    private int next;

    /** Opens a new store, and fills its ring once. */
    public IngestStore(Signal signal, RequestPool pool, Path disk, Path staging, int ringBytes, boolean direct) {
        this.signal = signal;
        this.pool = pool;
        directory = ScratchDirectory.in(disk);
        writer = new SharedWriter(Loom.open(LoomConfig.at(directory.path().resolve("store"))
                .stagingDirectory(staging)
                .recordRingBytes(ringBytes)
                .eviction(direct ? Eviction.DIRECT : Eviction.PAGE_CACHE)
                .maxBytes(LoomConfig.UNLIMITED)
                .build()));
        ingester = new OtlpIngester(writer, IngestSettings.defaults());
        while (bytes() < ringBytes) {
            export();
        }
    }

    /** Takes one request. */
    public void export() {
        ingester.export(signal, pool.request(next), 0, pool.length(next), outcome);
        if (outcome.status() != ExportOutcome.Status.ACCEPTED || outcome.accepted() != RequestPool.RECORDS) {
            throw new IllegalStateException("request was not taken: message=" + outcome.message());
        }
        next = (next + 1) % pool.size();
    }

    /** Approximate bytes of the requests taken. */
    public long bytes() {
        return ingester.counters(signal).accepted() / RequestPool.RECORDS * pool.length(0);
    }

    /** Checks that the store has all records, and that the newest is the last one of the last request. */
    public void verify() {
        final String name =
                signal == Signal.TRACES ? "otlp.spans" : signal == Signal.LOGS ? "otlp.logs" : "otlp.metrics";
        try (Snapshot snapshot = writer.loom().snapshot()) {
            final Source source = snapshot.source(name).orElseThrow();
            final long records = snapshot.statistics(source.id()).records();
            if (records != ingester.counters(signal).accepted()) {
                throw new IllegalStateException("records are missing: found=" + records);
            }
            try (QueryCursor newest = RawScan.of(snapshot, source).open()) {
                newest.next();
                final int request = (next + pool.size() - 1) % pool.size();
                final int length = newest.length() - Long.BYTES;
                final UnsafeBuffer stored = new UnsafeBuffer(newest.buffer(), newest.offset() + Long.BYTES, length);
                final UnsafeBuffer sent =
                        new UnsafeBuffer(pool.request(request), pool.length(request) - length, length);
                if (!stored.equals(sent)) {
                    throw new IllegalStateException("newest record is another: address=" + newest.address());
                }
            }
        }
    }

    @Override
    public void close() {
        writer.close();
        directory.close();
    }
}
