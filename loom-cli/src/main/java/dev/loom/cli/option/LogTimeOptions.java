package dev.loom.cli.option;

import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.Console;
import dev.loom.cli.console.ExitCode;
import dev.loom.cli.logtime.LogTimeSettings;
import dev.loom.cli.logtime.RecognisedTimes;
import dev.loom.cli.logtime.Recognition;
import dev.loom.server.request.RequestTimes;
import java.io.IOException;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How the times of lines are written, and what they leave out. */
public final class LogTimeOptions {
    private static final String NONE = "none";
    private static final int YEAR_MIN = 1678;
    private static final int YEAR_MAX = 2261;

    @Option(
            names = "--time-pattern",
            paramLabel = "PATTERN",
            description = "How the times of lines are written, as a pattern of Java's DateTimeFormatter such as"
                    + " 'dd.MM.yyyy HH:mm:ss'; none leaves them. By default common forms are recognised.")
    private @Nullable String pattern;

    @Option(
            names = "--tz",
            paramLabel = "ZONE",
            description = "Zone of the times of lines that have no offset; by default UTC.")
    private @Nullable String zone;

    @Option(
            names = "--year",
            paramLabel = "YEAR",
            description =
                    "Year of a file's first time, if its lines have none; by default the latest that is not ahead.")
    private @Nullable String year;

    @Option(
            names = "--date",
            paramLabel = "DATE",
            description =
                    "Date of a file's first time, if its lines have none; by default the latest that is not ahead.")
    private @Nullable String date;

    /** Whether lines are kept without their times. */
    public boolean none() {
        return NONE.equals(pattern);
    }

    /** Whether a pattern of times was given. */
    public boolean patternGiven() {
        return pattern != null && !none();
    }

    /** The times of a log that has these first lines, if they are of a known form or a pattern was given. */
    public Optional<RecognisedTimes> recognise(List<byte[]> lines, long nowNs) {
        if (pattern == null) {
            return Recognition.of(lines, nowNs);
        }
        try {
            return Optional.of(Recognition.of(lines, nowNs, pattern));
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(ExitCode.USAGE, "--time-pattern is none: " + pattern + ": " + e.getMessage(), e);
        }
    }

    /**
     * Fills in what the times of a log leave out: from the options, else by asking, else by default.
     *
     * @param asking whether to ask, if the console can
     */
    public LogTimeSettings settings(RecognisedTimes times, String file, Console console, boolean asking)
            throws IOException {
        String zoneName = zone;
        String askedYear = year;
        String askedDate = date;
        if (asking && console.asks() && !times.text().isEmpty()) {
            if (times.lacksZone() && zoneName == null) {
                zoneName = answer(console, "zone of the times in " + file + ", such as Europe/Berlin [UTC]: ");
                zoneName = zoneName == null ? "UTC" : zoneName;
                // one answer for all files
                zone = zoneName;
            }
            String first = "first time in " + file + ", " + times.text() + " [the latest that is not ahead]: ";
            if (times.lacksYear() && askedYear == null) {
                askedYear = answer(console, "year of the " + first);
            } else if (times.lacksDate() && askedDate == null) {
                askedDate = answer(console, "date of the " + first);
            }
        }
        ZoneId of = RequestTimes.zone(zoneName);
        return new LogTimeSettings(of, zone != null, askedYear == null ? null : year(askedYear), date(askedDate));
    }

    /** Refuses options that make no sense. */
    public void check() {
        RequestTimes.zone(zone);
        if (year != null) {
            year(year);
        }
        date(date);
        if (patternGiven()) {
            recognise(List.of(), 0);
        }
    }

    private static @Nullable String answer(Console console, String question) throws IOException {
        return console.ask(question)
                .map(String::strip)
                .filter(text -> !text.isEmpty())
                .orElse(null);
    }

    private static int year(String text) {
        try {
            int number = Integer.parseInt(text);
            if (number >= YEAR_MIN && number <= YEAR_MAX) {
                return number;
            }
        } catch (NumberFormatException e) {
            // told below
        }
        throw CommandFailure.usage("--year is not from " + YEAR_MIN + " to " + YEAR_MAX + ": " + text);
    }

    private static @Nullable LocalDate date(@Nullable String text) {
        try {
            return text == null ? null : LocalDate.parse(text);
        } catch (DateTimeParseException e) {
            throw new CommandFailure(ExitCode.USAGE, "--date is not a date such as 2026-11-24: " + text, e);
        }
    }
}
