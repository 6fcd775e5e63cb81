package dev.loom.cli.questions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.MessageLite;
import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.SharedWriter;
import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.cli.questions.Shop.Deploy;
import dev.loom.cli.questions.Shop.Instance;
import dev.loom.cli.questions.Shop.Packet;
import dev.loom.cli.questions.Shop.Pause;
import dev.loom.cli.questions.Shop.Syscall;
import dev.loom.format.StructCodec;
import dev.loom.otlp.ExportOutcome;
import dev.loom.otlp.Signal;
import dev.loom.otlp.ingest.IngestSettings;
import dev.loom.otlp.ingest.OtlpIngester;
import io.opentelemetry.proto.metrics.v1.Metric;
import java.lang.invoke.MethodHandles;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.ToLongFunction;
import org.agrona.concurrent.UnsafeBuffer;

/** Writes what happens in the shop into a store, each record at the moment at which it ends, as a sidecar would. */
final class ShopStore implements AutoCloseable {
    /** What arrives at a time. */
    private record Arrival(long timeNs, Runnable write) {}

    private static final Duration TURN = Duration.ofMinutes(1);

    private final AtomicLong clock = new AtomicLong(Shop.BEGIN);
    private final Loom loom;
    private final SharedWriter writer;
    private final OtlpIngester ingester;
    private final List<Arrival> arrivals = new ArrayList<>();

    private ShopStore(Path directory) {
        loom = Loom.open(LoomConfig.at(directory)
                .recordRingBytes(8 << 20)
                .timeRingBytes(1 << 20)
                .chunkRingBytes(1 << 20)
                .maxBytes(1L << 30)
                .minFreeBytes(0)
                .clock(clock::get)
                .build());
        writer = new SharedWriter(loom);
        ingester = new OtlpIngester(writer, IngestSettings.defaults());
    }

    /** Makes a store of the shop. */
    static void write(Shop shop, Path directory) {
        try (ShopStore store = new ShopStore(directory)) {
            shop.spans.forEach(span -> store.at(span.end(), () -> store.send(Signal.TRACES, Otlp.spans(span))));
            shop.logs.forEach(log -> store.at(log.time(), () -> store.send(Signal.LOGS, Otlp.logs(log))));
            store.metrics(shop);
            store.raw("packets", StructCodec.of(Packet.class, MethodHandles.lookup()), "", shop.packets, Packet::tsNs);
            store.raw(
                    "syscalls",
                    StructCodec.of(Syscall.class, MethodHandles.lookup()),
                    "latency_ns",
                    shop.syscalls,
                    Syscall::tsNs);
            store.raw("gc", StructCodec.of(Pause.class, MethodHandles.lookup()), "pause_ns", shop.pauses, Pause::tsNs);
            store.raw("deploys", StructCodec.of(Deploy.class, MethodHandles.lookup()), "", shop.deploys, Deploy::tsNs);
            store.writeAll();
        }
    }

    private void at(long timeNs, Runnable write) {
        arrivals.add(new Arrival(timeNs, write));
    }

    /** Records of a format of their own, with an index over one of its fields, if it is named. */
    private <R extends Record> void raw(
            String name, StructCodec<R> codec, String indexed, List<R> records, ToLongFunction<R> time) {
        int source = loom.defineSource(name, codec.format(), Map.of("event.field", "ts_ns", "event.clock", "wall"));
        if (!indexed.isEmpty()) {
            loom.defineIndex(source, indexed, IndexFunction.field(codec.format(), indexed), Bins.logLinear());
        }
        records.forEach(each -> at(time.applyAsLong(each), () -> {
            assertTrue(writer.acquire(TURN));
            loom.push(source, codec, each);
            writer.release();
        }));
    }

    private void metrics(Shop shop) {
        for (Instance frontend : Shop.FRONTENDS) {
            report(shop, frontend, Shop.BEGIN, Shop.END, ShopMetrics::ofFrontend);
        }
        report(shop, Shop.STABLE, Shop.BEGIN, Shop.END, ShopMetrics::ofPayment);
        long[] starts = {Shop.BEGIN, Shop.DEPLOYED, Shop.ROLLED_BACK, Shop.END};
        for (int i = 0; i + 1 < starts.length; i++) {
            report(shop, Shop.canary(starts[i]), starts[i], starts[i + 1], ShopMetrics::ofPayment);
        }
        ShopMetrics outbox = new ShopMetrics(Shop.BEGIN);
        shop.spans.stream()
                .filter(span -> span.name().equals("charge") && span.error() != null)
                .forEach(span -> at(span.end(), outbox::addFailed));
        report(Shop.STABLE, Shop.BEGIN, Shop.END, outbox, ShopMetrics::ofOutbox);
    }

    /** Counts the spans of a pod's process, and reports them every ten seconds. */
    private void report(
            Shop shop, Instance by, long start, long end, BiFunction<ShopMetrics, Long, List<Metric>> reported) {
        ShopMetrics metrics = new ShopMetrics(start);
        shop.spans.stream()
                .filter(span -> span.by().equals(by) && span.start() >= start && span.start() < end)
                .forEach(span -> at(span.end(), () -> metrics.add(span)));
        report(by, start, end, metrics, reported);
    }

    private void report(
            Instance by,
            long start,
            long end,
            ShopMetrics metrics,
            BiFunction<ShopMetrics, Long, List<Metric>> reported) {
        for (long time = start + ShopMetrics.INTERVAL; time <= end; time += ShopMetrics.INTERVAL) {
            long now = time;
            at(now, () -> send(Signal.METRICS, Otlp.metrics(by, reported.apply(metrics, now))));
        }
    }

    private void writeAll() {
        arrivals.sort(Comparator.comparingLong(Arrival::timeNs));
        for (Arrival arrival : arrivals) {
            clock.set(arrival.timeNs());
            arrival.write().run();
        }
    }

    private void send(Signal signal, MessageLite request) {
        ExportOutcome outcome = new ExportOutcome();
        byte[] bytes = request.toByteArray();
        ingester.export(signal, new UnsafeBuffer(bytes), 0, bytes.length, outcome);
        assertEquals(ExportOutcome.Status.ACCEPTED, outcome.status(), outcome::message);
    }

    @Override
    public void close() {
        assertTrue(writer.acquire(TURN));
        assertTrue(loom.finishTextIndex((done, total) -> true));
        assertTrue(loom.finishRollups((done, total) -> true));
        writer.release();
        writer.close();
    }
}
