package dev.loom.server.loki;

import dev.loom.server.http.ApiFailure;
import dev.loom.server.loki.LogQl.Calculation;
import dev.loom.server.loki.LogQl.Grouping;
import dev.loom.server.loki.LogQl.RangeAggregation;
import dev.loom.server.loki.LogQl.Scalar;
import dev.loom.server.loki.LogQl.Vector;
import dev.loom.server.loki.LogQl.VectorAggregation;
import dev.loom.server.loki.LogQl.VectorOperation;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Evaluates a query for series on a grid of points. For one thread. */
final class MetricQuery {
    private final LokiSession session;
    private final String query;
    private final Grid grid;

    MetricQuery(LokiSession session, String query, Grid grid) {
        this.session = session;
        this.query = query;
        this.grid = grid;
    }

    /**
     * The series of a query; of a number, one without labels.
     *
     * @throws ApiFailure if there are more than {@link LokiLimits#SERIES_MAX}
     */
    List<Series> run(LogQl asked) {
        List<Series> found = evaluate(asked).stream()
                .filter(series -> !series.isEmpty())
                .sorted(Comparator.comparing(series -> series.labels().toString()))
                .toList();
        if (found.size() > LokiLimits.SERIES_MAX) {
            throw LokiSession.tooManySeries();
        }
        return found;
    }

    private List<Series> evaluate(LogQl asked) {
        if (asked instanceof Scalar scalar) {
            return List.of(constant(scalar.value()));
        } else if (asked instanceof Vector vector) {
            return List.of(constant(vector.value()));
        } else if (asked instanceof RangeAggregation range) {
            return new RangeQuery(session, range, grid, range.grouping()).run();
        } else if (asked instanceof VectorAggregation aggregation) {
            return aggregated(aggregation);
        }
        return calculated((Calculation) asked);
    }

    private Series constant(double value) {
        session.memory().reserve(Series.size(grid.count()));
        Series series = new Series(Map.of(), grid.count());
        for (int i = 0; i < grid.count(); i++) {
            series.set(i, value);
        }
        return series;
    }

    private List<Series> aggregated(VectorAggregation asked) {
        Grouping grouping = asked.grouping();
        if (asked.of() instanceof RangeAggregation range && isOnePass(asked.operation(), range)) {
            Grouping by = grouping == null ? new Grouping(false, List.of()) : grouping;
            return new RangeQuery(session, range, grid, by).run();
        }
        RangeAggregation ofStreams = ofStreams(asked.of());
        if (grouping != null && !grouping.without() && ofStreams != null) {
            checkLabels(grouping, ofStreams, asked.position());
        }
        Map<Map<String, String>, List<Series>> groups = new LinkedHashMap<>();
        for (Series series : evaluate(asked.of())) {
            groups.computeIfAbsent(kept(series.labels(), grouping), key -> new ArrayList<>())
                    .add(series);
        }
        List<Series> found = new ArrayList<>();
        groups.forEach((key, members) -> {
            if (asked.operation().selects()) {
                found.addAll(select(asked, members));
            } else {
                found.add(together(asked.operation(), key, members));
            }
        });
        return found;
    }

    /** Whether series may be put together record by record: the sum of sums is a sum, and the same holds for extremes. */
    private static boolean isOnePass(VectorOperation operation, RangeAggregation range) {
        return range.grouping() == null
                && switch (range.operation()) {
                    case COUNT_OVER_TIME, RATE, SUM_OVER_TIME -> operation == VectorOperation.SUM;
                    case MIN_OVER_TIME -> operation == VectorOperation.MIN;
                    case MAX_OVER_TIME -> operation == VectorOperation.MAX;
                    case AVG_OVER_TIME, QUANTILE_OVER_TIME -> false;
                };
    }

    /** What gives series their labels, if no aggregation in between has named them. */
    private static @Nullable RangeAggregation ofStreams(LogQl of) {
        if (of instanceof RangeAggregation range) {
            return range;
        } else if (of instanceof VectorAggregation aggregation) {
            Grouping grouping = aggregation.grouping();
            boolean keeps = aggregation.operation().selects() || (grouping != null && grouping.without());
            return keeps ? ofStreams(aggregation.of()) : null;
        } else if (of instanceof Calculation calculation) {
            RangeAggregation left = ofStreams(calculation.left());
            return left == null ? ofStreams(calculation.right()) : left;
        }
        return null;
    }

    /** Fields are no labels of series here, so a group by one would not be what was asked for. */
    private void checkLabels(Grouping grouping, RangeAggregation range, int position) {
        List<String> known = range.grouping() == null
                ? LogQl.STREAM_LABELS
                : range.grouping().of(LogQl.STREAM_LABELS);
        for (String label : grouping.labels()) {
            if (!known.contains(label)) {
                boolean own = range.operation().groups();
                throw LogQlLexer.error(
                        query,
                        "series have no label " + label + ", labels=" + known
                                + (own ? "; give " + range.operation() + " the grouping itself" : ""),
                        position);
            }
        }
    }

