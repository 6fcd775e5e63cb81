package dev.loom.server.loki;

import dev.loom.query.Group;
import dev.loom.query.Groups;
import dev.loom.query.model.Completeness;
import dev.loom.query.model.GroupOrder;
import dev.loom.query.model.TimeRange;
import dev.loom.query.service.GroupRequest;
import dev.loom.query.service.HistogramRequest.Steps;
import dev.loom.query.service.RecordSelection;
import dev.loom.query.service.ResultHandler;
import dev.loom.server.http.ApiFailure;
import dev.loom.server.http.MissingText;
import dev.loom.server.loki.LogQl.Grouping;
import dev.loom.server.loki.LogQl.RangeAggregation;
import dev.loom.server.loki.LogQl.RangeOperation;
import dev.loom.server.loki.LokiSession.Selected;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Computes a value of the records in the range before each point, the point itself included: in Loki a range is {@code (t - d, t]}, here
 * {@code [t - d + 1 ns, t + 1 ns)}. What adds up is found in steps of the greatest common divisor of range and step, from one pass over
 * each source. Quantiles don't add up: points whose ranges don't overlap are found together. For one thread.
 */
final class RangeQuery {
    private static final BigDecimal HUNDRED = BigDecimal.valueOf(100);

    private static final String LONG = "values of labels longer than 4,096 bytes are counted as " + SeriesLabels.OTHER;

    private final LokiSession session;
    private final RangeAggregation query;
    private final Grid grid;
    private final @Nullable Grouping grouping;
    private final Map<Key, RangeTally> tallies = new LinkedHashMap<>();
    private final Map<Key, Series> quantiles = new LinkedHashMap<>();
    private long additions;
    private boolean othersLeftOut;

    /** The labels of a series; in an order, by which a map keeps apart those that senders gave one hash. */
    private record Key(Map<String, String> labels, String text) implements Comparable<Key> {
        static Key of(Map<String, String> labels) {
            StringBuilder text = new StringBuilder();
            new TreeMap<>(labels).forEach((name, value) -> {
                append(text, name);
                append(text, value);
            });
            return new Key(labels, text.toString());
        }

        /** Appends a text such that no two lists of texts become one. */
        static void append(StringBuilder texts, String text) {
            texts.append(text.length()).append(':').append(text);
        }

        @Override
        public int compareTo(Key other) {
            return text.compareTo(other.text);
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Key that && text.equals(that.text);
        }

        @Override
        public int hashCode() {
            return text.hashCode();
        }
    }

    /** @param grouping of the series; null for the labels of streams */
    RangeQuery(LokiSession session, RangeAggregation query, Grid grid, @Nullable Grouping grouping) {
        this.session = session;
        this.query = query;
        this.grid = grid;
        this.grouping = grouping;
    }

    /** Leaves records out whose labels are too long to be distinguished; they are counted in a series of their own otherwise. */
    RangeQuery leaveOthersOut() {
        othersLeftOut = true;
        return this;
    }

    List<Series> run() {
        TimeRange all = new TimeRange(beginNs(0), endNs(grid.count() - 1));
        List<Series> found = new ArrayList<>();
        Map<Selected, String> fields = fields(all);
        List<Selected> sources = List.copyOf(fields.keySet());
        if (query.operation() == RangeOperation.QUANTILE_OVER_TIME && sources.size() > 1) {
            sources = withRecords(sources, all);
        }
        for (Selected source : sources) {
            boolean levelApart = query.operation() == RangeOperation.QUANTILE_OVER_TIME;
            SeriesLabels of = new SeriesLabels(session, source, levelApart, labels(source), all, query.position());
            String field = query.unwrap() == null ? null : fields.get(source);
            if (query.operation() == RangeOperation.QUANTILE_OVER_TIME) {
                quantiles(source, of, field);
            } else {
                sums(source, of, field, all);
            }
        }
        tallies.forEach((key, tally) -> found.add(tally.series(key.labels())));
        found.addAll(quantiles.values());
        return found;
    }

