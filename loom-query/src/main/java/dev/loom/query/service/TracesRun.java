package dev.loom.query.service;

import dev.loom.query.model.TimeRange;
import dev.loom.query.trace.TraceFields;
import dev.loom.query.trace.TraceId;
import dev.loom.query.trace.TraceSummaries;
import java.util.List;
import java.util.Map;

/** Runs a request for traces: finds their ids, then reads their spans. For one thread. */
final class TracesRun {
    private final TracesRequest request;
    private final TraceScan scan;
    private final QueryExecution run;
    private final ResultHandler results;

    TracesRun(TracesRequest request, TraceScan scan, QueryExecution run, ResultHandler results) {
        this.request = request;
        this.scan = scan;
        this.run = run;
        this.results = results;
    }

    void run() {
        NewestTraces newest = new NewestTraces(request.limit());
        boolean whole = true;
        for (int i = 0; i < request.records().size() && whole; i++) {
            RecordSelection records = request.records().get(i);
            boolean byEvent = records.eventTime() && !request.lastArrived();
            whole = scan.read(records, (record, reader, timeNs, asked) -> {
                long orderedNs = byEvent ? timeNs : record.timeNs();
                if (reader.isSpan() && request.took().holds(reader)) {
                    TraceId id = newest.wants(orderedNs) ? reader.traceId() : null;
                    if (id != null) {
                        newest.add(id, orderedNs);
                    }
                }
                // by arrival, no newer one follows
                return byEvent || newest.wants(orderedNs);
            });
        }
        Map<TraceId, Long> found = newest.newestFirst();
        if (found.isEmpty()) {
            results.onNothing("no such spans in the range");
            return;
        }
        TraceSummaries summaries = new TraceSummaries(found, request.matchesMax(), run.memory());
        run.repeat();
        for (int i = 0; i < request.records().size() && whole; i++) {
            RecordSelection matching =
                    request.matchesMax() == 0 ? null : request.records().get(i);
            whole = scan.read(spans(request.records().get(i), summaries), matching, (record, reader, timeNs, asked) -> {
                if (!request.spans()) {
                    boolean matches = asked && request.took().holds(reader);
                    summaries.add(reader, record.address(), timeNs, matches);
                } else if (reader.isSpan()) {
                    results.onRecord(timeNs, record.address(), record.buffer(), record.offset(), record.length());
                }
                return true;
            });
        }
        if (!request.spans()) {
            results.onTraces(request, summaries.summaries());
        }
    }

    /** All spans of the traces in and around the range. */
    private static RecordSelection spans(RecordSelection asked, TraceSummaries traces) {
        return new RecordSelection(
                asked.source(),
                around(asked.range()),
                asked.eventTime(),
                List.of(TraceFields.ofTraces(asked.source().format(), List.copyOf(traces.ids()))));
    }

    private static TimeRange around(TimeRange range) {
        long from = range.fromNs();
        long to = range.toNs();
        return new TimeRange(
                from < Long.MIN_VALUE + TracesRequest.MARGIN_NS ? Long.MIN_VALUE : from - TracesRequest.MARGIN_NS,
                to > Long.MAX_VALUE - TracesRequest.MARGIN_NS ? Long.MAX_VALUE : to + TracesRequest.MARGIN_NS);
    }
}
