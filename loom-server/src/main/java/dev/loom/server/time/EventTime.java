package dev.loom.server.time;

import dev.loom.Loom;
import dev.loom.api.IndexFunction;
import dev.loom.api.Source;
import dev.loom.api.ValueType;
import dev.loom.api.ValueUnit;
import dev.loom.format.Field;
import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.format.PayloadFormat;
import dev.loom.format.RecordLookup;
import dev.loom.query.model.TimeRange;
import dev.loom.query.model.Value;
import dev.loom.query.service.RequestException;
import dev.loom.query.service.SourceClock;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A source's event time: the field that holds the time of the event, and the clock that the time was read from. The source's
 * attributes hold it; without them the source's format determines it.
 *
 * <p>Numbers are in the unit asked for, or in that of the field name's suffix, {@code _ns}, {@code _us}, {@code _ms} or {@code
 * _s}. Otherwise numbers of a monotonic clock are nanoseconds, and the size of each wall-clock number determines its unit.
 *
 * @param clockPair for a monotonic clock; null for the wall clock
 * @param askedUnit null if none was asked for
 * @param start whether the time is that of the event's start, not of its end
 */
public record EventTime(
        String field,
        @Nullable ClockPair clockPair,
        @Nullable ValueUnit askedUnit,
        boolean start) {
    /** The name of the index over a source's event time. */
    public static final String INDEX_NAME = "event-time";

    private static final String FIELD = "event.field";
    private static final String CLOCK = "event.clock";
    private static final String CLOCK_PAIR = "event.clock.pair";
    private static final String UNIT = "event.unit";
    private static final String AT = "event.at";
    private static final String START = "start";
    private static final String WALL = "wall";
    private static final String MONOTONIC = "monotonic";

    public EventTime(String field, @Nullable ClockPair clockPair) {
        this(field, clockPair, null, false);
    }

    /** The event time of a source, or null. Attributes that make no sense, which any program may have set, are as none. */
    public static @Nullable EventTime of(Source source) {
        try {
            return parse(source.format(), source.attributes());
        } catch (IllegalArgumentException e) {
            return of(source.format());
        }
    }

    /**
     * The event time by attributes of a source or, if they name none, by its format; or null.
     *
     * @throws IllegalArgumentException if the attributes are malformed, or the format has no such field
     */
    public static @Nullable EventTime parse(PayloadFormat format, Map<String, String> attributes) {
        String field = attributes.get(FIELD);
        if (field == null) {
            return of(format);
        }
        String unit = attributes.get(UNIT);
        EventTime eventTime = new EventTime(
                field,
                ClockPair.parse(attributes.get(CLOCK_PAIR)),
                unit == null ? null : ValueUnit.parse(unit),
                START.equals(attributes.get(AT)));
        eventTime.reader(format);
        return eventTime;
    }

    /** The event time that a format defines, or null. */
    public static @Nullable EventTime of(PayloadFormat format) {
        String field = format.eventTimeField();
        return field == null ? null : new EventTime(field, null, ValueUnit.NANOSECONDS, false);
    }

    /**
     * Reads the event time of a source.
     *
     * @throws RequestException if the source has none
     */
    public static SourceClock clock(Source source) {
        EventTime eventTime = of(source);
        if (eventTime == null) {
            throw new RequestException(
                    "source has no event time: " + source.name() + "; import sets it with --event-time");
        }
        return eventTime.reader(source.format());
    }

    public Map<String, String> attributes() {
        Map<String, String> attributes = new LinkedHashMap<>();
        attributes.put(FIELD, field);
        attributes.put(CLOCK, clockName());
        if (clockPair != null) {
            attributes.put(CLOCK_PAIR, clockPair.text());
        }
        if (askedUnit != null) {
            attributes.put(UNIT, askedUnit.text());
        }
        if (start) {
            attributes.put(AT, START);
        }
        return attributes;
    }

    /** The attributes of a source with this event time replacing its own. */
    public Map<String, String> attributes(Source source) {
        Map<String, String> attributes = new LinkedHashMap<>(source.attributes());
        List.of(FIELD, CLOCK, CLOCK_PAIR, UNIT, AT).forEach(attributes::remove);
        attributes.putAll(attributes());
        return attributes;
    }

    /** This event time reduced to its field and clock. */
    public EventTime asNamed() {
        return new EventTime(field, clockPair);
    }

    /** The unit of numbers; null if the size of each number determines it. */
    public @Nullable ValueUnit unit() {
        if (askedUnit != null) {
            return askedUnit;
        }
        ValueUnit named = ValueUnit.ofName(field);
        return nanoseconds(named) > 0 ? named : clockPair == null ? null : ValueUnit.NANOSECONDS;
    }

    /** Nanoseconds in a unit of time; 0 for other units. */
    private static long nanoseconds(@Nullable ValueUnit unit) {
        return unit == null
                ? 0
                : switch (unit) {
                    case NANOSECONDS -> 1;
                    case MICROSECONDS -> 1_000;
                    case MILLISECONDS -> 1_000_000;
                    case SECONDS -> 1_000_000_000;
                    case NONE, BYTES -> 0;
                };
    }

    /** Text such as {@code ts_ns (monotonic)} or {@code at (wall, ms)}. */
    public String text() {
        String unit = askedUnit == null || askedUnit == ValueUnit.NANOSECONDS ? "" : ", " + askedUnit.text();
        return field + " (" + clockName() + unit + (start ? ", start)" : ")");
    }

    /** {@code wall} or {@code monotonic}. */
    public String clockName() {
        return clockPair == null ? WALL : MONOTONIC;
    }

    /**
     * Defines the index that narrows queries by this time, if there is none and the field's values are numbers. Finding times
     * that are text takes a scan.
     */
    public void defineIndex(Loom loom, int sourceId, PayloadFormat format) {
        IndexFunction function = function(format);
        if (function != null) {
            loom.defineEventTimeIndex(sourceId, INDEX_NAME, function);
        }
    }

    /** The function of the index over this time; null if there can be none. */
    public @Nullable IndexFunction function(PayloadFormat format) {
        Field.Type type = format.declaredType(field);
        if (type == null) {
            // as doubles, the default of undeclared fields, times in ns would lose their last digits
            return IndexFunction.field(format, field, ValueType.I64, ValueUnit.ofName(field));
        }
        return type.isNumber() ? IndexFunction.field(format, field) : null;
    }

    /**
     * Reads this event time from payloads of the format.
     *
     * @throws IllegalArgumentException if the format has no such field
     */
    public Reader reader(PayloadFormat format) {
        FieldReader reader = format.field(field);
        if (reader == null) {
            throw new IllegalArgumentException("no such field: field=" + field + ", format=" + format.text());
        }
        return new Reader(reader, function(format), nanoseconds(unit()));
    }

    /** Reads event times. For one thread. */
    public final class Reader implements SourceClock {
        private static final Pattern NUMBER = Pattern.compile("-?\\d{1,19}(\\.\\d{1,9})?");

        private final FieldReader field;
        private final @Nullable IndexFunction function;
        /** Nanoseconds in the unit of numbers; 0 if the size of each number determines the unit. */
        private final long unitNs;

        private final FieldValue value = new FieldValue();
        private long withoutTime;

        private Reader(FieldReader field, @Nullable IndexFunction function, long unitNs) {
            this.field = field;
            this.function = function;
            this.unitNs = unitNs;
        }

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

        @Override
        public long withoutTime() {
            return withoutTime;
        }

        @Override
        public boolean start() {
            return start;
        }

        @Override
        public @Nullable IndexFunction function() {
            return function;
        }

        @Override
        public TimeRange times(Value min, Value max) {
            boolean doubles = min.type() == ValueType.F64;
            boolean oneUnit = unitNs > 0 || EpochTime.haveOneUnit(min.doubleValue(), max.doubleValue());
            boolean signed = min.type() != ValueType.U64 || max.longValue() >= 0;
            long first = doubles ? ofDouble(min.doubleValue()) : ofLong(min.longValue());
            long last = doubles ? ofDouble(max.doubleValue()) : ofLong(max.longValue());
            // the index has 1 and 0 for true and false, which are no times
            boolean numbers = min.doubleValue() > 1 || max.doubleValue() < 0;
            boolean known = oneUnit && signed && numbers && first != NONE && last != NONE;
            return known && first <= last ? TimeRange.closed(first, last) : TimeRange.ALL;
        }

        private long ofLong(long number) {
            try {
                return unitNs == 0 ? EpochTime.ofAnyUnit(number) : wallNs(Math.multiplyExact(number, unitNs));
            } catch (ArithmeticException e) {
                return NONE;
            }
        }

        private long ofDouble(double number) {
            try {
                return unitNs == 0 ? EpochTime.ofAnyUnit(number) : wallNs(EpochTime.ofUnit(number, unitNs));
            } catch (ArithmeticException e) {
                return NONE;
            }
        }

        private long ofText(String text) {
            try {
                if (unitNs > 0 && NUMBER.matcher(text).matches()) {
                    return wallNs(new BigDecimal(text)
                            .multiply(BigDecimal.valueOf(unitNs))
                            .setScale(0, RoundingMode.HALF_UP)
                            .longValueExact());
                }
                boolean calendar = clockPair == null && !text.startsWith("now");
                return calendar ? TimeText.parse(text, 0, ZoneOffset.UTC) : NONE;
            } catch (ArithmeticException | IllegalArgumentException e) {
                return NONE;
            }
        }

        private long wallNs(long clockNs) {
            return clockPair == null ? clockNs : clockPair.wallNs(clockNs);
        }
    }
}
