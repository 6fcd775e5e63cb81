package dev.loom.bench.probe;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import java.nio.file.Path;
import java.util.Arrays;
import org.agrona.DirectBuffer;

/** Loom: a frame is a batch of one source. */
final class LoomFrames implements FrameStore {
    private static final String LATENCY = "latency_ns";

    private final Loom loom;
    private final int[] sources;
    private final int[] lengths = new int[ProbeRecordDescriptor.FRAME_RECORDS_MAX];
    private boolean closed;

    LoomFrames(Path directory, Path staging, boolean indexed) {
        loom = open(directory, staging);
        sources = defineSources(loom, indexed);
        Arrays.fill(lengths, ProbeRecordDescriptor.RECORD_LENGTH);
    }

    /** Opens a store with the defaults. */
    static Loom open(Path directory, Path staging) {
        return Loom.open(LoomConfig.at(directory.resolve("store"))
                .stagingDirectory(staging)
                .maxBytes(LoomConfig.UNLIMITED)
                .build());
    }

    /** Defines a source for each kind of telemetry, with an index over latencies or without; in the order of the kinds. */
    static int[] defineSources(Loom loom, boolean indexed) {
        final PayloadFormat format = Formats.parse(ProbeRecordDescriptor.FORMAT);
        return Arrays.stream(ProbeSource.values())
                .mapToInt(source -> {
                    final int id = loom.defineSource(source.text(), format);
                    if (indexed) {
                        loom.defineIndex(id, LATENCY, IndexFunction.field(format, LATENCY), Bins.logLinear());
                    }
                    return id;
                })
                .toArray();
    }

    @Override
    public void write(int source, DirectBuffer records, int offset, int count) {
        final int taken = loom.pushBatch(sources[source], records, offset, lengths, count);
        if (taken != count) {
            throw new IllegalStateException("frame was not taken whole: expected=" + count + ", actual=" + taken);
        }
    }

    @Override
    public void finish() {
        loom.force();
    }

    @Override
    public long count() {
        try (Snapshot snapshot = loom.snapshot()) {
            long records = 0;
            for (final int source : sources) {
                final Source.Statistics statistics = snapshot.statistics(source);
                records += statistics.records() - statistics.lost();
            }
            return records;
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            loom.close();
        }
    }
}
