package dev.loom.query.service;

import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.format.Field;
import dev.loom.format.PayloadFormat;
import dev.loom.query.Difference;
import dev.loom.query.model.ValueRange;
import dev.loom.query.where.Where;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Runs a request for differences. For one thread. */
record DifferenceRun(
        Snapshot snapshot,
        DifferenceRequest request,
        SelectedSource selected,
        QueryExecution run,
        ResultHandler results) {
    void find() {
        Difference query = query();
        if (query == null) {
            results.onNothing("no record has such a value");
            return;
        }
        Difference.Result found = run.prepare(query).run();
        run.add(found.statistics(), found.completeness());
        results.onDifference(request, found);
        if (found.selected() == 0) {
            results.onNothing("no record of the range is chosen");
        } else if (found.against() == 0) {
            results.onNothing("all records of the range are chosen: there are no others to compare them with");
        } else if (found.findings().isEmpty()) {
            results.onNothing("nothing is more frequent among the chosen records than chance explains");
        }
    }

    /** The query; null if no record can be chosen. */
    private @Nullable Difference query() {
        int sourceId = selected.source().id();
        Difference query = Difference.of(snapshot, sourceId);
        if (selected.clock() == null) {
            query.range(request.records().range());
        } else {
            query.eventRange(selected.clock(), request.records().range());
        }
        request.records().conditions().forEach(query::selected);
        DifferenceRequest.Choice choice = request.choice();
        choice.conditions().forEach(condition -> RecordSelection.checked(() -> query.selected(condition)));
        if (choice.field() != null && choice.above() instanceof CorrelationRequest.Threshold.Percentile percentile) {
            IndexFunction function = request.records().function(choice.field());
            ValueRange above =
                    new PercentileThreshold(snapshot, selected, run, function, results).find(percentile.percentile());
            if (above == null) {
                return null;
            }
            query.selected(choice.field(), function, above);
        }
        if (choice.hasTimes()) {
            query.selectedTimes(choice.times()).ignore(times(selected.source().format()));
        }
        List<Where> against = request.against();
        if (!against.isEmpty()) {
            query.against(against.size() == 1 ? against.get(0) : new Where.And(against));
        }
        return query.fields(request.fields()).ignore(request.ignored()).supportMin(request.supportMin());
    }

    /** The fields that hold times, which differ if times choose. */
    private static List<String> times(PayloadFormat format) {
        return format.fields().stream().map(Field::name).filter(format::isTime).toList();
    }
}
