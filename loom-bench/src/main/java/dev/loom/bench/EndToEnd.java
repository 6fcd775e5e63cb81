package dev.loom.bench;

import dev.loom.bench.figure.FigurePanel;
import dev.loom.bench.figure.FigureResult;
import dev.loom.bench.replay.Oracle;
import dev.loom.bench.replay.ReplayAnswer;
import dev.loom.bench.replay.ReplayPlan;
import dev.loom.bench.replay.ReplayQuestion;
import dev.loom.bench.replay.ReplayResult;
import dev.loom.bench.replay.ReplayWorkload;
import dev.loom.bench.replay.RunningSink;
import dev.loom.bench.replay.SinkKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Figures 11 to 13: both workloads, phase by phase, into each system. Questions are asked in five rounds while records arrive. A system
 * that drops some is loaded again completely, and its times are those of then. Every answer that nothing is missing from must be the
 * oracle's.
 */
final class EndToEnd {
    private static final String LIVE = "live";
    private static final String IDLE = "idle";
    private static final double INTERACTIVE_S = 10;
    private static final double SECOND_NS = 1e9;
    private static final double PERCENT = 100;

    private final EvaluationRuns runs;
    private final List<SinkKind> kinds;
    private final List<String> figures;
    private final long warmUpNs;
    private final long pauseMillis;
    private final Map<ReplayQuestion, ReplayAnswer> truth = new HashMap<>();
    private final FigureResult eleven;

    EndToEnd(EvaluationRuns runs, List<SinkKind> kinds, List<String> figures) {
        this.runs = runs;
        this.kinds = kinds;
        this.figures = figures;
        warmUpNs = Math.round(SECOND_NS * Double.parseDouble(runs.option("warm-up", "2", "0.2")));
        pauseMillis = Math.round(1_000 * Double.parseDouble(runs.option("pause", "0", "0")));
        eleven = runs.figure("11", "Dropped records, and what answers lack");
    }

    /** Seconds, and missing percent, by question: one for each round. */
    private static final class Asked {
        private final Map<String, List<Double>> seconds = new LinkedHashMap<>();
        private final Map<String, List<Double>> missing = new LinkedHashMap<>();

        private void add(ReplayQuestion question, double secondsTaken, double percentMissing) {
            seconds.computeIfAbsent(question.name(), name -> new ArrayList<>()).add(secondsTaken);
            missing.computeIfAbsent(question.name(), name -> new ArrayList<>()).add(percentMissing);
        }
    }

    /**
     * What became of a system in a phase.
     *
     * @param live asked while records arrived
     * @param calm asked later, when all records were there
     */
    private record Outcome(SinkKind kind, int phase, ReplayResult result, Asked live, Asked calm) {
        private boolean dropped() {
            return result.dropShare() > 0;
        }
    }

    void run() throws Exception {
        for (final ReplayWorkload workload : ReplayWorkload.values()) {
            final String number = workload == ReplayWorkload.REDIS ? "12" : "13";
            if (figures.contains("11") || figures.contains(number)) {
                final FigureResult times = times(workload, number);
                addPanels(workload);
                final List<Outcome> outcomes = new ArrayList<>();
                for (final String phase : runs.list("phases")) {
                    final ReplayPlan plan = runs.plan(workload, Integer.parseInt(phase));
                    runs.writeTruth(plan);
                    for (final SinkKind kind : kinds) {
                        runs.attempt(name(kind, plan), () -> measure(kind, plan))
                                .ifPresent(outcome -> {
                                    outcomes.add(outcome);
                                    addDrops(workload, outcome);
                                    addTimes(times, workload, outcome);
                                });
                        write("11", eleven);
                        write(number, times);
                    }
                    truth.clear();
                }
                report(workload, number, outcomes);
            }
        }
    }

    private static String name(SinkKind kind, ReplayPlan plan) {
        return kind.text() + " " + plan.workload().text() + " P" + plan.phase();
    }

