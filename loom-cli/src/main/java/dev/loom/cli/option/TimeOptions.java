package dev.loom.cli.option;

import dev.loom.server.request.RequestTimes;
import dev.loom.server.request.TimeKind;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The time range of a query. */
public final class TimeOptions {
    @Option(
            names = "--since",
            paramLabel = "DURATION",
            description = "Start of the range, as a duration before now, such as 5m.")
    private @Nullable String since;

    @Option(
            names = "--from",
            paramLabel = "TIME",
            description = "Start of the range: RFC 3339, an epoch in s, ms, us or ns, or now-5m.")
    private @Nullable String from;

    @Option(names = "--to", paramLabel = "TIME", description = "End of the range, exclusive.")
    private @Nullable String to;

    @Option(
            names = "--tz",
            paramLabel = "ZONE",
            description = "Zone of times without an offset and of printed times; by default UTC.")
    private @Nullable String zone;

    @Option(
            names = "--time",
            paramLabel = "KIND",
            description = "The time that ranges and order use: ${COMPLETION-CANDIDATES}; by default arrival,"
                    + " but event for correlate if both sources have one.")
    private @Nullable TimeKind kind;

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec command;

    /**
     * The times asked for.
     *
     * @throws dev.loom.query.service.RequestException if they make no sense
     */
    public RequestTimes asked() {
        return asked(true);
    }

    /**
     * The times asked for.
     *
     * @param anyKind whether the command can use any kind of time; else one that is not typed is left out
     * @throws dev.loom.query.service.RequestException if they make no sense
     */
    public RequestTimes asked(boolean anyKind) {
        boolean bySince = TypedOptions.contains(command, "--since");
        boolean byFrom = TypedOptions.contains(command, "--from");
        return new RequestTimes(
                byFrom && !bySince ? null : since,
                bySince && !byFrom ? null : from,
                to,
                RequestTimes.zone(zone),
                TypedOptions.usable(anyKind, command, "--time", kind));
    }
}