    /** The field to unwrap of each source whose records may have one; an empty text if records are counted. */
    private Map<Selected, String> fields(TimeRange all) {
        Map<Selected, String> fields = new LinkedHashMap<>();
        for (Selected source : session.select(query.selection())) {
            session.ask(source.of().source(), () -> field(source, all)).ifPresent(field -> fields.put(source, field));
        }
        return fields;
    }

    private Optional<String> field(Selected source, TimeRange all) {
        if (query.unwrap() == null) {
            return Optional.of("");
        }
        String field = session.field(source, query.unwrap(), all, query.position());
        if (field.isEmpty()) {
            return Optional.empty();
        }
        source.records(all).function(field); // refuses what is no number
        return Optional.of(field);
    }

    private List<String> labels(Selected source) {
        List<String> ofStreams = source.of().labels();
        return grouping == null ? ofStreams : grouping.of(ofStreams);
    }

    private long beginNs(int point) {
        return grid.timeNs(point) - query.offsetNs() - query.rangeNs() + 1;
    }

    private long endNs(int point) {
        return grid.timeNs(point) - query.offsetNs() + 1;
    }

    /** Quantiles of several sources can't be put together, so one of them alone may have records, unless series tell them apart. */
    private List<Selected> withRecords(List<Selected> sources, TimeRange all) {
        if (sources.stream().allMatch(source -> labels(source).contains(Streams.SOURCE))) {
            return sources;
        }
        List<Selected> having = sources.stream()
                .filter(source -> session.hasRecords(source, all))
                .toList();
        if (having.size() > 1) {
            throw ApiFailure.badRequest("quantiles of several sources can't be put together: sources="
                    + having.stream().map(each -> each.of().source().name()).toList()
                    + "; by (source) tells them apart");
        }
        return having;
    }

    private void sums(Selected source, SeriesLabels of, @Nullable String field, TimeRange all) {
        long cellNs = grid.count() == 1
                ? query.rangeNs()
                : BigInteger.valueOf(query.rangeNs())
                        .gcd(BigInteger.valueOf(grid.stepNs()))
                        .longValueExact();
        long range = query.rangeNs() / cellNs;
        long step = grid.count() == 1 ? 1 : grid.stepNs() / cellNs;
        groups(source, of, field, List.of(), all, grid.count() == 1 ? 0 : cellNs, (group, key) -> {
            long cell = (group.range().fromNs() - all.fromNs()) / cellNs;
            long first = Math.max(0, -Math.floorDiv(-(cell - range + 1), step));
            long last = Math.min(grid.count() - 1L, cell / step);
            additions += Math.max(0, last - first + 1);
            if (additions > LokiLimits.ADDITIONS_MAX) {
                throw ApiFailure.badRequest("range is too long for its step, or too many series: additions=" + additions
                        + ", max=" + LokiLimits.ADDITIONS_MAX + "; a longer step takes fewer");
            }
            RangeTally tally = first <= last ? tally(key) : null;
            for (int point = (int) first; tally != null && point <= last; point++) {
                tally.add(point, group, query.unwrap() == null);
            }
        });
    }

    private RangeTally tally(Key key) {
        RangeTally tally = tallies.get(key);
        if (tally == null) {
            reserve(tallies.size() + 1, RangeTally.size(grid.count()) + Series.size(grid.count()));
            tally = new RangeTally(query.operation(), query.rangeNs(), grid.count());
            tallies.put(key, tally);
        }
        return tally;
    }

    private void reserve(int series, long bytes) {
        if (series > session.groupsMax()) {
            throw LokiSession.tooManySeries();
        }
        session.memory().reserve(bytes);
    }

