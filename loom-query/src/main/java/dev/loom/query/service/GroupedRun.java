package dev.loom.query.service;

import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.format.FieldValue;
import dev.loom.query.EventExtent;
import dev.loom.query.Group;
import dev.loom.query.GroupedAggregate;
import dev.loom.query.Groups;
import dev.loom.query.model.Completeness;
import dev.loom.query.model.Completeness.Limit;
import dev.loom.query.model.QueryStatistics;
import dev.loom.query.model.TimeRange;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Runs a request for groups. For one thread. */
final class GroupedRun {
    private static final String NOTHING = "no records in the range";

    private final Snapshot snapshot;
    private final GroupRequest request;
    private final SelectedSource selected;
    private final QueryExecution run;
    private final ResultHandler results;

    GroupedRun(
            Snapshot snapshot,
            GroupRequest request,
            SelectedSource selected,
            QueryExecution run,
            ResultHandler results) {
        this.snapshot = snapshot;
        this.request = request;
        this.selected = selected;
        this.run = run;
        this.results = results;
    }

    /** @param found takes the groups, and the times that they cover, see {@link ResultHandler#onGroups} */
    void run(BiConsumer<TimeRange, Groups> found) {
        GroupedAggregate query = query();
        HistogramSteps steps = null;
        if (request.keys().steps() != null) {
            steps = HistogramSteps.of(snapshot, selected, run, request.keys().steps());
            if (steps == null) {
                results.onNothing(NOTHING);
                return;
            }
            steps = steps.whole(request.records().range());
            selected.restrict(steps.limit(query, selected)).step(steps.step());
        } else {
            selected.confine(query);
        }
        GroupedAggregate prepared = run.prepare(query);
        try (Groups groups = RecordSelection.checked(prepared::run)) {
            run.add(groups.statistics().plus(QueryStatistics.NONE.seeing(keysSeen(groups))), groups.completeness());
            if (groups.size() == 0) {
                results.onNothing(NOTHING);
            }
            if (steps != null) {
                steps.addMissing(snapshot, selected, run);
            }
            found.accept(steps == null ? covered(groups.completeness()) : steps.range(), groups);
        }
    }

    /** The fields of the keys that no group has a value in: they may be misspelt. Nothing is known if there is a rest. */
    private Map<String, Boolean> keysSeen(Groups groups) {
        Map<String, Boolean> unseen = new TreeMap<>();
        List<String> fields = request.keys().fields();
        fields.forEach(field -> unseen.put(field, false));
        for (int i = 0; i < groups.size() && !unseen.isEmpty(); i++) {
            Group group = groups.get(i);
            if (group.isOther()) {
                return Map.of();
            }
            for (int k = 0; k < fields.size(); k++) {
                if (group.key().get(k).kind() != FieldValue.Kind.ABSENT) {
                    unseen.remove(fields.get(k));
                }
            }
        }
        return groups.size() == 0 ? Map.of() : unseen;
    }

    private GroupedAggregate query() {
        int sourceId = selected.source().id();
        GroupedAggregate query = request.field() == null
                ? GroupedAggregate.of(snapshot, sourceId)
                : RecordSelection.checked(() -> GroupedAggregate.of(
                        snapshot, sourceId, request.records().function(request.field())));
        query.by(request.keys().fields())
                .order(request.order())
                .limit(request.limit())
                .groupsMax(request.caps().groups())
                .distinctMax(request.caps().distinct())
                .restAsOther(request.caps().restAsOther())
                .longKeysAsOther(request.caps().longKeysAsOther());
        if (!request.percentiles().isEmpty()) {
            query.percentiles(request.percentiles());
        }
        return request.distinct() == null ? query : query.distinct(request.distinct());
    }

    /**
     * The range asked for; an open end becomes the time of the source's first or last record, if these differ. The query itself keeps
     * the open range, since records may have been lost outside of those times.
     */
    private TimeRange covered(Completeness completeness) {
        TimeRange wanted = request.records().range();
        if (wanted.isBounded()) {
            return wanted;
        }
        TimeRange held = completeness.limit() == Limit.NONE ? held(completeness) : null;
        if (held == null) {
            return wanted;
        }
        long fromNs = wanted.fromNs() == Long.MIN_VALUE ? held.fromNs() : wanted.fromNs();
        long toNs = wanted.toNs() == Long.MAX_VALUE ? held.toNs() : wanted.toNs();
        return toNs <= fromNs || toNs - fromNs == 1 ? wanted : new TimeRange(fromNs, toNs);
    }

    private @Nullable TimeRange held(Completeness completeness) {
        SourceClock clock = selected.clock();
        Source source = selected.source();
        if (clock == null) {
            return HistogramSteps.arrivals(snapshot, source);
        }
        EventExtent query = EventExtent.of(snapshot, source.id(), clock)
                .eventRange(clock, request.records().range());
        EventExtent.Result found = run.prepare(query).run();
        boolean whole = found.completeness().limit() == Limit.NONE;
        // the groups are complete without it
        run.add(found.statistics(), new Completeness(0, 0, false, Limit.NONE, completeness.reachesFuture()));
        return whole ? found.times() : null;
    }
}
