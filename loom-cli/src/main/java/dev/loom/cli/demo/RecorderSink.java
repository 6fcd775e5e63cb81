package dev.loom.cli.demo;

import dev.loom.Recorder;
import dev.loom.api.Bins;
import dev.loom.api.DropPolicy;
import dev.loom.api.IndexFunction;
import dev.loom.api.PushStatus;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import org.agrona.DirectBuffer;

/** Passes the workload's records to the store's recorder and counts them. Drops nothing. Usable from any thread. */
final class RecorderSink implements TelemetrySink {
    private final Recorder recorder;
    private final Map<DemoSource, Integer> ids = new EnumMap<>(DemoSource.class);
    private final Map<DemoSource, LongAdder> recorded = new EnumMap<>(DemoSource.class);

    /** Defines the demo's sources, each with its index. */
    RecorderSink(Recorder recorder) {
        this.recorder = recorder;
        for (DemoSource source : DemoSource.values()) {
            int id = recorder.defineSource(
                    source.sourceName(), source.format(), Map.of(), DropPolicy.waitUpTo(DropPolicy.WAIT_MAX));
            recorder.defineIndex(
                    id,
                    source.indexedField(),
                    IndexFunction.field(source.format(), source.indexedField()),
                    Bins.logLinear());
            ids.put(source, id);
            recorded.put(source, new LongAdder());
        }
    }

    @Override
    public void record(DemoSource source, DirectBuffer payload, int offset, int length) {
        long status = recorder.offer(id(source), payload, offset, length);
        if (status < 0) {
            throw new IllegalStateException(
                    "record was refused: source=" + source + ", status=" + PushStatus.name(status));
        }
        Objects.requireNonNull(recorded.get(source)).increment();
    }

    private int id(DemoSource source) {
        return Objects.requireNonNull(ids.get(source));
    }

    /** Records passed on so far, by source. */
    Map<DemoSource, Long> recorded() {
        Map<DemoSource, Long> sums = new EnumMap<>(DemoSource.class);
        recorded.forEach((source, adder) -> sums.put(source, adder.sum()));
        return sums;
    }

    /** Records in the store so far, by source. */
    Map<DemoSource, Long> published() {
        Map<DemoSource, Long> counts = new EnumMap<>(DemoSource.class);
        ids.forEach((source, id) -> counts.put(source, recorder.published(id)));
        return counts;
    }
}
