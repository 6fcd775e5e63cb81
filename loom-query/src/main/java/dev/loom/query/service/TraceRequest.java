package dev.loom.query.service;

import dev.loom.api.Source;
import dev.loom.query.model.TimeRange;
import dev.loom.query.trace.TraceFields;
import dev.loom.query.trace.TraceId;
import dev.loom.query.trace.TraceParts;
import java.util.List;

/**
 * Asks for the spans and log records of a trace, in any of some sources.
 *
 * @param records of the trace, one for each source; the ranges are equal
 * @param tree whether to put them together, for {@link ResultHandler#onTrace}; if not, the records alone are handed over, and there may
 *     be any number of them
 * @param recordsMax the most spans and log records of a tree, from 1 to {@link TraceParts#RECORDS_MAX}
 */
public record TraceRequest(TraceId id, List<RecordSelection> records, boolean tree, int recordsMax, QueryLimits limits)
        implements QueryRequest {
    /** @throws RequestException if there is no source, or the cap is out of range */
    public TraceRequest {
        records = List.copyOf(records);
        if (records.isEmpty()) {
            throw new RequestException(
                    "the store has no source whose records may name a trace: they need a field trace_id");
        } else if (recordsMax < 1 || recordsMax > TraceParts.RECORDS_MAX) {
            throw new RequestException("records-max", " must be 1 to " + TraceParts.RECORDS_MAX + ": " + recordsMax);
        }
    }

    /** The records of a trace in one source. */
    public static RecordSelection records(TraceId id, Source source, TimeRange range, boolean eventTime) {
        return new RecordSelection(
                source, range, eventTime, List.of(TraceFields.ofTraces(source.format(), List.of(id))));
    }
}
