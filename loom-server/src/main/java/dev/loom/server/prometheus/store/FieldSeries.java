package dev.loom.server.prometheus.store;

import dev.loom.format.FieldValue;
import dev.loom.query.Group;
import dev.loom.query.Groups;
import dev.loom.query.Histogram;
import dev.loom.query.model.Completeness;
import dev.loom.query.model.GroupLimitException;
import dev.loom.query.model.GroupOrder;
import dev.loom.query.model.TimeRange;
import dev.loom.query.service.BinGroup;
import dev.loom.query.service.GroupRequest;
import dev.loom.query.service.HistogramRequest;
import dev.loom.query.service.RecordSelection;
import dev.loom.query.service.ResultHandler;
import dev.loom.query.where.Where;
import dev.loom.query.where.Where.Literal;
import dev.loom.query.where.Where.Operator;
import dev.loom.server.http.MissingText;
import dev.loom.server.prometheus.promql.EvaluationException;
import dev.loom.server.prometheus.promql.Function;
import dev.loom.server.prometheus.promql.Labels;
import dev.loom.server.prometheus.promql.Matcher;
import dev.loom.server.prometheus.promql.NativeHistogram;
import dev.loom.server.prometheus.promql.PromNumber;
import dev.loom.server.prometheus.promql.SeriesSource.Selection;
import dev.loom.server.prometheus.promql.Steps;
import dev.loom.server.prometheus.promql.StoredSeries;
import dev.loom.server.time.EventTime;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An indexed field as series of native histograms, which are not sampled but counted for each step: what came until then, or in the time
 * that ends there. For one thread.
 */
final class FieldSeries {
    /** The most series of one metric; each is counted on its own. */
    static final int SERIES_MAX = 64;

    /** The most keys of an index that are looked at for those that are wanted. */
    private static final int KEYS_MAX = 100_000;

    private static final long NS_PER_MS = 1_000_000;
    private static final int CELL_BYTES = 64;

    /** A thousand bins have room. */
    private static final int STEPS_AT_ONCE = 512;

    private final FieldMetric metric;
    private final SeriesQuery query;
    private final Selection selection;
    private final FieldBuckets layout;

    FieldSeries(FieldMetric metric, SeriesQuery query, Selection selection) {
        this.metric = metric;
        this.query = query;
        this.selection = selection;
        layout = query.layout(metric.source(), metric.field());
    }

    /** From after one moment up to another, both in milliseconds, in nanoseconds: the last one belongs to it, and the first does not. */
    static TimeRange range(long afterMs, long upToMs) {
        return new TimeRange(
                afterMs == Long.MIN_VALUE ? afterMs : SeriesQuery.ns(afterMs) + 1, SeriesQuery.ns(upToMs) + 1);
    }

    /**
     * The series that are wanted.
     *
     * @throws EvaluationException if there are too many, two have the same labels, or the function can't be counted
     */
    List<StoredSeries> select() {
        if (EventTime.of(metric.source()) == null) {
            query.remarkClock();
        }
        List<StoredSeries> series = new ArrayList<>();
        Map<Labels, List<FieldValue>> keys = new TreeMap<>();
        forEachKey(wholeRange(), metric.keys(), (labels, key) -> {
            requireCountable();
            query.reserve(labels.bytes());
            if (keys.putIfAbsent(labels, key) != null) {
                throw new EvaluationException("two groups of records have the same labels: " + labels);
            } else if (keys.size() > SERIES_MAX) {
                throw new EvaluationException("too many series of " + metric.name() + ": max=" + SERIES_MAX
                        + "; each is counted on its own, and matchers of its labels select fewer");
            }
        });
        keys.forEach((labels, key) -> series.add(counted(labels, conditions(key))));
        return series;
    }

