package dev.loom.cli.query;

import dev.loom.api.Snapshot;
import dev.loom.cli.console.Console;
import dev.loom.cli.option.GroupCaps;
import dev.loom.cli.option.TypedOptions;
import dev.loom.cli.option.WhereOption;
import dev.loom.query.service.SourceRequest;
import dev.loom.server.request.GroupTexts;
import dev.loom.server.request.RequestBuilder;
import dev.loom.server.time.TimePrinter;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code loom agg}: count, sum, minimum, maximum, mean and percentiles of a field, also by groups and steps of time. */
@Command(
        name = "agg",
        description = "Prints count, sum, minimum, maximum, mean and exact percentiles of a field;"
                + " without one, counts records. With --by for each group of records, with --step for each step of time,"
                + " drawn in a terminal.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  loom agg requests latency_ns --percentile 50,99.99",
            "  loom agg requests latency_ns --by op,status --order -p99 --limit 10",
            "  loom agg otlp.spans duration --by service.name --step 10s --percentile 99",
            "  loom agg requests --by status --distinct user --where 'status >= 500'"
        })
public final class AggCommand extends FieldQuery {
    /** What {@code --order} takes, besides other percentiles. */
    static final class Orders implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Stream.concat(GroupTexts.ORDERS.stream(), Stream.of("p99"))
                    .flatMap(order -> Stream.of(order, "-" + order))
                    .iterator();
        }
    }

    @Mixin
    private WhereOption where = new WhereOption();

    @Option(
            names = "--percentile",
            paramLabel = "P",
            split = ",",
            description = "Percentiles, such as 50,99,99.99: the value of rank ceil(P/100 * count); repeatable.")
    private List<String> percentiles = new ArrayList<>();

    @Option(
            names = "--by",
            paramLabel = "FIELD",
            split = ",",
            description = "Groups records whose values of these fields are equal; a missing value is one, too.")
    private List<String> by = new ArrayList<>();

    @Option(
            names = "--within",
            paramLabel = "SHARE",
            description = "Answers percentiles by bounds no further apart than this share of them, such as 1%%.")
    private @Nullable String within;

    @Option(
            names = "--step",
            paramLabel = "DURATION",
            description = "Divides the range, or each group, in steps of this length, such as 10s.")
    private @Nullable String step;

    @Option(names = "--distinct", paramLabel = "FIELD", description = "Counts the different values of this field.")
    private @Nullable String distinct;

    @Option(
            names = "--distinct-max",
            paramLabel = "N",
            description = "The most different values to hold, of all groups together; by default 1000000.")
    private @Nullable Long distinctMax;

    @Option(
            names = "--order",
            paramLabel = "KEY",
            completionCandidates = Orders.class,
            description =
                    "Orders groups by key, count, rate, sum, min, max, mean, distinct or a percentile such as p99;"
                            + " -KEY puts the greatest first; by default -count.")
    private @Nullable String order;

    @Mixin
    private GroupCaps caps = new GroupCaps();

    @Spec
    private @Nullable CommandSpec spec;

    public AggCommand(Console console) {
        super(console);
    }

    @Override
    SourceRequest request(RequestBuilder builder) {
        boolean grouped = !by.isEmpty() || step != null || distinct != null;
        GroupTexts groups = new GroupTexts(
                by,
                step,
                distinct,
                TypedOptions.usable(grouped, spec, "--order", order),
                TypedOptions.usable(grouped, spec, "--limit", caps.limit()),
                caps.groupsMax(),
                distinctMax,
                caps.restAsOther());
        return builder.aggregate(
                sourceName,
                field,
                where.texts(),
                percentiles,
                TypedOptions.usable(!grouped && !percentiles.isEmpty(), spec, "--within", within),
                groups);
    }

    @Override
    ConsoleResults results(Snapshot snapshot, SourceRequest request, TimePrinter times) {
        return new ListedResults(console, form(), times);
    }
}
