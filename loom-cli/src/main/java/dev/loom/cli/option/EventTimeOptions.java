package dev.loom.cli.option;

import dev.loom.api.ValueUnit;
import dev.loom.cli.console.CommandFailure;
import dev.loom.otlp.file.FileFailure;
import dev.loom.server.time.ClockPair;
import dev.loom.server.time.EventTime;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Which field holds the records' event time, and which clock it comes from. */
public final class EventTimeOptions {
    /** The clocks that event times come from. */
    enum Clock {
        WALL,
        MONOTONIC;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Units of time. */
    enum Unit {
        NS,
        US,
        MS,
        S,
        AUTO;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private static final List<String> OF_EVENT_TIME =
            List.of("--event-clock", "--clock-pair", "--event-time-unit", "--event-at");

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec command;

    @Option(names = "--event-time", paramLabel = "FIELD", description = "The field with the record's event time.")
    private @Nullable String field;

    @Option(
            names = "--event-clock",
            paramLabel = "CLOCK",
            description = "Clock of the event time: ${COMPLETION-CANDIDATES}; by default wall, or monotonic"
                    + " with --clock-pair.")
    private @Nullable Clock clock;

    @Option(
            names = "--clock-pair",
            paramLabel = "FILE",
            description = "JSON file with two readings of both clocks, to convert monotonic times to epoch times.")
    private @Nullable Path clockPair;

    @Option(
            names = "--event-time-unit",
            paramLabel = "UNIT",
            description = "Unit of the event time: ${COMPLETION-CANDIDATES}; by default, auto: the suffix of the"
                    + " field's name, such as _ns, else ns for a monotonic clock, and for the wall clock"
                    + " inferred from each number's size.")
    private @Nullable Unit unit;

    /** The moment of an event that its time denotes. */
    enum At {
        START,
        END;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Option(
            names = "--event-at",
            paramLabel = "AT",
            description = "Whether the event time is the ${COMPLETION-CANDIDATES} of what the record"
                    + " describes, for correlate --overlap; by default end.")
    private @Nullable At at;

    /**
     * The event time asked for, or null.
     *
     * @param live whether the records come from this machine now, so that its clocks may serve as the clock pair
     */
    public @Nullable EventTime eventTime(boolean live) throws IOException {
        if (field == null) {
            if (OF_EVENT_TIME.stream().anyMatch(option -> TypedOptions.contains(command, option))) {
                throw CommandFailure.usage(
                        "--event-clock, --clock-pair, --event-time-unit and --event-at need --event-time");
            }
            return null;
        }
        return new EventTime(field, askedClock(live ? ClockPair.ofThisMachine() : null), askedUnit(), at == At.START);
    }

    /** The event time that a source has, or null, changed by what is asked for; that of another field is all new. */
    public @Nullable EventTime corrected(@Nullable EventTime before) throws IOException {
        if (before == null || (field != null && !field.equals(before.field()))) {
            return eventTime(false);
        }
        boolean keepsClock = clock == null && clockPair == null;
        return new EventTime(
                before.field(),
                keepsClock ? before.clockPair() : askedClock(before.clockPair()),
                unit == null ? before.askedUnit() : askedUnit(),
                at == null ? before.start() : at == At.START);
    }

    private @Nullable ValueUnit askedUnit() {
        return unit == null || unit == Unit.AUTO ? null : ValueUnit.parse(unit.toString());
    }

    /** @param known the pair for a monotonic clock if no file is given, or null */
    private @Nullable ClockPair askedClock(@Nullable ClockPair known) {
        if (clockPair != null) {
            if (clock == Clock.WALL) {
                throw CommandFailure.usage("--clock-pair is for --event-clock monotonic");
            }
            return readClockPair(clockPair);
        } else if (clock != Clock.MONOTONIC) {
            return null;
        } else if (known == null) {
            throw CommandFailure.usage("--event-clock monotonic needs --clock-pair, unless the input is - or a pipe");
        }
        return known;
    }

    /** Whether records are to have an event time. */
    public boolean asked() {
        return field != null;
    }

    /** Whether event times must be plausible. */
    public boolean wantsPlausible() {
        return clock != Clock.WALL;
    }

    /** Whether {@link #eventTime} reads this machine's clocks because no clock-pair file is given. */
    public boolean takesThisMachinesClocks() {
        return field != null && clock == Clock.MONOTONIC && clockPair == null;
    }

    private static ClockPair readClockPair(Path file) {
        try {
            return ClockPair.read(file);
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage(String.valueOf(e.getMessage()));
        } catch (IOException e) {
            throw CommandFailure.usage(FileFailure.message("can't read the clock pair", file, e));
        }
    }
}
