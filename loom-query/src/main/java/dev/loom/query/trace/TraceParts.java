package dev.loom.query.trace;

import dev.loom.query.model.QueryMemory;
import dev.loom.query.model.TraceLimitException;
import dev.loom.query.trace.TraceSpan.SpanEvent;
import java.util.ArrayList;
import java.util.List;

/** The spans and log records of a trace as they are found, up to a cap. For one thread. */
public final class TraceParts {
    /** The cap if none is set, and the highest that can be set. */
    public static final int RECORDS_MAX_DEFAULT = 100_000;

    public static final int RECORDS_MAX = 1_000_000;

    /** Bytes of a span or a log record, with its places in the tree and in the waterfall, but without its texts. */
    private static final long RECORD_BYTES = 600;

    private static final long EVENT_BYTES = 80;

    private final TraceId id;
    private final int recordsMax;
    private final QueryMemory memory;
    private final List<TraceSpan> spans = new ArrayList<>();
    private final List<TraceLog> logs = new ArrayList<>();

    /**
     * Begins without parts.
     *
     * @param recordsMax the most spans and log records together
     * @param memory where they are reserved
     */
    public TraceParts(TraceId id, int recordsMax, QueryMemory memory) {
        this.id = id;
        this.recordsMax = recordsMax;
        this.memory = memory;
    }

    /**
     * Takes the record that a reader stands on.
     *
     * @throws TraceLimitException if there are more than the cap
     * @throws QueryMemory.Exhausted if memory is used up
     */
    public void add(SpanReader record, long address, long arrivalNs) {
        int found = spans.size() + logs.size() + 1;
        if (found > recordsMax) {
            throw new TraceLimitException(id.toString(), found, recordsMax);
        }
        if (!record.isSpan()) {
            TraceLog log = record.log(address, arrivalNs);
            memory.reserve(RECORD_BYTES + bytes(log.severity(), log.service(), log.text()));
            logs.add(log);
            return;
        }
        TraceSpan span = record.span(address, arrivalNs);
        long events = 0;
        for (SpanEvent event : span.events()) {
            events += EVENT_BYTES + bytes(event.name());
        }
        memory.reserve(RECORD_BYTES + events + bytes(span.service(), span.name(), span.kind(), span.statusMessage()));
        spans.add(span);
    }

    private static long bytes(String... texts) {
        long bytes = 0;
        for (String text : texts) {
            bytes += 2L * text.length();
        }
        return bytes;
    }

    /** The trace that they make. */
    public Trace trace() {
        return TraceTree.of(id, spans, logs);
    }
}
