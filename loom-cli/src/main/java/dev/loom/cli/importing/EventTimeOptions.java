package dev.loom.cli.importing;

import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.time.ClockPair;
import dev.loom.cli.time.EventTime;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which field holds the records' own times, and what clock they were read from. */
final class EventTimeOptions {
    /** The clocks that event times come from. */
    enum Clock {
        WALL,
        MONOTONIC;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Option(names = "--event-time", paramLabel = "FIELD", description = "The field that holds the record's own time.")
    private @Nullable String field;

    @Option(
            names = "--event-clock",
            paramLabel = "CLOCK",
            description = "Its clock: ${COMPLETION-CANDIDATES}; by default wall, or monotonic with --clock-pair.")
    private @Nullable Clock clock;

    @Option(
            names = "--clock-pair",
            paramLabel = "FILE",
            description = "JSON file with two readings of both clocks, which turns monotonic times into epochs.")
    private @Nullable Path clockPair;

    /**
     * The event time that was asked for, or null.
     *
     * @param live whether the records come from this machine, now: its clocks may then stand for a clock pair
     */
    @Nullable
    EventTime eventTime(boolean live) throws IOException {
        if (field == null) {
            if (clock != null || clockPair != null) {
                throw CommandFailure.usage("--event-clock and --clock-pair need --event-time");
            }
            return null;
        } else if (clockPair != null) {
            if (clock == Clock.WALL) {
                throw CommandFailure.usage("--clock-pair is for --event-clock monotonic");
            }
            return new EventTime(field, readClockPair(clockPair));
        } else if (clock != Clock.MONOTONIC) {
            return new EventTime(field, null);
        } else if (!live) {
            throw CommandFailure.usage("--event-clock monotonic needs --clock-pair, unless the input is - or a pipe");
        }
        return new EventTime(field, ClockPair.ofThisMachine());
    }

    /** Whether {@link #eventTime} takes this machine's clocks for want of a file. */
    boolean takesThisMachinesClocks() {
        return clock == Clock.MONOTONIC && clockPair == null;
    }

    private static ClockPair readClockPair(Path file) throws IOException {
        try {
            return ClockPair.read(file);
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage(String.valueOf(e.getMessage()));
        } catch (NoSuchFileException e) {
            throw CommandFailure.usage("no such file: " + file);
        }
    }
}