    private void quantiles(Selected source, SeriesLabels of, @Nullable String field) {
        List<BigDecimal> wanted = List.of(BigDecimal.ZERO.max(query.quantile()).multiply(HUNDRED));
        boolean tiles = grid.count() == 1 || query.rangeNs() % grid.stepNs() == 0;
        long phases = tiles ? Math.min(grid.count(), query.rangeNs() / grid.stepNs()) : grid.count();
        phases = grid.count() == 1 ? 1 : phases;
        if (phases > LokiLimits.PASSES_MAX) {
            throw ApiFailure.badRequest("too many ranges that overlap: passes=" + phases + ", max="
                    + LokiLimits.PASSES_MAX + "; a range that is a small multiple of the step takes fewer");
        }
        for (int phase = 0; phase < phases; phase++) {
            int begin = phase;
            int stride = (int) phases;
            int last = begin + (grid.count() - 1 - begin) / stride * stride;
            boolean one = last == begin;
            TimeRange range = new TimeRange(beginNs(begin), endNs(last));
            groups(source, of, field, wanted, range, one ? 0 : query.rangeNs(), (group, key) -> {
                long tile = one ? 0 : (group.range().fromNs() - range.fromNs()) / query.rangeNs();
                group.percentiles()
                        .values()
                        .forEach(value -> set(quantile(key), (int) (begin + tile * stride), value.doubleValue()));
            });
        }
    }

    private static void set(Series series, int point, double value) {
        if (series.has(point)) {
            throw ApiFailure.badRequest(
                    "quantiles can't be put together, of values that read alike, such as 1 and \"1\", or of sources"
                            + " that have one name one after the other: labels="
                            + series.labels());
        }
        series.set(point, value);
    }

    private Series quantile(Key key) {
        Series series = quantiles.get(key);
        if (series == null) {
            reserve(quantiles.size() + 1, Series.size(grid.count()));
            series = new Series(key.labels(), grid.count());
            quantiles.put(key, series);
        }
        return series;
    }

    /**
     * Finds groups of a source's records.
     *
     * @param stepNs length of steps from the start of the range on; 0 for none
     * @param each takes a group, or each of its steps, with its labels
     */
    private void groups(
            Selected source,
            SeriesLabels of,
            @Nullable String field,
            List<BigDecimal> percentiles,
            TimeRange range,
            long stepNs,
            BiConsumer<Group, Key> each) {
        for (String level : of.levels()) {
            RecordCondition ofLevel = level.isEmpty() ? RecordCondition.ALWAYS : Levels.where(level::equals);
            groups(source.records(range, ofLevel), of, level, field, percentiles, stepNs, each);
        }
    }

    private void groups(
            RecordSelection records,
            SeriesLabels of,
            String level,
            @Nullable String field,
            List<BigDecimal> percentiles,
            long stepNs,
            BiConsumer<Group, Key> each) {
        Steps steps = stepNs == 0
                ? null
                : new Steps(Duration.ofNanos(stepNs), 1, records.range().fromNs());
        session.run(
                limits -> new GroupRequest(
                        records,
                        field,
                        new GroupRequest.Keys(of.fields(), steps),
                        percentiles,
                        null,
                        GroupOrder.ascending(GroupOrder.By.KEY),
                        Integer.MAX_VALUE,
                        new GroupRequest.Caps(session.groupsMax(), 1, false, true),
                        limits),
                new ResultHandler() {
                    @Override
                    public void onGroups(GroupRequest request, TimeRange covered, Completeness missing, Groups groups) {
                        Map<String, Key> keys = new HashMap<>();
                        if (groups.longKeys() > 0) {
                            tellOthers(records.source().name());
                        }
                        for (Group group : groups) {
                            if (group.isOther() && othersLeftOut) {
                                continue;
                            }
                            StringBuilder texts = new StringBuilder();
                            group.key().forEach(value -> Key.append(texts, value.kind() + value.text()));
                            Key key = keys.computeIfAbsent(texts.toString(), added -> Key.of(of.of(group, level)));
                            each.accept(group, key);
                        }
                    }
                });
    }

    private void tellOthers(String source) {
        if (othersLeftOut) {
            session.report().warn(source, MissingText.LONG_VALUES);
        } else {
            session.report().note("source=" + source + ": " + LONG);
        }
    }
}