    /** After each run, so that an evaluation that is broken off has what it measured. */
    private void write(String number, FigureResult figure) {
        if (figures.contains(number)) {
            runs.write(figure);
        }
    }

    private Outcome measure(SinkKind kind, ReplayPlan plan) throws Exception {
        final Outcome live = runs.with(kind, plan, run -> {
            if (!run.warmUp(warmUpNs)) {
                runs.note(name(kind, plan) + ", first answers", "without a warm-up, which the program doesn't know");
            }
            final CompletableFuture<ReplayResult> replay = runs.replay(run, true);
            final Map<ReplayQuestion, RunningSink.Timed> answers = ask(run, plan, 0);
            final ReplayResult result = EvaluationRuns.await(replay, runs.out());
            final Asked asked = check(kind, plan, answers, result.dropShare() > 0);
            final Asked calm = result.dropShare() > 0
                    ? new Asked()
                    : runs.attempt(later(kind, plan), () -> settled(kind, run, plan))
                            .orElseGet(Asked::new);
            return new Outcome(kind, plan.phase(), result, asked, calm);
        });
        if (!live.dropped()) {
            return live;
        }
        final Asked complete = runs.attempt(
                        later(kind, plan),
                        () -> runs.with(kind, plan, run -> {
                            runs.replay(run, false).get();
                            return settled(kind, run, plan);
                        }))
                .orElseGet(Asked::new);
        return new Outcome(kind, plan.phase(), live.result(), live.live(), complete);
    }

    private static String later(SinkKind kind, ReplayPlan plan) {
        return name(kind, plan) + ", later";
    }

    /** The first window's questions are asked before, untimed: a monitoring system has answered before. */
    private Asked settled(SinkKind kind, RunningSink run, ReplayPlan plan) throws Exception {
        run.settle();
        for (final ReplayQuestion question : ReplayQuestion.of(plan, 0)) {
            final long beginNs = System.nanoTime();
            do {
                run.ask(question);
            } while (System.nanoTime() - beginNs < warmUpNs);
        }
        return check(kind, plan, ask(run, plan, pauseMillis), false);
    }

    private static Map<ReplayQuestion, RunningSink.Timed> ask(RunningSink run, ReplayPlan plan, long pauseMillis)
            throws IOException, InterruptedException {
        final Map<ReplayQuestion, RunningSink.Timed> answers = new LinkedHashMap<>();
        for (int round = 0; round < ReplayPlan.ROUNDS; round++) {
            Thread.sleep(pauseMillis);
            for (final ReplayQuestion question : ReplayQuestion.of(plan, round)) {
                answers.put(question, run.ask(question));
            }
        }
        return answers;
    }

    /** Compares with the truth, which is found only now so that it takes nothing from the run. */
    private Asked check(
            SinkKind kind, ReplayPlan plan, Map<ReplayQuestion, RunningSink.Timed> answers, boolean mayLack) {
        final Asked asked = new Asked();
        answers.forEach((question, timed) -> {
            final ReplayAnswer right = truth.computeIfAbsent(question, wanted -> Oracle.answer(plan, wanted));
            if (!mayLack && !right.equals(timed.answer())) {
                throw new IllegalStateException("answers differ: system=" + kind.text() + ", plan=" + plan
                        + ", question=" + question + ", truth=" + show(right) + ", answer=" + show(timed.answer()));
            }
            asked.add(question, timed.elapsedNs() / SECOND_NS, PERCENT * right.missing(timed.answer()));
        });
        return asked;
    }

    private static String show(ReplayAnswer answer) {
        return "value " + answer.value() + ", count " + answer.count() + ", digest " + answer.digest();
    }