    private void requireCountable() {
        Function function = selection.function();
        if (function != null && function != Function.RATE && function != Function.INCREASE) {
            throw new EvaluationException(function.text() + " needs samples, and " + metric.name()
                    + " has none of its own: it is counted at each step; take its rate or its increase");
        }
    }

    private TimeRange wholeRange() {
        long lastMs = selection.steps().lastMs();
        return range(selection.function() == null ? Long.MIN_VALUE : selection.afterMs(), lastMs);
    }

    /**
     * Hands over the labels of all series that are wanted and have records in a time.
     *
     * @param label the only one that is needed; null if all are
     */
    void labels(TimeRange range, @Nullable String label, Consumer<Labels> found) {
        if (label != null && !hasLabel(label)) {
            return;
        }
        boolean keysMatter = selection.matchers().stream()
                .map(Matcher::label)
                .anyMatch(each -> !each.equals(Labels.NAME) && hasLabel(each));
        if (metric.keys().isEmpty() || (Labels.NAME.equals(label) && !keysMatter)) {
            Labels named = Labels.of(Map.of(Labels.NAME, metric.name()));
            if (mayHaveRecords() && selection.matches(named) && hasRecords(range)) {
                found.accept(named);
            }
        } else {
            try {
                forEachKey(range, needed(label), (labels, key) -> found.accept(labels));
            } catch (GroupLimitException e) { // one metric must not cost the list of all
                query.remarkMissing(
                        "more than " + KEYS_MAX + " keys, the labels of " + metric.name() + " are left out");
            }
        }
    }

    /** The keys that tell a label, and whether its series are wanted; all if none is named. */
    private List<String> needed(@Nullable String label) {
        return metric.keys().stream()
                .filter(key -> label == null
                        || FieldMetric.label(key).equals(label)
                        || selection.matchers().stream()
                                .anyMatch(each -> each.label().equals(FieldMetric.label(key))))
                .toList();
    }

    private boolean hasLabel(String label) {
        return label.equals(Labels.NAME)
                || metric.keys().stream().map(FieldMetric::label).anyMatch(label::equals);
    }

    private boolean hasRecords(TimeRange range) {
        boolean[] found = {false};
        GroupRequest.Keys whole = new GroupRequest.Keys(List.of(), null);
        forEachGroup(records(range, List.of()), null, whole, group -> found[0] |= group.records() > 0);
        return found[0];
    }

    private void forEachKey(TimeRange range, List<String> fields, BiConsumer<Labels, List<FieldValue>> each) {
        if (!mayHaveRecords()) {
            return;
        } else if (fields.isEmpty()) {
            offer(fields, List.of(), each);
            return;
        }
        GroupRequest.Keys wanted = new GroupRequest.Keys(fields, null);
        forEachGroup(records(range, List.of()), null, wanted, group -> offer(fields, group.key(), each));
    }

    /** Whether its source has records, and no matcher wants a label that the metric does not have. */
    private boolean mayHaveRecords() {
        return query.snapshot().statistics(metric.source().id()).records() > 0
                && selection.matchers().stream().allMatch(each -> hasLabel(each.label()) || each.matches(""));
    }

    private void offer(List<String> fields, List<FieldValue> key, BiConsumer<Labels, List<FieldValue>> each) {
        Map<String, String> all = new TreeMap<>(Map.of(Labels.NAME, metric.name()));
        for (int i = 0; i < key.size(); i++) {
            all.put(FieldMetric.label(fields.get(i)), text(key.get(i)));
        }
        Labels labels = Labels.of(all);
        if (selection.matches(labels)) {
            each.accept(labels, key);
        }
    }

    private static String text(FieldValue value) {
        return switch (value.kind()) {
            case ABSENT -> "";
            case DOUBLE -> PromNumber.label(value.doubleValue());
            default -> value.text();
        };
    }

    private List<Where> conditions(List<FieldValue> key) {
        List<Where> conditions = new ArrayList<>();
        for (int i = 0; i < key.size(); i++) {
            conditions.add(condition(metric.keys().get(i), key.get(i)));
        }
        return conditions;
    }

