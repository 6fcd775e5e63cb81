package dev.loom.server.prometheus.promql;

import dev.loom.server.prometheus.promql.SeriesSource.Selection;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Evaluates an expression step by step, over series that are selected first. For one thread.
 */
public final class Evaluator {
    /** How old the last value of a series may be. */
    public static final long LOOKBACK_MS = 300_000;

    private final Steps steps;
    private final LabelCache labels;
    private final RangeFunctions rangeFunctions;
    private final InstantFunctions instantFunctions;
    private final Remarks remarks;
    private final IdentityHashMap<Expr, List<Selected>> selected = new IdentityHashMap<>();
    private final IdentityHashMap<Expr, Object> operations = new IdentityHashMap<>();
    private int step;

    private Evaluator(Steps steps, Remarks remarks, Meter meter) {
        this.steps = steps;
        this.remarks = remarks;
        labels = new LabelCache(meter);
        rangeFunctions = new RangeFunctions(remarks);
        instantFunctions = new InstantFunctions(remarks, labels);
    }

    /**
     * A selected series.
     *
     * @param window null for one that is counted
     */
    private record Selected(StoredSeries series, @Nullable Window window) {}

    /** Takes the results of each step. */
    public interface Results {
        /** A number, of an expression that gives one. */
        default void onScalar(long timeMs, double value) {}

        /** The series that there are at a moment, no two with the same labels. */
        default void onVector(long timeMs, List<Element> vector) {}
    }

    /**
     * Evaluates an expression that gives a number or series, at each step.
     *
     * @param remarks what is to be said of the answer is added to it
     * @throws EvaluationException if there is no answer
     * @throws IllegalArgumentException if the expression gives a text or a range
     */
    public static void run(Expr expr, Steps steps, SeriesSource source, Remarks remarks, Meter meter, Results results) {
        if (expr.type() == ExprType.STRING || expr.type() == ExprType.MATRIX) {
            throw new IllegalArgumentException("invalid expression type \"" + expr.type()
                    + "\" for range query, must be Scalar or instant Vector");
        }
        Evaluator evaluator = new Evaluator(steps, remarks, meter);
        evaluator.select(expr, null, source);
        int count = steps.count();
        for (int i = 0; i < count; i++) {
            meter.check();
            evaluator.step = i;
            if (expr.type() == ExprType.SCALAR) {
                results.onScalar(steps.timeMs(i), evaluator.scalar(expr));
            } else {
                List<Element> vector = evaluator.vector(expr);
                evaluator.requireUnique(vector);
                results.onVector(steps.timeMs(i), vector);
            }
        }
    }

    private void select(Expr expr, @Nullable Function function, SeriesSource source) {
        if (expr instanceof Expr.Selector selector) {
            long back = selector.rangeMs() > 0 ? selector.rangeMs() : LOOKBACK_MS;
            Selection selection = new Selection(
                    selector.matchers(),
                    steps.back(selector.offsetMs()),
                    back,
                    selector.rangeMs() > 0 ? function : null);
            List<Selected> series = new ArrayList<>();
            for (StoredSeries each : source.select(selection)) {
                // the last value is one of all samples, also of those that say that there is none
                boolean window = each instanceof StoredSeries.Samples && selector.rangeMs() > 0;
                series.add(new Selected(each, window ? new Window((StoredSeries.Samples) each) : null));
            }
            series.sort((a, b) -> a.series().labels().compareTo(b.series().labels()));
            selected.put(expr, series);
        }
        Function taker = expr instanceof Expr.Call call ? call.function() : null;
        for (Expr part : expr.parts()) {
            select(part, expr instanceof Expr.Parentheses ? function : taker, source);
        }
    }

    private double scalar(Expr expr) {
        if (expr instanceof Expr.Literal number) {
            return number.value();
        } else if (expr instanceof Expr.Parentheses parentheses) {
            return scalar(parentheses.of());
        } else if (expr instanceof Expr.Negative negative) {
            return -scalar(negative.of());
        } else if (expr instanceof Expr.Binary binary) {
            return operation(binary).ofScalars(scalar(binary.left()), scalar(binary.right()));
        } else if (expr instanceof Expr.Call call && call.function() == Function.TIME) {
            return steps.timeMs(step) / 1_000.0;
        } else if (expr instanceof Expr.Call call && call.function() == Function.SCALAR_OF) {
            List<Element> of = vector(call.arguments().get(0)).stream()
                    .filter(each -> each.histogram() == null)
                    .toList();
            return of.size() == 1 ? of.get(0).value() : Double.NaN;
        }
        throw new IllegalStateException("not a scalar: " + expr);
    }

