package dev.loom.cli.query;

import dev.loom.api.Snapshot;
import dev.loom.cli.console.Console;
import dev.loom.query.service.CauseThreshold;
import dev.loom.query.service.SourceRequest;
import dev.loom.server.json.ReportRows;
import dev.loom.server.request.DifferenceTexts;
import dev.loom.server.request.RequestBuilder;
import dev.loom.server.time.TimePrinter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code loom diff}: what differs about some records. */
@Command(
        name = "diff",
        description = "Tells what differs about the chosen records: values and ranges of any field, and combinations of"
                + " up to three fields, that are more frequent among them than among the others.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  loom diff requests --where 'latency_ns > 10ms'",
            "  loom diff otlp.spans duration --above p99 --against 'service.name == \"cart\"'",
            "  loom diff otlp.spans --where 'status == \"error\"' --fields resource.host.name,attr.http.route",
            "  loom diff requests latency_ns --low 10ms --high 50ms --selected-from now-15m --selected-to now-10m"
        })
public final class DiffCommand extends SourceQuery {
    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "FIELD",
            description = "A numeric field whose values choose, with --above, --low or --high.")
    private @Nullable String field;

    @Option(
            names = "--where",
            paramLabel = "EXPR",
            description = "Chooses the records that match this expression; repeatable.")
    private List<String> where = new ArrayList<>();

    @Option(
            names = "--above",
            paramLabel = "p99|VALUE",
            description =
                    "Chooses the records whose FIELD is above a percentile, ties included, or a value such as 50ms.")
    private @Nullable String above;

    @Option(names = "--low", paramLabel = "VALUE", description = "Chooses the records whose FIELD is at least this.")
    private @Nullable String low;

    @Option(names = "--high", paramLabel = "VALUE", description = "Chooses the records whose FIELD is below this.")
    private @Nullable String high;

    @Option(
            names = "--selected-from",
            paramLabel = "TIME",
            description = "Chooses the records of a part of the range: its start.")
    private @Nullable String selectedFrom;

    @Option(names = "--selected-to", paramLabel = "TIME", description = "The end of that part, exclusive.")
    private @Nullable String selectedTo;

    @Option(
            names = "--against",
            paramLabel = "EXPR",
            description = "Compares with the records that match this expression; repeatable; by default with all others"
                    + " of the range.")
    private List<String> against = new ArrayList<>();

    @Option(
            names = "--fields",
            paramLabel = "FIELD",
            split = ",",
            description = "Compares only these fields; by default all but those that choose, at most 256.")
    private List<String> fields = new ArrayList<>();

    @Option(
            names = "--min-support",
            paramLabel = "SHARE",
            description =
                    "The least share of the chosen records that a finding holds, from 1%% to 100%%; by default 5%%.")
    private @Nullable String minSupport;

    @Option(
            names = {"-n", "--limit"},
            paramLabel = "N",
            description = "At most N findings; by default 10.")
    private @Nullable Long limit;

    public DiffCommand(Console console) {
        super(console);
    }

    @Override
    SourceRequest request(RequestBuilder builder) {
        return builder.difference(
                sourceName,
                where,
                new DifferenceTexts(
                        field, above, low, high, selectedFrom, selectedTo, against, fields, minSupport, limit));
    }

    @Override
    ConsoleResults results(Snapshot snapshot, SourceRequest request, TimePrinter times) {
        return new ListedResults(console, form(), times) {
            @Override
            public void onThreshold(CauseThreshold found) {
                super.onThreshold(found);
                if (found.percentile() != null && found.value() != null) {
                    console.say(field + (found.inclusive() ? " at or above " : " above ") + ReportRows.number(found)
                            + ", percentile " + found.percentile().toPlainString() + " of " + found.values()
                            + " values");
                }
            }
        };
    }
}
