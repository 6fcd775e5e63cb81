package dev.loom.cli.importing;

import dev.loom.api.Source;
import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.Console;
import dev.loom.format.FieldReader;
import dev.loom.format.PayloadFormat;
import dev.loom.server.schema.SchemaAccess;
import dev.loom.server.time.ClockPair;
import dev.loom.server.time.EventTime;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The source of an import: an open one if it fits, else a new one. */
final class SourceDefinition {
    private static final int NOT_DEFINED = -1;

    /** More than the wall clock is set by while a machine runs, less than it takes to start again. */
    private static final long CLOCKS_APART_MAX_NS = TimeUnit.SECONDS.toNanos(1);

    private final Console console;
    private final SchemaAccess schema;
    private final String name;
    private final boolean clocksOfThisMachine;
    private final boolean replayed;
    private final Optional<Source> existing;
    private @Nullable EventTime eventTime;
    private @Nullable PayloadFormat format;
    private Map<String, String> moreAttributes = Map.of();
    private int sourceId = NOT_DEFINED;
    private boolean guess;

    /**
     * Looks up the source.
     *
     * @param eventTime the event time asked for, or null
     * @param clocksOfThisMachine whether its clock pair was read just now because none was given
     * @param replayed whether it must have an event time
     */
    SourceDefinition(
            Console console,
            SchemaAccess schema,
            String name,
            @Nullable EventTime eventTime,
            boolean clocksOfThisMachine,
            boolean replayed) {
        this.console = console;
        this.schema = schema;
        this.name = name;
        this.eventTime = eventTime;
        this.clocksOfThisMachine = clocksOfThisMachine;
        this.replayed = replayed;
        this.existing = schema.openSource(name);
    }

    /** The format of the source, if the source exists. */
    Optional<PayloadFormat> existingFormat() {
        return existing.map(Source::format);
    }

    /** The field with the event time that was asked for. */
    Optional<String> eventTimeField() {
        return Optional.ofNullable(eventTime).map(EventTime::field);
    }

    /**
     * Takes the open source, or prepares to define it with its first records.
     *
     * @param defaultEventTime for formats that always have one, else null
     * @throws CommandFailure if the open source has another format or event time, or a replay lacks an event time
     */
    void define(PayloadFormat wanted, @Nullable EventTime defaultEventTime) {
        format = wanted;
        if (existing.isPresent()) {
            take(existing.get(), wanted);
        } else if (eventTime == null && defaultEventTime != null) {
            eventTime = defaultEventTime;
        }
        if (replayed && eventTime == null) {
            throw CommandFailure.usage("--replay needs event times: set their field with --event-time");
        } else if (existing.isEmpty()) {
            checkNew(wanted);
        }
    }

    /** Sets attributes that a new source has besides those of its event time. */
    void attributes(Map<String, String> more) {
        moreAttributes = more;
    }

    private void checkNew(PayloadFormat wanted) {
        if (eventTime != null) {
            requireField(wanted, eventTime.field());
            if (clocksOfThisMachine) {
                console.say("event times are read as this machine's current monotonic clock");
            }
        }
    }

    private void take(Source source, PayloadFormat wanted) {
        if (!source.format().equals(wanted)) {
            throw new UnfitInput("source has a different format: source=" + name + ", format="
                    + source.format().text() + ", import=" + wanted.text());
        }
        EventTime defined = EventTime.of(source);
        if (eventTime != null && clocksOfThisMachine && defined != null) {
            eventTime = withClocks(eventTime, defined.clockPair());
        }
        if (eventTime != null && !sameEventTime(eventTime, defined)) {
            throw CommandFailure.usage("source has a different event time: source=" + name + ", event time="
                    + (defined == null ? "none" : defined.attributes()) + ", import=" + eventTime.attributes());
        }
        eventTime = defined;
    }

    /** The event time asked for by the source's pair of clocks, which must still be that of this machine's. */
    private EventTime withClocks(EventTime asked, @Nullable ClockPair defined) {
        ClockPair now = asked.clockPair();
        if (defined == null || now == null) {
            return asked;
        }
        long aheadNs = defined.wallNs(now.startMonotonicNs()) - now.startWallNs();
        if (Math.abs(aheadNs) > CLOCKS_APART_MAX_NS) {
            throw CommandFailure.usage("the machine was started again, or slept, since the source's event times were"
                    + " defined, so that its monotonic clock can't be read by them: source=" + name + ", wrong by="
                    + TimeUnit.NANOSECONDS.toSeconds(aheadNs)
                    + " s; loom source close, then import into a new one of that name");
        }
        return new EventTime(asked.field(), defined, asked.askedUnit(), asked.start());
    }

    private static boolean sameEventTime(EventTime asked, @Nullable EventTime defined) {
        return asked.equals(defined) || (defined != null && asked.equals(defined.asNamed()));
    }

    private static void requireField(PayloadFormat format, String field) {
        FieldReader reader = format.field(field);
        if (reader == null) {
            throw CommandFailure.usage("--event-time names an unknown field: " + field + "; format: " + format.text());
        }
    }

    /** Notes that the format would be another one if the input had a record. */
    void guessed() {
        guess = existing.isEmpty();
    }

    /** Whether the source would be defined by a format that is only a guess, and so be for later records. */
    boolean isGuess() {
        return guess && sourceId == NOT_DEFINED;
    }

    /** The source's id; defines the source if it does not exist. */
    int sourceId() {
        if (sourceId == NOT_DEFINED) {
            EventTime wantedTime = eventTime;
            Map<String, String> attributes = new LinkedHashMap<>(moreAttributes);
            if (wantedTime != null) {
                attributes.putAll(wantedTime.attributes());
            }
            sourceId = schema.defineSource(
                            name,
                            Objects.requireNonNull(format),
                            existing.map(Source::attributes).orElse(attributes))
                    .id();
        }
        return sourceId;
    }

    /**
     * Checks the event times of a source that has them.
     *
     * @param plausible whether they must be plausible
     */
    EventTimeCheck eventTimeCheck(boolean plausible) {
        return new EventTimeCheck(
                Objects.requireNonNull(eventTime), Objects.requireNonNull(format), console.nowNs(), plausible);
    }

    /** Reads the event time of a source that has one. */
    EventTime.Reader eventTimeReader() {
        return Objects.requireNonNull(eventTime).reader(Objects.requireNonNull(format));
    }
}
