package dev.loom.bench;

import dev.loom.bench.figure.FigurePanel;
import dev.loom.bench.figure.FigureResult;
import dev.loom.bench.replay.ReplayPlan;
import dev.loom.bench.replay.ReplayResult;
import dev.loom.bench.replay.ReplayWorkload;
import dev.loom.bench.replay.SinkKind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * Figure 2: CPU and drops of each system as the rate rises, in turns. The CPU time is that of all its processes, for everything that they do,
 * from the first record until the last one is visible.
 */
final class RateSweep {
    private static final String CPU = "cpu";
    private static final String CPU_TIME = "cpu-time";
    private static final String DROPS = "drops";
    private static final double PERCENT = 100;
    private static final long SECOND_MS = 1_000;

    private final EvaluationRuns runs;
    private final List<SinkKind> kinds;

    RateSweep(EvaluationRuns runs, List<SinkKind> kinds) {
        this.runs = runs;
        this.kinds = kinds;
    }

    void run() throws Exception {
        final List<Point> points = points();
        final int rounds = Integer.parseInt(runs.option("rate-rounds", "5", "1"));
        for (int round = 0; round < rounds; round++) {
            final List<Point> order = new ArrayList<>(points);
            if (round % 2 == 1) {
                Collections.reverse(order);
            }
            for (final Point point : order) {
                final String name =
                        point.kind().text() + " " + point.plan().rate() + " records/s, round " + (round + 1);
                runs.attempt(name, () -> measure(point.kind(), point.plan())).ifPresent(run -> {
                    runs.out()
                            .printf(
                                    Locale.ROOT,
                                    "%s: CPU %.2f %%, %.0f ns a record, dropped %.2f %%%n",
                                    name,
                                    run.cpuPercent(),
                                    run.cpuNs(),
                                    run.droppedPercent());
                    point.runs().add(run);
                });
            }
        }
        report(points.stream().filter(point -> !point.runs().isEmpty()).toList());
    }

    private void report(List<Point> points) {
        final FigureResult figure = runs.figure("2", "CPU and drops as the rate rises")
                .panel(FigurePanel.lines(CPU, "CPU", "records/s offered", "CPU of the system, % of the machine")
                        .logX())
                .panel(FigurePanel.lines(CPU_TIME, "CPU time", "records/s offered", "CPU ns a stored record")
                        .logX()
                        .logY())
                .panel(FigurePanel.lines(DROPS, "Drops", "records/s offered", "records dropped, %")
                        .logX());
        final MarkdownTable table = new MarkdownTable(
                runs.out(),
                "Figure 2: CPU and drops as the rate rises",
                "system",
                "records/s offered",
                "CPU of the system, % of the machine",
                "CPU ns a stored record",
                "dropped, %",
                "Behind, ms at most");
        points.forEach(point -> report(point, figure, table));
        runs.write(figure);
    }

    /** A system at a rate, and its runs, one for each round. */
    private record Point(SinkKind kind, ReplayPlan plan, List<Run> runs) {
        private List<Run> validRuns() {
            return runs.stream().filter(run -> run.replay().valid()).toList();
        }

        private double[] values(ToDoubleFunction<Run> figure) {
            return validRuns().stream().mapToDouble(figure).toArray();
        }
    }

    /**
     * One run.
     *
     * @param cpuPercent of the machine, until the last record is visible
     * @param cpuNs of a stored record, with what was put off
     */
    private record Run(double cpuPercent, double cpuNs, ReplayResult replay) {
        private double droppedPercent() {
            return PERCENT * replay.dropShare();
        }

        private double behindMs() {
            return replay.behindMs().stream().max(Long::compare).orElse(0L);
        }
    }

    private List<Point> points() {
        final ReplayPlan all = runs.plan(ReplayWorkload.REDIS, ReplayWorkload.PHASES);
        final List<Point> points = new ArrayList<>();
        for (final SinkKind kind : kinds) {
            for (final String rate : runs.option(
                            "rates", "100000,200000,400000,800000,1600000,3200000", "50000,200000,800000")
                    .split(",", -1)) {
                final ReplayPlan plan = new ReplayPlan(
                        ReplayWorkload.REDIS,
                        ReplayWorkload.PHASES,
                        all.scale() * Double.parseDouble(rate) / all.rate(),
                        Math.round(Double.parseDouble(runs.option("rate-seconds", "30", "4")) * SECOND_MS),
                        all.seed(),
                        1);
                points.add(new Point(kind, plan, new ArrayList<>()));
            }
        }
        return points;
    }

    private Run measure(SinkKind kind, ReplayPlan plan) throws Exception {
        return runs.with(kind, plan, run -> {
            final long cpuNs = run.cpuNs();
            final ReplayResult result = EvaluationRuns.await(runs.replay(run, true), runs.out());
            final double percent = EvaluationRuns.cpuPercent(run.cpuNs() - cpuNs, result.elapsedNs());
            run.settle();
            return new Run(percent, (double) (run.cpuNs() - cpuNs) / Math.max(1, run.records()), result);
        });
    }

    private static void report(Point point, FigureResult figure, MarkdownTable table) {
        final String system = point.kind().text();
        final String offered = Long.toString(point.plan().rate());
        final int invalid = point.runs().size() - point.validRuns().size();
        if (invalid > 0) {
            figure.note(
                    system + " " + offered,
                    "left out, as the replay fell behind its schedule: rounds=" + invalid + " of "
                            + point.runs().size());
        }
        if (point.validRuns().isEmpty()) {
            table.row(system, offered, "-", "-", "-", "INVALID: " + invalid);
            return;
        }
        final double[] cpu = point.values(Run::cpuPercent);
        final double[] cpuNs = point.values(Run::cpuNs);
        final double[] dropped = point.values(Run::droppedPercent);
        figure.row(CPU, system, offered, cpu);
        figure.row(CPU_TIME, system, offered, cpuNs);
        figure.row(DROPS, system, offered, dropped);
        table.row(
                system,
                offered,
                Spread.of(cpu).text(2),
                Spread.of(cpuNs).text(0),
                Spread.of(dropped).text(2),
                Spread.of(point.values(Run::behindMs)).text(0) + (invalid > 0 ? " INVALID, left out: " + invalid : ""));
    }
}