    private static Where condition(String field, FieldValue value) {
        return switch (value.kind()) {
            case ABSENT -> new Where.IsNull(field);
            case TEXT -> new Where.Comparison(field, Operator.EQUAL, new Literal.Text(value.text()));
            case BOOLEAN -> new Where.Comparison(field, Operator.EQUAL, new Literal.Bool(value.longValue() != 0));
            case INTEGER, UNSIGNED, DOUBLE -> new Where.Comparison(field, Operator.EQUAL, number(value));
            case BYTES, JSON ->
                throw new EvaluationException(
                        "a key that is no text, number or boolean can't be a label: field=" + field);
        };
    }

    private static Literal number(FieldValue value) {
        if (value.kind() == FieldValue.Kind.DOUBLE) {
            return new Literal.Numeric(new BigDecimal(value.doubleValue()), false);
        }
        return new Literal.Numeric(new BigDecimal(value.text()), true);
    }

    private RecordSelection records(TimeRange range, List<Where> conditions) {
        boolean eventTime = EventTime.of(metric.source()) != null;
        return new RecordSelection(metric.source(), range, eventTime, conditions);
    }

    private StoredSeries counted(Labels labels, List<Where> conditions) {
        Steps steps = selection.steps();
        boolean ever = selection.function() == null;
        long beginMs = steps.startMs();
        long rangeMs = selection.rangeMs();
        long before = query.kept();
        // what came until the first step; then each step adds what came since the one before, and, of a time, loses
        // what left it
        CountedSteps.Cell now = count(range(ever ? Long.MIN_VALUE : beginMs - rangeMs, beginMs), 0, conditions)
                .cell(0);
        boolean several = steps.count() > 1;
        long histogramBytes = 0;
        long endMs = steps.lastMs();
        CountedSteps entered = several ? count(range(beginMs, endMs), steps.stepMs(), conditions) : new CountedSteps();
        CountedSteps left = several && !ever
                ? count(range(beginMs - rangeMs, endMs - rangeMs), steps.stepMs(), conditions)
                : new CountedSteps();
        @Nullable NativeHistogram[] histograms = new NativeHistogram[steps.count()];
        for (int i = 0; i < histograms.length; i++) {
            if (i > 0) {
                now.add(entered.found(i - 1), 1);
                now.add(left.found(i - 1), -1);
            }
            if (!ever || !now.isEmpty()) {
                NativeHistogram histogram = now.histogram(layout);
                query.reserve(histogram.bytes());
                histogramBytes += histogram.bytes();
                histograms[i] = histogram;
            }
        }
        query.release(query.kept() - before - histogramBytes); // the cells are no longer needed
        return new StoredSeries.Counted(labels, histograms);
    }

    /** @param stepMs 0 for one step */
    private CountedSteps count(TimeRange range, long stepMs, List<Where> conditions) {
        CountedSteps counted = new CountedSteps();
        HistogramRequest.@Nullable Steps steps =
                stepMs == 0 ? null : new HistogramRequest.Steps(Duration.ofMillis(stepMs), 0, range.fromNs());
        long stepNs = stepMs * NS_PER_MS;
        for (TimeRange piece : pieces(range, stepNs)) {
            query.count(
                    new HistogramRequest(
                            records(piece, conditions), metric.field(), true, Integer.MAX_VALUE, steps, query.limits()),
                    new ResultHandler() {
                        @Override
                        public void onHistogram(
                                HistogramRequest request, Histogram.Counts counts, List<BinGroup> groups) {
                            addCounts(counts, groups, range, stepNs, counted);
                        }
                    });
        }
        addSums(records(range, conditions), steps, stepNs, counted::addSum);
        if (counted.hasInfiniteSums()) {
            addSums(records(range, finite(conditions)), steps, stepNs, counted::addFiniteSum);
        }
        return counted;
    }

