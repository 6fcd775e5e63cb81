package dev.loom.bench;

import dev.loom.bench.figure.FigurePanel;
import dev.loom.bench.figure.FigureResult;
import dev.loom.bench.replay.Oracle;
import dev.loom.bench.replay.ReplayAnswer;
import dev.loom.bench.replay.ReplayPlan;
import dev.loom.bench.replay.ReplayQuestion;
import dev.loom.bench.replay.ReplayWorkload;
import dev.loom.bench.replay.SinkKind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Figure 3: what a uniform sample of a tenth finds of the planted slow requests and mangled packets, against all records. Both are
 * replayed into a store as fast as it takes them, so that nothing is dropped, and asked for; another sample each round.
 */
final class SampledTruth {
    private static final String FOUND = "found";
    private static final double SAMPLE = 0.1;

    private final EvaluationRuns runs;

    SampledTruth(EvaluationRuns runs) {
        this.runs = runs;
    }

    void run() throws Exception {
        final FigureResult figure = runs.figure("3", "What sampling misses")
                .panel(FigurePanel.bars(FOUND, "Planted records found", "records", "found, % of those planted"));
        final MarkdownTable table = new MarkdownTable(
                runs.out(),
                "Figure 3: planted records found, of those planted",
                "records replayed",
                "question",
                "planted",
                "found",
                "found, %");
        final int samples = Integer.parseInt(runs.option("samples", "5", "2"));
        for (final double sample : new double[] {1, SAMPLE}) {
            measure(sample, sample < 1 ? samples : 1, figure, table);
        }
        runs.write(figure);
    }

    private void measure(double sample, int rounds, FigureResult figure, MarkdownTable table) throws Exception {
        final Map<String, List<Double>> percents = new LinkedHashMap<>();
        final Map<String, Integer> planted = new LinkedHashMap<>();
        final Map<String, List<Double>> found = new LinkedHashMap<>();
        final ReplayPlan all = runs.plan(ReplayWorkload.REDIS, ReplayWorkload.PHASES);
        for (int round = 0; round < rounds; round++) {
            final ReplayPlan plan =
                    new ReplayPlan(all.workload(), all.phase(), all.scale(), all.millis(), all.seed() + round, sample);
            final List<ReplayQuestion> questions = ReplayQuestion.ofPlanted(plan);
            final List<ReplayAnswer> answers = runs.with(SinkKind.LOOM, plan, run -> {
                runs.replay(run, false).get();
                final List<ReplayAnswer> given = new ArrayList<>();
                for (final ReplayQuestion question : questions) {
                    given.add(run.ask(question).answer());
                }
                return given;
            });
            for (int i = 0; i < questions.size(); i++) {
                final String name = questions.get(i).name();
                final ReplayAnswer truth = Oracle.answer(plan, questions.get(i));
                if (sample == 1 && !truth.equals(answers.get(i))) {
                    throw new IllegalStateException("planted records are missing: question=" + name + ", planted="
                            + truth.count() + ", found=" + answers.get(i).count());
                }
                final double part = 1 - truth.missing(answers.get(i));
                planted.merge(name, truth.numbers().size(), Integer::sum);
                found.computeIfAbsent(name, key -> new ArrayList<>())
                        .add(part * truth.numbers().size());
                percents.computeIfAbsent(name, key -> new ArrayList<>()).add(100 * part);
            }
        }
        final String series = sample < 1 ? "a tenth" : "all";
        percents.forEach((name, values) -> {
            final double[] array =
                    values.stream().mapToDouble(Double::doubleValue).toArray();
            figure.row(FOUND, series, name, array);
            table.row(
                    series,
                    name,
                    Integer.toString(planted.getOrDefault(name, 0)),
                    Long.toString(Math.round(found.getOrDefault(name, List.of()).stream()
                            .mapToDouble(Double::doubleValue)
                            .sum())),
                    Spread.of(array).text(1));
        });
    }
}