    private BinaryOperation operation(Expr.Binary binary) {
        return operation(binary, BinaryOperation.class, () -> new BinaryOperation(binary, labels, remarks));
    }

    private <T> T operation(Expr expr, Class<T> type, Supplier<T> make) {
        return Objects.requireNonNull(type.cast(operations.computeIfAbsent(expr, any -> make.get())));
    }

    private List<Element> vector(Expr expr) {
        if (expr instanceof Expr.Selector selector) {
            return latest(selector, false);
        } else if (expr instanceof Expr.Parentheses parentheses) {
            return vector(parentheses.of());
        } else if (expr instanceof Expr.Negative negative) {
            return nameless(
                    expr,
                    vector(negative.of()).stream()
                            .map(each -> {
                                NativeHistogram histogram = each.histogram();
                                return histogram == null
                                        ? each.with(-each.value())
                                        : new Element(each.labels(), histogram.times(-1));
                            })
                            .toList());
        } else if (expr instanceof Expr.Aggregate aggregate) {
            Expr parameter = aggregate.parameter();
            return operation(aggregate, Aggregator.class, () -> new Aggregator(aggregate, remarks, labels))
                    .apply(vector(aggregate.of()), parameter == null ? 0 : scalar(parameter));
        } else if (expr instanceof Expr.Binary binary) {
            return binary(binary);
        } else if (expr instanceof Expr.Call call) {
            return call(call);
        }
        throw new IllegalStateException("not a vector: " + expr);
    }

    private List<Element> binary(Expr.Binary binary) {
        BinaryOperation operation = operation(binary);
        List<Element> result;
        if (binary.left().type() == ExprType.SCALAR) {
            result = operation.ofScalar(vector(binary.right()), scalar(binary.left()), true);
        } else if (binary.right().type() == ExprType.SCALAR) {
            result = operation.ofScalar(vector(binary.left()), scalar(binary.right()), false);
        } else {
            result = operation.ofVectors(vector(binary.left()), vector(binary.right()));
        }
        requireUnique(result);
        return result;
    }

    private List<Element> call(Expr.Call call) {
        Function function = call.function();
        List<Expr> arguments = call.arguments();
        switch (function) {
            case VECTOR_OF -> {
                return List.of(new Element(Labels.NONE, scalar(arguments.get(0))));
            }
            case TIMESTAMP -> {
                Expr of = plain(arguments.get(0));
                return nameless(
                        call, of instanceof Expr.Selector selector ? latest(selector, true) : times(vector(of)));
            }
            case LABEL_REPLACE -> {
                return replaced(call);
            }
            default -> {}
        }
        double[] numbers = arguments.stream()
                .filter(each -> each.type() == ExprType.SCALAR)
                .mapToDouble(this::scalar)
                .toArray();
        if (function.isOfRange()) {
            Expr range = arguments.get(arguments.size() - 1);
            List<Element> result = ofRange(call, range, numbers.length == 0 ? 0 : numbers[0]);
            return function == Function.LAST_OVER_TIME ? result : nameless(call, result);
        }
        List<Element> of = vector(arguments.stream()
                .filter(each -> each.type() == ExprType.VECTOR)
                .findFirst()
                .orElseThrow());
        if (function == Function.CLAMP && numbers[0] > numbers[1]) {
            return List.of();
        }
        List<Element> result = instantFunctions.apply(function, of, numbers);
        return function == Function.SORT || function == Function.SORT_DESC ? result : nameless(call, result);
    }

    private static Expr plain(Expr expr) {
        return expr instanceof Expr.Parentheses parentheses ? plain(parentheses.of()) : expr;
    }

