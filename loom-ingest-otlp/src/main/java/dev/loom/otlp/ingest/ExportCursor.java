package dev.loom.otlp.ingest;

import dev.loom.otlp.Signal;
import dev.loom.otlp.wire.ExportTags.Request;
import dev.loom.otlp.wire.ExportTags.ResourceEnvelope;
import dev.loom.otlp.wire.ExportTags.ScopeEnvelope;
import dev.loom.otlp.wire.MetricTags.Data;
import dev.loom.otlp.wire.WireReader;
import org.agrona.DirectBuffer;

/**
 * Moves over the records of a well-formed request: log records, spans or data points. Reused; for one thread.
 *
 * <p>Records are nested three messages deep (in ResourceX and ScopeX), data points five (also in Metric and its data). At
 * each level the fields with one tag lead to records; the others belong to the context.
 */
final class ExportCursor {
    private static final int RESOURCE = 1;
    private static final int SCOPE = 2;
    private static final int METRIC = 3;
    private static final int DATA = 4;

    private final WireReader reader = new WireReader();
    private final ContextBytes context;
    private final int[] tags = {Request.RESOURCES, ResourceEnvelope.SCOPES, ScopeEnvelope.ITEMS, 0, Data.DATA_POINTS};
    private final int[] ends = new int[DATA];
    private int depth;
    private int recordDepth;
    private long resources;

    /** @param context takes what the current record shares with others */
    ExportCursor(ContextBytes context) {
        this.context = context;
    }

    /** Starts with the request in {@code [offset, offset + length)}. */
    void wrap(Signal signal, DirectBuffer buffer, int offset, int length) {
        recordDepth = signal == Signal.METRICS ? DATA : SCOPE;
        reader.wrap(buffer, offset, length);
        depth = 0;
    }

    /** Moves to the next record. Returns false if there is none. */
    boolean next() {
        while (true) {
            if (!reader.next()) {
                if (depth == 0) {
                    return false;
                }
                reader.leave(ends[--depth]);
            } else if (leadsOn()) {
                if (depth == recordDepth) {
                    return true;
                }
                enter();
            }
        }
    }

    private boolean leadsOn() {
        return reader.tag() == tags[depth] && (depth != METRIC || reader.fieldOffset() >= context.pointsOffset());
    }

    private void enter() {
        DirectBuffer buffer = reader.buffer();
        int offset = reader.offset();
        int length = reader.length();
        ends[depth++] = reader.enter();
        switch (depth) {
            case RESOURCE -> {
                context.enterResource(buffer, offset, length);
                resources++;
            }
            case SCOPE -> context.enterScope(buffer, offset, length);
            case METRIC -> {
                context.enterMetric(buffer, offset, length);
                tags[METRIC] = context.pointsTag();
            }
            default -> {} // the metric has already taken the fields of its data
        }
    }

    /** Counts ResourceX messages, so that a caller sees when a record is from another one than the last. */
    long resources() {
        return resources;
    }

    /** Where the record's message begins. */
    int offset() {
        return reader.offset();
    }

    /** The length of the record's message, in bytes. */
    int length() {
        return reader.length();
    }
}
