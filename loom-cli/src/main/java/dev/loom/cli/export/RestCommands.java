package dev.loom.cli.export;

import dev.loom.api.Source;
import dev.loom.query.model.TimeRange;
import dev.loom.server.time.TimePrinter;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/**
 * The commands for a POSIX shell that export what an export to a receiver has left: its own, with other sources and another
 * beginning. Times are absolute, since those relative to now have moved on. Values of headers may be secrets and are left out; a
 * command with a header is refused until its value is filled in.
 */
final class RestCommands {
    private static final Set<String> REPLACED = Set.of("--source", "--since", "--from", "--to");
    private static final String HEADER = "--header";
    /** Words that no shell changes. */
    private static final Pattern PLAIN = Pattern.compile("[\\w@%+:,./-]+");

    private final TimePrinter times = new TimePrinter(ZoneOffset.UTC);
    private final String options;
    private final TimeRange range;

    /**
     * @param typed the command line of the export
     * @param range the range that it asks for
     */
    RestCommands(ParseResult typed, TimeRange range) {
        StringBuilder text = new StringBuilder();
        for (OptionSpec option : typed.matchedOptionsSet()) {
            String name = option.longestName();
            if (!REPLACED.contains(name)) {
                option.originalStringValues().forEach(value -> append(text, name, value));
            }
        }
        this.options = text.toString();
        this.range = range;
    }

    /** The command for sources, over the whole range. */
    String of(List<Source> sources) {
        return of(sources, range.fromNs());
    }

    /** The command for sources, from a time of the range on. */
    String of(List<Source> sources, long fromNs) {
        StringBuilder text = new StringBuilder("loom export").append(options);
        // a closed source by its id, since another one may have taken its name
        sources.forEach(source -> append(text, "--source", source.closed() ? "#" + source.id() : source.name()));
        if (fromNs != Long.MIN_VALUE) {
            append(text, "--from", times.text(fromNs));
        }
        if (range.toNs() != Long.MAX_VALUE) {
            append(text, "--to", times.text(range.toNs()));
        }
        return text.toString();
    }

    private static void append(StringBuilder text, String option, String value) {
        String shown = option.equals(HEADER) ? value.replaceFirst("(?s)=.*", "") : value;
        text.append(' ').append(option).append(' ').append(quoted(shown));
    }

    private static String quoted(String word) {
        return PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
    }
}