    private List<Element> replaced(Expr.Call call) {
        List<Expr> arguments = call.arguments();
        LabelReplacement replacement = operation(
                call,
                LabelReplacement.class,
                () -> new LabelReplacement(
                        text(arguments.get(1)),
                        text(arguments.get(2)),
                        text(arguments.get(3)),
                        text(arguments.get(4))));
        List<Element> result = vector(arguments.get(0)).stream()
                .map(each -> each.with(labels.get(call, each.labels(), replacement::apply)))
                .toList();
        requireUnique(result);
        return result;
    }

    private static String text(Expr expr) {
        return expr instanceof Expr.Text text ? text.value() : text(((Expr.Parentheses) expr).of());
    }

    private List<Element> times(List<Element> vector) {
        return vector.stream()
                .map(each -> each.with(steps.timeMs(step) / 1_000.0))
                .toList();
    }

    /** The last values of series that are not too old, or their times. */
    private List<Element> latest(Expr.Selector selector, boolean times) {
        long timeMs = steps.timeMs(step) - selector.offsetMs();
        List<Element> vector = new ArrayList<>();
        for (Selected each : selected.getOrDefault(selector, List.of())) {
            if (each.series() instanceof StoredSeries.Counted counted) {
                NativeHistogram histogram = counted.steps()[step];
                if (histogram != null) {
                    vector.add(
                            times
                                    ? new Element(counted.labels(), timeMs / 1_000.0)
                                    : new Element(counted.labels(), histogram));
                }
            } else if (each.series() instanceof StoredSeries.Samples samples) {
                int at = samples.upTo(timeMs) - 1;
                if (at >= 0
                        && samples.timesMs()[at] > timeMs - LOOKBACK_MS
                        && !StoredSeries.Samples.isStale(samples.values()[at])) {
                    NativeHistogram[] histograms = samples.histograms();
                    vector.add(
                            times
                                    ? new Element(samples.labels(), samples.timesMs()[at] / 1_000.0)
                                    : new Element(
                                            samples.labels(),
                                            samples.values()[at],
                                            histograms == null ? null : histograms[at]));
                }
            }
        }
        return vector;
    }

    private List<Element> ofRange(Expr.Call call, Expr range, double parameter) {
        Expr.Selector selector = (Expr.Selector) plain(range);
        long endMs = steps.timeMs(step) - selector.offsetMs();
        List<Element> vector = new ArrayList<>();
        for (Selected each : selected.getOrDefault(selector, List.of())) {
            Element result = null;
            Window window = each.window();
            if (window != null) {
                window.move(endMs - selector.rangeMs(), endMs);
                result = rangeFunctions.apply(call.function(), parameter, window);
            } else if (each.series() instanceof StoredSeries.Counted counted) {
                NativeHistogram added = counted.steps()[step];
                boolean rate = call.function() == Function.RATE;
                double seconds = selector.rangeMs() / 1_000.0;
                result = added == null ? null : new Element(counted.labels(), rate ? added.dividedBy(seconds) : added);
            }
            if (result != null) {
                vector.add(result);
            }
        }
        return vector;
    }

    /** The same without the names of the metrics, which a function takes away. */
    private List<Element> nameless(Expr expr, List<Element> vector) {
        List<Element> result = vector.stream()
                .map(each -> each.with(labels.get(expr, each.labels(), Labels::withoutName)))
                .toList();
        requireUnique(result);
        return result;
    }

    private void requireUnique(List<Element> vector) {
        Set<Labels> seen = new HashSet<>();
        for (Element element : vector) {
            if (!seen.add(element.labels())) {
                throw new EvaluationException(
                        "vector cannot contain metrics with the same labelset: " + element.labels());
            }
        }
    }

    /** The samples that a selector of a time selects at a moment. */
    public static List<StoredSeries.Samples> matrix(Expr.Selector selector, long timeMs, SeriesSource source) {
        long endMs = timeMs - selector.offsetMs();
        Selection selection = new Selection(selector.matchers(), Steps.at(endMs), selector.rangeMs(), null);
        List<StoredSeries.Samples> found = new ArrayList<>();
        for (StoredSeries each : source.select(selection)) {
            if (each instanceof StoredSeries.Samples samples) {
                found.add(samples.withoutStale());
            } else {
                throw new EvaluationException(
                        "a series that is counted has no samples of its own: take its rate, its increase, or its last value: "
                                + each.labels());
            }
        }
        found.sort((a, b) -> a.labels().compareTo(b.labels()));
        return found;
    }
}
