package dev.loom.cli.logtime;

import dev.loom.server.time.EpochTime;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;

/** The form of a log's times and where they begin, as its first lines show. Immutable. */
public final class RecognisedTimes {
    private final TimeForm form;
    private final int word;
    private final String name;
    private final String text;
    private final boolean lacksZone;
    private final boolean lacksYear;
    private final boolean lacksDate;

    /** Times of a form at the first word, which no line has yet. */
    RecognisedTimes(TimeForm form) {
        this.form = form;
        word = 0;
        name = form.name();
        text = "";
        lacksZone = true;
        lacksYear = false;
        lacksDate = false;
    }

    /** Times of a form like the one at this word of a line. */
    RecognisedTimes(TimeForm form, int word, byte[] line) {
        WrittenTime written = new WrittenTime();
        int start = LineTimes.start(form, line, LineTimes.word(line, 0, line.length, word), line.length, written);
        int end = form.read(line, start, line.length, written);
        this.form = form;
        this.word = word;
        name = word == 1 && line[0] == '<' ? form.name() + " of syslog (RFC 5424)" : form.name();
        text = new String(Arrays.copyOfRange(line, start, end), StandardCharsets.UTF_8);
        lacksZone = written.lacksOffset();
        lacksYear = written.lacksYear();
        lacksDate = written.lacksDate();
    }

    /** The form's name. */
    public String name() {
        return name;
    }

    /** The first time as it is written; empty if the first lines have none. */
    public String text() {
        return text;
    }

    /** Whether that has no offset. */
    public boolean lacksZone() {
        return lacksZone;
    }

    /** Whether it has a month and a day, but no year. */
    public boolean lacksYear() {
        return lacksYear;
    }

    /** Whether it has a time of day alone. */
    public boolean lacksDate() {
        return lacksDate;
    }

    /** The moment that it stands for, if it is one. */
    public Optional<Instant> first(LogTimeSettings settings, long nowNs) {
        byte[] line = text.getBytes(StandardCharsets.UTF_8);
        LineTimes times = new LineTimes(form, 0, new LogClock(settings, nowNs));
        boolean time = times.read(line, 0, line.length) == LineTimes.Kind.TIME;
        return time ? Optional.of(EpochTime.instant(times.timeNs())) : Optional.empty();
    }

    /** Reads the times of the log from its first line on. */
    public LineTimes reader(LogTimeSettings settings, long nowNs) {
        return new LineTimes(form, word, new LogClock(settings, nowNs));
    }
}
