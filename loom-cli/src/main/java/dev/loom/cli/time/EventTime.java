package dev.loom.cli.time;

import dev.loom.Loom;
import dev.loom.api.IndexFunction;
import dev.loom.api.Source;
import dev.loom.api.ValueType;
import dev.loom.api.ValueUnit;
import dev.loom.format.FieldReader;
import dev.loom.format.FieldType;
import dev.loom.format.FieldValue;
import dev.loom.format.PayloadFormat;
import dev.loom.format.RecordLookup;
import dev.loom.query.EventClock;
import dev.loom.query.TimeRange;
import dev.loom.query.Value;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A source's event time: the field that holds the time of what a record tells of, and the clock that it was read from.
 * It is kept as attributes of the source; without them it is what the source's format says.
 *
 * @param clockPair of a monotonic clock; null for the wall clock
 * @param epochNs whether the wall clock's times are known to be nanoseconds; else their size tells
 */
public record EventTime(String field, @Nullable ClockPair clockPair, boolean epochNs) {
    /** The name of the index over a source's event time. */
    public static final String INDEX_NAME = "event-time";

    private static final String FIELD = "event.field";
    private static final String CLOCK = "event.clock";
    private static final String CLOCK_PAIR = "event.clock.pair";
    private static final String WALL = "wall";
    private static final String MONOTONIC = "monotonic";

    public EventTime(String field, @Nullable ClockPair clockPair) {
        this(field, clockPair, false);
    }

    /** The event time of a source, or null. */
    public static @Nullable EventTime of(Source source) {
        String field = source.attributes().get(FIELD);
        if (field != null) {
            return new EventTime(field, ClockPair.parse(source.attributes().get(CLOCK_PAIR)));
        }
        return of(source.format());
    }

    /** The event time that a format says its payloads have, or null. */
    public static @Nullable EventTime of(PayloadFormat format) {
        String field = format.eventTimeField();
        return field == null ? null : new EventTime(field, null, true);
    }

    public Map<String, String> attributes() {
        Map<String, String> attributes = new LinkedHashMap<>();
        attributes.put(FIELD, field);
        attributes.put(CLOCK, clockName());
        if (clockPair != null) {
            attributes.put(CLOCK_PAIR, clockPair.text());
        }
        return attributes;
    }

    /** {@code wall} or {@code monotonic}. */
    public String clockName() {
        return clockPair == null ? WALL : MONOTONIC;
    }

    /**
     * Defines the index that narrows queries by this time, if there is none: of a field whose values are numbers. Times
     * that are text are found by reading.
     */
    public void defineIndex(Loom loom, int sourceId, PayloadFormat format) {
        IndexFunction function = function(format);
        if (function != null) {
            loom.defineEventTimeIndex(sourceId, INDEX_NAME, function);
        }
    }

    private @Nullable IndexFunction function(PayloadFormat format) {
        FieldType type = format.declaredType(field);
        if (type == null) {
            // as doubles, which undeclared fields are by default, times in ns would lose their last digits
            return IndexFunction.field(format, field, ValueType.I64, ValueUnit.ofName(field));
        }
        return type.isNumber() ? IndexFunction.field(format, field) : null;
    }

    /**
     * A reader of this event time from payloads of the format.
     *
     * @throws IllegalArgumentException when the format has no such field
     */
    public Reader reader(PayloadFormat format) {
        FieldReader reader = format.field(field);
        if (reader == null) {
            throw new IllegalArgumentException("no such field: field=" + field + ", format=" + format.text());
        }
        return new Reader(reader, function(format), clockPair, epochNs);
    }

    /** Reads event times. For one thread. */
    public static final class Reader implements EventClock {
        private final FieldReader field;
        private final @Nullable IndexFunction function;
        private final @Nullable ClockPair clockPair;
        private final boolean epochNs;
        private final FieldValue value = new FieldValue();
        private long withoutTime;

        private Reader(
                FieldReader field, @Nullable IndexFunction function, @Nullable ClockPair clockPair, boolean epochNs) {
            this.field = Objects.requireNonNull(field);
            this.function = function;
            this.clockPair = clockPair;
            this.epochNs = epochNs;
        }

        /**
         * Epoch nanoseconds, or {@link #NONE}. Of the wall clock, numbers are in the unit that their size tells, and
         * text is RFC 3339; a monotonic clock's are nanoseconds.
         */
        @Override
        public long epochNs(@Nullable RecordLookup lookup, DirectBuffer buffer, int offset, int length) {
            value.lookup(lookup);
            field.read(buffer, offset, length, value);
            long timeNs = switch (value.kind()) {
                case INTEGER -> ofLong(value.longValue());
                case DOUBLE -> ofDouble(value.doubleValue());
                case TEXT -> ofText(value.text());
                default -> NONE;
            };
            withoutTime += timeNs == NONE ? 1 : 0;
            return timeNs;
        }

        /** How many of the records read had no event time. */
        public long withoutTime() {
            return withoutTime;
        }

        public void forgetWithoutTime() {
            withoutTime = 0;
        }

        @Override
        public @Nullable IndexFunction function() {
            return function;
        }

        @Override
        public TimeRange times(Value min, Value max) {
            boolean doubles = min.type() == ValueType.F64;
            boolean oneUnit =
                    clockPair != null || epochNs || EpochTime.haveOneUnit(min.doubleValue(), max.doubleValue());
            boolean signed = min.type() != ValueType.U64 || max.longValue() >= 0;
            long first = doubles ? ofDouble(min.doubleValue()) : ofLong(min.longValue());
            long last = doubles ? ofDouble(max.doubleValue()) : ofLong(max.longValue());
            boolean told = oneUnit && signed && first != NONE && last != NONE && last < Long.MAX_VALUE;
            return told && first <= last ? new TimeRange(first, last + 1) : TimeRange.ALL;
        }

        private long ofLong(long number) {
            if (clockPair != null) {
                return clockPair.wallNs(number);
            } else if (epochNs) {
                return number;
            }
            try {
                return EpochTime.ofAnyUnit(number);
            } catch (ArithmeticException e) {
                return NONE;
            }
        }

        private long ofDouble(double number) {
            if (clockPair != null) {
                return Double.isFinite(number) ? clockPair.wallNs(Math.round(number)) : NONE;
            }
            try {
                return EpochTime.ofAnyUnit(number);
            } catch (ArithmeticException e) {
                return NONE;
            }
        }

        private long ofText(String text) {
            try {
                if (clockPair != null) {
                    return clockPair.wallNs(Long.parseLong(text));
                }
                return text.startsWith("now") ? NONE : TimeText.parse(text, 0, ZoneOffset.UTC);
            } catch (IllegalArgumentException e) {
                return NONE;
            }
        }
    }
}
