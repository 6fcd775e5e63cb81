package dev.loom.cli.importing;

import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.format.PayloadFormat;
import dev.loom.server.time.EpochTime;
import dev.loom.server.time.EventTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Refuses implausible event times by the first record that has one: times before 1975, which a monotonic clock gives if read as
 * an epoch; times more than a year ahead; and numbers that are no time at all. For one thread.
 */
final class EventTimeCheck {
    private static final long EARLIEST_NS = EpochTime.of(Instant.parse("1975-01-01T00:00:00Z"));
    private static final long AHEAD_NS = Duration.ofDays(366).toNanos();

    private final EventTime eventTime;
    private final EventTime.Reader times;
    private final FieldReader field;
    private final FieldValue value = new FieldValue();
    private final long latestNs;
    private boolean done;

    EventTimeCheck(EventTime eventTime, PayloadFormat format, long nowNs) {
        this.eventTime = eventTime;
        this.times = eventTime.reader(format);
        this.field = Objects.requireNonNull(format.field(eventTime.field()));
        this.latestNs = nowNs + AHEAD_NS;
    }

    /** Checks a record; returns why its time is implausible, or null. */
    @Nullable
    String problem(String position, DirectBuffer payload, int offset, int length) {
        if (done) {
            return null;
        }
        field.read(payload, offset, length, value);
        boolean number = switch (value.kind()) {
            case INTEGER, UNSIGNED, DOUBLE -> true;
            default -> false;
        };
        long timeNs = times.epochNs(null, payload, offset, length);
        boolean known = timeNs != EventTime.Reader.NONE;
        if ((number && !known) || (known && (timeNs < EARLIEST_NS || timeNs > latestNs))) {
            String unit = eventTime.unit() == null
                    ? "inferred from its size"
                    : Objects.requireNonNull(eventTime.unit()).text();
            return "implausible event time: " + position + ", " + eventTime.field() + "="
                    + text() + ", clock=" + eventTime.clockName() + ", unit=" + unit + ", time="
                    + (known ? EpochTime.instant(timeNs) : "out of range")
                    + "; set --event-time-unit, or --event-clock monotonic with --clock-pair;"
                    + " --event-clock wall accepts it as it is";
        }
        done = known;
        return null;
    }

    private String text() {
        return switch (value.kind()) {
            case INTEGER -> Long.toString(value.longValue());
            case UNSIGNED -> Long.toUnsignedString(value.longValue());
            case DOUBLE -> Double.toString(value.doubleValue());
            default -> value.text();
        };
    }
}