    private static Map<String, String> kept(Map<String, String> labels, @Nullable Grouping grouping) {
        Map<String, String> kept = new TreeMap<>();
        if (grouping != null) {
            labels.forEach((label, value) -> {
                if (grouping.labels().contains(label) != grouping.without()) {
                    kept.put(label, value);
                }
            });
        }
        return kept;
    }

    private Series together(VectorOperation operation, Map<String, String> key, List<Series> members) {
        session.memory().reserve(Series.size(grid.count()));
        Series result = new Series(key, grid.count());
        for (int i = 0; i < grid.count(); i++) {
            int point = i;
            double[] values = members.stream()
                    .filter(series -> series.has(point))
                    .mapToDouble(series -> series.get(point))
                    .toArray();
            if (values.length > 0) {
                result.set(point, together(operation, values));
            }
        }
        return result;
    }

    /** As in Loki, NaN is the least or greatest value only if there is no other. */
    private static double together(VectorOperation operation, double[] values) {
        double sum = 0;
        double min = Double.NaN;
        double max = Double.NaN;
        for (double value : values) {
            sum += value;
            min = value < min || Double.isNaN(min) ? value : min;
            max = value > max || Double.isNaN(max) ? value : max;
        }
        return switch (operation) {
            case SUM -> sum;
            case AVG -> sum / values.length;
            case MIN -> min;
            case MAX -> max;
            case COUNT -> values.length;
            case TOPK, BOTTOMK -> throw new IllegalStateException("selects series: " + operation);
        };
    }

    /** Keeps at each point the points of the greatest or least series, NaN last; of equal ones by their labels. */
    private List<Series> select(VectorAggregation asked, List<Series> members) {
        List<Series> kept = new ArrayList<>();
        for (Series member : members) {
            session.memory().reserve(Series.size(grid.count()));
            kept.add(new Series(member.labels(), grid.count()));
        }
        double sign = asked.operation() == VectorOperation.TOPK ? -1 : 1;
        for (int i = 0; i < grid.count(); i++) {
            int point = i;
            double[] keys = members.stream()
                    .mapToDouble(member -> sign * member.get(point))
                    .toArray();
            Comparator<Integer> byValue = Comparator.comparingDouble(member -> keys[member]);
            IntStream.range(0, members.size())
                    .filter(member -> members.get(member).has(point))
                    .boxed()
                    .sorted(byValue.thenComparing(
                            member -> members.get(member).labels().toString()))
                    .limit(asked.count())
                    .forEach(member ->
                            kept.get(member).set(point, members.get(member).get(point)));
        }
        return kept;
    }

    private List<Series> calculated(Calculation asked) {
        List<Series> left = evaluate(asked.left());
        List<Series> right = evaluate(asked.right());
        boolean leftNumber = isNumber(asked.left());
        boolean rightNumber = isNumber(asked.right());
        List<Series> found = new ArrayList<>();
        if (leftNumber) {
            right.forEach(series -> found.add(calculated(asked.operator(), left.get(0), series, series.labels())));
        } else if (rightNumber) {
            left.forEach(series -> found.add(calculated(asked.operator(), series, right.get(0), series.labels())));
        } else {
            Map<Map<String, String>, Series> others = new LinkedHashMap<>();
            right.forEach(series -> others.put(series.labels(), series));
            left.forEach(series -> {
                Series other = others.get(series.labels());
                if (other != null) {
                    found.add(calculated(asked.operator(), series, other, series.labels()));
                }
            });
        }
        return found;
    }

    /** Whether it is a number, and not series. */
    static boolean isNumber(LogQl asked) {
        return asked instanceof Scalar
                || (asked instanceof Calculation calculation
                        && isNumber(calculation.left())
                        && isNumber(calculation.right()));
    }

    private Series calculated(char operator, Series left, Series right, Map<String, String> labels) {
        session.memory().reserve(Series.size(grid.count()));
        Series result = new Series(labels, grid.count());
        for (int i = 0; i < grid.count(); i++) {
            if (left.has(i) && right.has(i)) {
                result.set(i, calculated(operator, left.get(i), right.get(i)));
            }
        }
        return result;
    }

    private static double calculated(char operator, double left, double right) {
        return switch (operator) {
            case '+' -> left + right;
            case '-' -> left - right;
            case '*' -> left * right;
            case '/' -> right == 0 ? Double.NaN : left / right; // as in Loki
            case '%' -> left % right;
            case '^' -> Math.pow(left, right);
            default -> throw new IllegalStateException("unknown operator: " + operator);
        };
    }
}
