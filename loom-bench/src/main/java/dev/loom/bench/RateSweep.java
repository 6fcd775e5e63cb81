package dev.loom.bench;

import dev.loom.bench.figure.FigurePanel;
import dev.loom.bench.figure.FigureResult;
import dev.loom.bench.replay.ReplayPlan;
import dev.loom.bench.replay.ReplayResult;
import dev.loom.bench.replay.ReplayWorkload;
import dev.loom.bench.replay.SinkKind;
import java.util.List;
import java.util.Locale;

/**
 * Figure 2: CPU and drops of each system as the rate rises. The CPU time is that of all its processes, for everything that they do, from
 * the first record until the last one is visible.
 */
final class RateSweep {
    private static final String CPU = "cpu";
    private static final String DROPS = "drops";
    private static final double PERCENT = 100;
    private static final long SECOND_MS = 1_000;
    private static final int DECIMALS = 2;

    private final EvaluationRuns runs;
    private final List<SinkKind> kinds;

    RateSweep(EvaluationRuns runs, List<SinkKind> kinds) {
        this.runs = runs;
        this.kinds = kinds;
    }

    void run() throws Exception {
        final FigureResult figure = runs.figure("2", "CPU and drops as the rate rises")
                .panel(FigurePanel.lines(CPU, "CPU", "records/s offered", "CPU of the machine, %")
                        .logX())
                .panel(FigurePanel.lines(DROPS, "Drops", "records/s offered", "records dropped, %")
                        .logX());
        final MarkdownTable table = new MarkdownTable(
                runs.out(),
                "Figure 2: CPU and drops as the rate rises",
                "system",
                "records/s offered",
                "CPU of the machine, %",
                "CPU ns a stored record",
                "dropped, %",
                "Behind, ms at most");
        for (final SinkKind kind : kinds) {
            for (final String rate : runs.option(
                            "rates", "100000,200000,400000,800000,1600000,3200000", "50000,200000,800000")
                    .split(",", -1)) {
                measure(kind, Double.parseDouble(rate), figure, table);
            }
        }
        runs.write(figure);
    }

    private void measure(SinkKind kind, double rate, FigureResult figure, MarkdownTable table) throws Exception {
        final ReplayPlan all = runs.plan(ReplayWorkload.REDIS, ReplayWorkload.PHASES);
        final ReplayPlan plan = new ReplayPlan(
                ReplayWorkload.REDIS,
                ReplayWorkload.PHASES,
                all.scale() * rate / all.rate(),
                Math.round(Double.parseDouble(runs.option("rate-seconds", "30", "4")) * SECOND_MS),
                all.seed(),
                1);
        runs.with(kind, plan, run -> {
            final long cpuNs = run.cpuNs();
            final ReplayResult result = EvaluationRuns.await(runs.replay(run, true), runs.out());
            final double cpu = EvaluationRuns.cpuPercent(run.cpuNs() - cpuNs, result.elapsedNs());
            run.settle();
            final long takenNs = run.cpuNs() - cpuNs; // with what was put off
            final double dropped = PERCENT * result.dropShare();
            final String offered = Long.toString(plan.rate());
            figure.row(CPU, kind.text(), offered, cpu);
            figure.row(DROPS, kind.text(), offered, dropped);
            table.row(
                    kind.text(),
                    offered,
                    decimal(cpu),
                    Long.toString(takenNs / Math.max(1, run.records())),
                    decimal(dropped),
                    result.behindMs().stream().max(Long::compare).orElse(0L) + (result.valid() ? "" : " INVALID"));
            if (!result.valid()) {
                figure.note(kind.text() + " " + offered, "invalid: the replay fell behind its schedule");
            }
            return result;
        });
    }

    private static String decimal(double value) {
        return String.format(Locale.ROOT, "%." + DECIMALS + "f", value);
    }
}
