package dev.loom.cli.option;

import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.time.TimeText;
import dev.loom.query.TimeRange;
import dev.loom.query.where.Quantity;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The time range of a query. */
public final class TimeOptions {
    /** The times by which records can be selected and ordered. */
    enum Kind {
        ARRIVAL,
        EVENT;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Option(names = "--since", paramLabel = "DURATION", description = "From that long ago on, as 5m.")
    private @Nullable String since;

    @Option(
            names = "--from",
            paramLabel = "TIME",
            description = "First moment of the range: RFC 3339, an epoch in s, ms, us or ns, or now-5m.")
    private @Nullable String from;

    @Option(names = "--to", paramLabel = "TIME", description = "First moment after the range.")
    private @Nullable String to;

    @Option(
            names = "--tz",
            paramLabel = "ZONE",
            description = "Zone of times without an offset, and of those printed; by default UTC.")
    private @Nullable String zone;

    @Option(
            names = "--time",
            paramLabel = "KIND",
            description =
                    "The time that ranges and order mean: ${COMPLETION-CANDIDATES}; by default arrival, but event of"
                            + " correlate where both sources have it.")
    private @Nullable Kind kind;

    /** Whether range and order are of event time. */
    public boolean event() {
        return kind == Kind.EVENT;
    }

    /** Whether the user chose between arrival and event time. */
    public boolean said() {
        return kind != null;
    }

    /** Chooses event time. */
    public void meanEvent() {
        kind = Kind.EVENT;
    }

    /** The zone asked for, or UTC. */
    public ZoneId zone() {
        try {
            return zone == null || zone.equals("UTC") ? ZoneOffset.UTC : ZoneId.of(zone);
        } catch (DateTimeException e) {
            throw CommandFailure.usage("--tz: unknown zone: " + zone + "; as Europe/Berlin or +02:00");
        }
    }

    /** Whether an end of the range is relative to now. */
    public boolean relative() {
        return since != null || TimeText.relative(from) || TimeText.relative(to);
    }

    /** Whether the range has an end. */
    public boolean ends() {
        return to != null;
    }

    /** The range; an end that is not given is open. */
    public TimeRange range(long nowNs) {
        if (since != null && from != null) {
            throw CommandFailure.usage("--since and --from exclude each other");
        }
        try {
            long fromNs = from == null ? Long.MIN_VALUE : TimeText.parse(from, nowNs, zone());
            if (since != null) {
                fromNs = Math.subtractExact(nowNs, Quantity.durationNs(since));
            }
            long toNs = to == null ? Long.MAX_VALUE : TimeText.parse(to, nowNs, zone());
            return new TimeRange(fromNs, toNs);
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage(String.valueOf(e.getMessage()));
        }
    }
}