    private void report(ReplayWorkload workload, String number, List<Outcome> outcomes) {
        final MarkdownTable drops = new MarkdownTable(
                runs.out(),
                "Figure 11, " + workload.text() + ": what was dropped of what was offered, and what answers lack",
                "phase",
                "system",
                "records/s offered",
                "dropped, %",
                "by source",
                "Behind, ms at most",
                "missing, %: median [least, greatest] by question");
        for (final Outcome outcome : outcomes) {
            final ReplayResult result = outcome.result();
            drops.row(
                    "P" + outcome.phase(),
                    outcome.kind().text(),
                    Long.toString(runs.plan(workload, outcome.phase()).rate()),
                    String.format(Locale.ROOT, "%.2f", PERCENT * result.dropShare()),
                    EvaluationRuns.drops(result),
                    result.behindMs().stream().max(Long::compare).orElse(0L) + (result.valid() ? "" : " INVALID"),
                    texts(outcome.live().missing, 1));
        }
        final MarkdownTable times = new MarkdownTable(
                runs.out(),
                "Figure " + number + ", " + workload.text() + ": seconds until the answer",
                "phase",
                "system",
                "while records arrive",
                "later, all records there");
        for (final Outcome outcome : outcomes) {
            times.row(
                    "P" + outcome.phase(),
                    outcome.kind().text() + (outcome.dropped() ? " (drops)" : ""),
                    texts(outcome.live().seconds, 4),
                    texts(outcome.calm().seconds, 4));
        }
    }

    private static String texts(Map<String, List<Double>> byQuestion, int decimals) {
        final StringBuilder text = new StringBuilder();
        byQuestion.forEach((name, values) -> text.append(text.isEmpty() ? "" : "; ")
                .append(name)
                .append(' ')
                .append(Spread.of(array(values)).text(decimals)));
        return text.toString();
    }

    private static double[] array(List<Double> values) {
        return values.stream().mapToDouble(Double::doubleValue).toArray();
    }

    private static String drops(ReplayWorkload workload) {
        return "drops-" + workload.text();
    }

    private static String missing(ReplayWorkload workload) {
        return "missing-" + workload.text();
    }

    private void addPanels(ReplayWorkload workload) {
        eleven.panel(FigurePanel.bars(drops(workload), "Dropped, " + workload.text(), "phase", "records dropped, %"))
                .panel(FigurePanel.bars(
                        missing(workload),
                        "Missing from answers, " + workload.text(),
                        "question",
                        "records missing from the answer, %"));
    }

    private void addDrops(ReplayWorkload workload, Outcome outcome) {
        final String system = outcome.kind().text();
        final String phase = "P" + outcome.phase();
        eleven.row(drops(workload), system, phase, PERCENT * outcome.result().dropShare());
        outcome.live()
                .missing
                .forEach((name, values) -> eleven.row(missing(workload), system, phase + " " + name, array(values)));
        noteInvalid(eleven, workload, outcome);
    }

    private static void noteInvalid(FigureResult figure, ReplayWorkload workload, Outcome outcome) {
        if (!outcome.result().valid()) {
            figure.note(
                    outcome.kind().text() + " " + workload.text() + " P" + outcome.phase(),
                    "invalid: the replay fell behind its schedule");
        }
    }

    private static FigurePanel panel(String name, String when) {
        return FigurePanel.bars(name, "Query latency, " + when, "question", "seconds")
                .logY()
                .line(INTERACTIVE_S, "interactive");
    }

    private FigureResult times(ReplayWorkload workload, String number) {
        return runs.figure(number, "Query latency, " + workload.text())
                .panel(panel(LIVE, workload.text() + ", while records arrive"))
                .panel(panel(IDLE, workload.text() + ", later, all records there"));
    }

    private static void addTimes(FigureResult figure, ReplayWorkload workload, Outcome outcome) {
        final String system = outcome.kind().text();
        final String phase = "P" + outcome.phase() + " ";
        noteInvalid(figure, workload, outcome);
        if (!outcome.dropped()) {
            outcome.live().seconds.forEach((name, values) -> figure.row(LIVE, system, phase + name, array(values)));
        }
        final String later = outcome.dropped() ? " (idealised)" : "";
        outcome.calm().seconds.forEach((name, values) -> figure.row(IDLE, system + later, phase + name, array(values)));
    }
}
