package dev.loom.cli.importing;

import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.Console;
import dev.loom.cli.input.InputWindow;
import dev.loom.cli.input.TextLines;
import dev.loom.cli.logtime.LineTimes;
import dev.loom.cli.logtime.LogLines;
import dev.loom.cli.logtime.LogTimeSettings;
import dev.loom.cli.logtime.RecognisedTimes;
import dev.loom.cli.option.LogTimeOptions;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import java.io.IOException;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Reads the first lines of an input, and defines its source by whether they have times. */
final class LinesOpening {
    static final int LINES_MAX = 1_000;
    static final int BYTES_MAX = 256 * 1024;

    /** How long after the first line of a live input the form of times is sought in the lines that have arrived. */
    private static final long STARVES_NS = TimeUnit.MILLISECONDS.toNanos(500);

    private final Console console;
    private final InputWindow window;
    private final boolean live;
    private final SourceDefinition definition;
    private final LogTimeOptions options;

    LinesOpening(
            Console console, InputWindow window, boolean live, SourceDefinition definition, LogTimeOptions options) {
        this.console = console;
        this.window = window;
        this.live = live;
        this.definition = definition;
        this.options = options;
    }

    RecordInput open(String file, int payloadLengthMax) throws IOException {
        PayloadFormat existing = definition.existingFormat().orElse(null);
        if (options.patternGiven() && definition.eventTimeField().isPresent()) {
            throw CommandFailure.usage("--time-pattern and --event-time are mutually exclusive");
        }
        boolean timed = LogLines.FORMAT.equals(existing);
        boolean open = existing == null && definition.eventTimeField().isEmpty() && !options.none();
        if (!timed && !open && !Formats.text().equals(existing)) {
            return text(payloadLengthMax);
        }
        List<byte[]> lines = options.none() ? List.of() : firstLines();
        RecognisedTimes found = options.none()
                ? null
                : options.recognise(lines, console.nowNs()).orElse(null);
        if (timed || (open && found != null)) {
            return timed(found, lines.size(), file, payloadLengthMax);
        } else if (open && lines.isEmpty()) {
            definition.guessed();
        } else if (open) {
            console.say("times: none found in " + first(lines.size()) + "; --time-pattern says how they are written");
        } else if (found != null && !found.text().isEmpty()) {
            console.say("times: " + found.name() + ", not taken: the source has the format text");
        }
        return text(payloadLengthMax);
    }

    private RecordInput text(int payloadLengthMax) {
        definition.define(Formats.text(), null);
        return LinesInput.text(new TextLines(window, payloadLengthMax));
    }

    private RecordInput timed(@Nullable RecognisedTimes found, int lines, String file, int payloadLengthMax)
            throws IOException {
        LineTimes times = null;
        if (found == null) {
            console.say("times: none found in " + first(lines) + "; records get none");
        } else {
            LogTimeSettings settings = options.settings(found, file, console, !live);
            times = found.reader(settings, console.nowNs());
            console.say("times: " + found.name() + description(found, settings, lines));
        }
        definition.attributes(LogLines.ATTRIBUTES);
        definition.define(LogLines.FORMAT, LogLines.EVENT_TIME);
        return new LogInput(window, live, times, payloadLengthMax, console.nowNs());
    }

    /** What the first time means, and what was not written of it. */
    private String description(RecognisedTimes found, LogTimeSettings settings, int lines) {
        if (found.text().isEmpty()) {
            return ", not found in " + first(lines);
        }
        StringBuilder text = new StringBuilder(", ").append(found.text());
        ZonedDateTime time = found.first(settings, console.nowNs())
                .map(instant -> instant.atZone(settings.zone()))
                .orElse(null);
        if (time == null) {
            return text.append(" is no time").toString();
        }
        text.append(" is ").append(time.toInstant());
        if (found.lacksZone()) {
            text.append(", zone ")
                    .append(name(settings.zone()))
                    .append(settings.zoneGiven() ? "" : " by default (--tz)");
        }
        if (found.lacksYear()) {
            text.append(", year ").append(time.getYear()).append(settings.year() == null ? " by default (--year)" : "");
        } else if (found.lacksDate()) {
            text.append(", date ").append(time.toLocalDate());
            text.append(settings.date() == null ? " by default (--date)" : "");
        }
        return text.toString();
    }

    private static String name(ZoneId zone) {
        return zone.equals(ZoneOffset.UTC) ? "UTC" : zone.getId();
    }

    private static String first(int lines) {
        return lines == 1 ? "the first line" : "the first " + lines + " lines";
    }

    /** The first lines, without their ends; they stay in the window. */
    private List<byte[]> firstLines() {
        List<byte[]> lines = new ArrayList<>();
        int at = 0;
        while (lines.size() < LINES_MAX && at < BYTES_MAX) {
            int end = window.lineFeed(at);
            if (end == window.length() && end < BYTES_MAX && more()) {
                continue;
            }
            boolean whole = end < window.length() || end >= BYTES_MAX || window.ended();
            if (!whole || at >= window.length()) {
                break;
            }
            if (live && lines.isEmpty()) {
                window.starveAfter(STARVES_NS);
            }
            boolean carriageReturn = end > at && window.at(end - 1) == '\r';
            lines.add(window.copy(at, end - at - (carriageReturn ? 1 : 0)));
            at = end + 1;
        }
        window.starveNoMore();
        return lines;
    }

    /** A failure ends the first lines alone: the import has those before it, and meets it again. */
    private boolean more() {
        try {
            return window.more();
        } catch (IOException e) {
            return false;
        }
    }
}
