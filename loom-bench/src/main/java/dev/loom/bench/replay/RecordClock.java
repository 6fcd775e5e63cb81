package dev.loom.bench.replay;

import dev.loom.api.IndexFunction;
import dev.loom.format.PayloadFormat;
import dev.loom.format.RecordLookup;
import dev.loom.query.model.EventClock;
import dev.loom.query.model.TimeRange;
import dev.loom.query.model.Value;
import java.nio.ByteOrder;
import org.agrona.DirectBuffer;

/** Reads the times that replayed records carry. */
final class RecordClock implements EventClock {
    private static final String FIELD = "ts_ns";

    private final IndexFunction function;

    RecordClock(PayloadFormat format) {
        function = IndexFunction.field(format, FIELD);
    }

    @Override
    public long epochNs(RecordLookup lookup, DirectBuffer payload, int offset, int length) {
        return payload.getLong(offset + RecordKind.TIME_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public IndexFunction function() {
        return function;
    }

    @Override
    public TimeRange times(Value min, Value max) {
        return new TimeRange(min.longValue(), max.longValue() + 1);
    }
}
