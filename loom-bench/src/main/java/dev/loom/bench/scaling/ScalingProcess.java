package dev.loom.bench.scaling;

import dev.loom.bench.push.CpuTime;
import dev.loom.bench.push.PayloadPool;
import dev.loom.bench.push.PushSettings;
import dev.loom.bench.search.StoredFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** Runs a plan in a JVM of its own, since compiled code depends on all that a JVM has run before. */
public final class ScalingProcess {
    private ScalingProcess() {}

    /**
     * Runs a plan.
     *
     * @param atBegin called when the measured part begins
     * @param atEnd called when it ends
     * @throws IllegalStateException if the run fails
     */
    public static ScalingRun run(ScalingPlan plan, Runnable atBegin, Runnable atEnd) {
        final PushSettings settings = plan.settings();
        final List<String> arguments = List.of(
                plan.kind().text(),
                settings.directory().toString(),
                settings.staging().toString(),
                Integer.toString(settings.payloadLength()),
                Integer.toString(settings.ringBytes()),
                Long.toString(settings.segmentBytes()),
                Boolean.toString(settings.direct()),
                Integer.toString(plan.threads()),
                Double.toString(plan.warmUpSeconds()),
                Double.toString(plan.seconds()),
                Double.toString(plan.rate()));
        final long[] figures = ChildJvm.run(ScalingProcess.class, arguments, atBegin, atEnd);
        return new ScalingRun(figures[0], figures[1], figures[2], figures[3]);
    }

    /** The child process; {@link #run} passes the arguments. */
    public static void main(String[] arguments) throws InterruptedException {
        ChildJvm.endWithParent();
        final ScalingPlan plan = new ScalingPlan(
                ScalingKind.parse(arguments[0]),
                new PushSettings(
                        Path.of(arguments[1]),
                        Path.of(arguments[2]),
                        Integer.parseInt(arguments[3]),
                        Integer.parseInt(arguments[4]),
                        Long.parseLong(arguments[5]),
                        Boolean.parseBoolean(arguments[6])),
                Integer.parseInt(arguments[7]),
                Double.parseDouble(arguments[8]),
                Double.parseDouble(arguments[9]),
                Double.parseDouble(arguments[10]));
        final ScalingRun run = measure(plan);
        ChildJvm.result(run.records(), run.elapsedNs(), run.settledNs(), run.cpuNs());
    }

    private static ScalingRun measure(ScalingPlan plan) throws InterruptedException {
        final int threads = plan.threads();
        final PayloadPool pool = new PayloadPool(plan.settings().payloadLength());
        try (PushTeam team = plan.kind().open(plan.settings(), pool, threads)) {
            final long[] before = ScalingPhase.run(team, threads, plan.warmUpSeconds(), plan.rate());
            team.drain();
            syncFiles(plan.settings().directory());
            ChildJvm.begin();
            final long cpuNs = CpuTime.processNs();
            final long beginNs = System.nanoTime();
            final long[] measured = ScalingPhase.run(team, threads, plan.seconds(), plan.rate());
            final long endNs = System.nanoTime();
            ChildJvm.end();
            team.finish();
            syncFiles(plan.settings().directory());
            final ScalingRun run = new ScalingRun(
                    Arrays.stream(measured).sum(),
                    endNs - beginNs,
                    System.nanoTime() - beginNs,
                    CpuTime.processNs() - cpuNs);
            final long[] all = new long[threads];
            Arrays.setAll(all, i -> before[i] + measured[i]);
            team.verify(all);
            return run;
        }
    }

    /** Waits until all that was written to the files is on the disk. */
    private static void syncFiles(Path directory) {
        try {
            StoredFiles.force(directory);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