    /** And the value is a finite number. */
    private List<Where> finite(List<Where> conditions) {
        List<Where> all = new ArrayList<>(conditions);
        BigDecimal most = new BigDecimal(Double.MAX_VALUE);
        all.add(new Where.Comparison(metric.field(), Operator.LESS_OR_EQUAL, new Literal.Numeric(most, true)));
        all.add(new Where.Comparison(
                metric.field(), Operator.GREATER_OR_EQUAL, new Literal.Numeric(most.negate(), true)));
        return all;
    }

    /** As many steps at a time as leave room for all bins. */
    private static List<TimeRange> pieces(TimeRange range, long stepNs) {
        List<TimeRange> pieces = new ArrayList<>();
        if (stepNs == 0) {
            pieces.add(range);
            return pieces;
        }
        long pieceNs = Math.min(stepNs, Long.MAX_VALUE / STEPS_AT_ONCE) * STEPS_AT_ONCE;
        long fromNs = range.fromNs();
        while (Long.compareUnsigned(range.toNs() - fromNs, pieceNs) > 0) {
            pieces.add(new TimeRange(fromNs, fromNs + pieceNs));
            fromNs += pieceNs;
        }
        pieces.add(new TimeRange(fromNs, range.toNs()));
        return pieces;
    }

    /** Takes what was summed up in a step. */
    @FunctionalInterface
    private interface StepGroups {
        void add(int step, Group group);
    }

    private void addSums(
            RecordSelection records, HistogramRequest.@Nullable Steps steps, long stepNs, StepGroups into) {
        GroupRequest.Keys whole = new GroupRequest.Keys(List.of(), steps);
        forEachGroup(
                records, metric.field(), whole, group -> into.add(step(group.range(), records.range(), stepNs), group));
    }

    private void forEachGroup(
            RecordSelection records, @Nullable String field, GroupRequest.Keys keys, Consumer<Group> each) {
        query.run(
                new GroupRequest(
                        records,
                        field,
                        keys,
                        List.of(),
                        null,
                        GroupOrder.COUNT,
                        Integer.MAX_VALUE,
                        new GroupRequest.Caps(KEYS_MAX, GroupRequest.Caps.DEFAULT.distinct(), false, true),
                        query.limits()),
                new ResultHandler() {
                    @Override
                    public void onGroups(GroupRequest request, TimeRange covered, Completeness missing, Groups groups) {
                        if (groups.longKeys() > 0) {
                            query.remarkMissing(MissingText.LONG_VALUES);
                        }
                        for (Group group : groups) {
                            if (!group.isOther()) {
                                each.accept(group);
                            }
                        }
                    }
                });
    }

    private static int step(TimeRange of, TimeRange range, long stepNs) {
        return stepNs == 0 ? 0 : Math.toIntExact(Long.divideUnsigned(of.fromNs() - range.fromNs(), stepNs));
    }

    private void addCounts(
            Histogram.Counts counts, List<BinGroup> groups, TimeRange range, long stepNs, CountedSteps counted) {
        for (int step = 0; step < counts.steps(); step++) {
            CountedSteps.Cell cell = counted.cell(step(counts.range(step), range, stepNs));
            for (int i = 0; i < groups.size(); i++) {
                BinGroup group = groups.get(i);
                // without steps the counts are by bin, with steps by group
                long count = stepNs == 0 ? group.count(counts, step) : counts.count(step, i);
                if (count == 0) {
                    continue;
                } else if (group.to() - group.from() > 1) {
                    throw new EvaluationException(
                            "too many steps for all the bins of " + metric.name() + ": a longer step makes fewer");
                }
                query.reserve(CELL_BYTES);
                int bin = stepNs == 0 ? group.from() : i;
                layout.add(group.from(), counts.low(bin), counts.high(bin));
                cell.add(group.from(), count);
            }
        }
    }
}
