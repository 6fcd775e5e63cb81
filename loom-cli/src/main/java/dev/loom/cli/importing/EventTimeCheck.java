package dev.loom.cli.importing;

import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.format.PayloadFormat;
import dev.loom.server.time.EpochTime;
import dev.loom.server.time.EventTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Supplier;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Counts records without an event time, and refuses implausible ones by the first record that has one: times before 1975, which a
 * monotonic clock gives if read as an epoch; times more than a year ahead; and numbers that are no time at all. For one thread.
 */
final class EventTimeCheck {
    private static final long EARLIEST_NS = EpochTime.of(Instant.parse("1975-01-01T00:00:00Z"));
    private static final long AHEAD_NS = Duration.ofDays(366).toNanos();
    private static final int SHOWN_MAX = 40;

    private final EventTime eventTime;
    private final EventTime.Reader times;
    private final FieldReader field;
    private final FieldValue value = new FieldValue();
    private final long latestNs;
    private boolean done;
    private long withoutTime;
    private String firstWithoutTime = "";

    /** @param plausible whether times must be plausible */
    EventTimeCheck(EventTime eventTime, PayloadFormat format, long nowNs, boolean plausible) {
        this.eventTime = eventTime;
        this.times = eventTime.reader(format);
        this.field = Objects.requireNonNull(format.field(eventTime.field()));
        this.latestNs = nowNs + AHEAD_NS;
        this.done = !plausible;
    }

    /** Checks a record; returns why its time is implausible, or null. */
    @Nullable
    String problem(Supplier<String> position, DirectBuffer payload, int offset, int length) {
        long timeNs = times.epochNs(null, payload, offset, length);
        boolean known = timeNs != EventTime.Reader.NONE;
        if (done && known) {
            return null;
        }
        field.read(payload, offset, length, value);
        if (!known && withoutTime++ == 0) {
            firstWithoutTime = position.get() + ", " + eventTime.field() + "=" + shown();
        }
        return done ? null : implausible(position.get(), timeNs, known);
    }

    /** What to say of the records at their end. */
    List<String> remarks() {
        return switch ((int) Math.min(withoutTime, 2)) {
            case 0 -> List.of();
            case 1 -> List.of("1 record without an event time: " + firstWithoutTime);
            default -> List.of(withoutTime + " records without an event time, the first: " + firstWithoutTime);
        };
    }

    private @Nullable String implausible(String position, long timeNs, boolean known) {
        boolean number = switch (value.kind()) {
            case INTEGER, UNSIGNED, DOUBLE -> true;
            default -> false;
        };
        if ((number && !known) || (known && (timeNs < EARLIEST_NS || timeNs > latestNs))) {
            String unit = eventTime.unit() == null
                    ? "inferred from its size"
                    : Objects.requireNonNull(eventTime.unit()).text();
            return "implausible event time: " + position + ", " + eventTime.field() + "="
                    + shown() + ", clock=" + eventTime.clockName() + ", unit=" + unit + ", time="
                    + (known ? EpochTime.instant(timeNs) : "out of range")
                    + "; set --event-time-unit, or --event-clock monotonic with --clock-pair;"
                    + " --event-clock wall accepts it as it is";
        }
        done = known;
        return null;
    }

    private String shown() {
        return switch (value.kind()) {
            case INTEGER -> Long.toString(value.longValue());
            case UNSIGNED -> Long.toUnsignedString(value.longValue());
            case DOUBLE -> Double.toString(value.doubleValue());
            case TEXT -> shortened(value.text());
            default -> value.kind().name().toLowerCase(Locale.ROOT);
        };
    }

    private static String shortened(String text) {
        return '"' + (text.length() <= SHOWN_MAX ? text : text.substring(0, SHOWN_MAX) + "…") + '"';
    }
}
