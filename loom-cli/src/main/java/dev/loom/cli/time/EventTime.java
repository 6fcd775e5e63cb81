package dev.loom.cli.time;

import dev.loom.Loom;
import dev.loom.api.IndexFunction;
import dev.loom.api.ValueType;
import dev.loom.api.ValueUnit;
import dev.loom.format.Field;
import dev.loom.format.FieldReader;
import dev.loom.format.FieldType;
import dev.loom.format.FieldValue;
import dev.loom.format.PayloadFormat;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A source's event time: the field that holds the time of what a record tells of, and the clock that it was read from.
 * It is kept as attributes of the source.
 *
 * @param clockPair of a monotonic clock; null for the wall clock
 */
public record EventTime(String field, @Nullable ClockPair clockPair) {
    /** What a record without an event time gives. */
    public static final long NONE = Long.MIN_VALUE;

    /** The name of the index over a source's event time. */
    public static final String INDEX_NAME = "event-time";

    private static final String FIELD = "event.field";
    private static final String CLOCK = "event.clock";
    private static final String CLOCK_PAIR = "event.clock.pair";
    private static final String WALL = "wall";
    private static final String MONOTONIC = "monotonic";

    /** The event time that a source was defined with, or null. */
    public static @Nullable EventTime of(Map<String, String> attributes) {
        String field = attributes.get(FIELD);
        return field == null ? null : new EventTime(field, ClockPair.parse(attributes.get(CLOCK_PAIR)));
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
        FieldType type = format.fields().stream()
                .filter(candidate -> candidate.name().equals(field))
                .map(Field::type)
                .findFirst()
                .orElse(null);
        if (type == null) {
            // as doubles, which undeclared fields are by default, times in ns would lose their last digits
            loom.defineEventTimeIndex(
                    sourceId, INDEX_NAME, IndexFunction.field(format, field, ValueType.I64, ValueUnit.ofName(field)));
        } else if (type.isNumber()) {
            loom.defineEventTimeIndex(sourceId, INDEX_NAME, IndexFunction.field(format, field));
        }
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
        return new Reader(reader, clockPair);
    }

    /** Reads event times. For one thread. */
    public static final class Reader {
        private final FieldReader field;
        private final @Nullable ClockPair clockPair;
        private final FieldValue value = new FieldValue();

        private Reader(FieldReader field, @Nullable ClockPair clockPair) {
            this.field = Objects.requireNonNull(field);
            this.clockPair = clockPair;
        }

        /**
         * Epoch nanoseconds, or {@link #NONE}. Of the wall clock, numbers are in the unit that their size tells, and
         * text is RFC 3339; a monotonic clock's are nanoseconds.
         */
        public long epochNs(DirectBuffer buffer, int offset, int length) {
            field.read(buffer, offset, length, value);
            return switch (value.kind()) {
                case INTEGER -> ofLong(value.longValue());
                case DOUBLE -> ofDouble(value.doubleValue());
                case TEXT -> ofText(value.text());
                default -> NONE;
            };
        }

        private long ofLong(long number) {
            if (clockPair != null) {
                return clockPair.wallNs(number);
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
