package dev.loom.cli.demo;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.Recorder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Captures the workload in a store and reports the rates as it runs. */
final class Capture {
    /**
     * The result of a capture.
     *
     * @param recorded records handed over, by source; the store took all of them
     */
    record Captured(Ledger ledger, Map<DemoSource, Long> recorded) {}

    private static final long POLL_MS = 100;
    private static final long TELL_EVERY_NS = TimeUnit.SECONDS.toNanos(1);

    /** Enough to load every class; loading would make the first requests slow. */
    private static final long WARM_UP_REQUESTS = 2_000;

    private final WorkloadPlan plan;
    private final Path directory;
    private final CliSession session;
    private final Narrator narrator;
    private final BooleanSupplier interrupted;

    Capture(WorkloadPlan plan, Path directory, CliSession session, Narrator narrator, BooleanSupplier interrupted) {
        this.plan = plan;
        this.directory = directory;
        this.session = session;
        this.narrator = narrator;
        this.interrupted = interrupted;
    }

    /** Returns when the workload has ended, or soon after an interruption. */
    Captured run() throws IOException, InterruptedException {
        warmUp();
        // the workload closes before the recorder, which has then received the last record
        try (Recorder recorder =
                Recorder.on(Loom.open(LoomConfig.at(directory).build())).start()) {
            return run(new RecorderSink(recorder));
        }
    }

    private Captured run(RecorderSink sink) throws IOException, InterruptedException {
        try (Workload workload = Workload.start(plan, sink)) {
            narrator.say(
                    "  A key-value server on 127.0.0.1:%d, %d clients, and a packet filter between them on port %d.",
                    workload.serverPort(), plan.clients(), workload.filterPort());
            watch(workload, sink);
            workload.stop(); // only has an effect after an interruption
            Ledger ledger = workload.finish();
            return new Captured(ledger, sink.recorded());
        }
    }

    private void warmUp() throws IOException, InterruptedException {
        WorkloadPlan warmUp =
                WorkloadPlan.counted(plan.seed(), plan.clients(), 0, plan.replyTimeout(), WARM_UP_REQUESTS);
        try (Workload workload = Workload.start(warmUp, (source, payload, offset, length) -> {})) {
            workload.finish();
        }
    }

    private void watch(Workload workload, RecorderSink sink) throws InterruptedException {
        Map<DemoSource, Long> before = sink.published();
        long beforeNs = System.nanoTime();
        boolean listed = false;
        while (!workload.await(POLL_MS, TimeUnit.MILLISECONDS) && !interrupted.getAsBoolean()) {
            long nowNs = System.nanoTime();
            if (nowNs - beforeNs < TELL_EVERY_NS) {
                continue;
            }
            Map<DemoSource, Long> now = sink.published();
            tellRates(before, now, (nowNs - beforeNs) / 1e9);
            before = now;
            beforeNs = nowNs;
            if (!listed) {
                narrator.say("");
                narrator.say("  The store can be read while it is written, here and in any other process:");
                session.run("sources");
                narrator.say("");
                listed = true;
                before = sink.published();
                beforeNs = System.nanoTime();
            }
        }
    }

    private void tellRates(Map<DemoSource, Long> before, Map<DemoSource, Long> now, double seconds) {
        StringBuilder line = new StringBuilder();
        double sum = 0;
        for (DemoSource source : DemoSource.values()) {
            double rate = (now.getOrDefault(source, 0L) - before.getOrDefault(source, 0L)) / seconds;
            line.append(Narrator.text("%,10.0f %s/s", rate, source.sourceName()));
            sum += rate;
        }
        narrator.say("%s, together %,.0f records/s", line, sum);
    }
}
