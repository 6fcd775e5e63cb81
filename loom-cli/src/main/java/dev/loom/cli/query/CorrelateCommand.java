package dev.loom.cli.query;

import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.cli.console.Console;
import dev.loom.cli.option.AddressOptions;
import dev.loom.cli.option.FieldsOption;
import dev.loom.query.service.CauseThreshold;
import dev.loom.query.service.CorrelationRequest;
import dev.loom.query.service.MatchSummary;
import dev.loom.query.service.SourceRequest;
import dev.loom.server.json.ReportRows;
import dev.loom.server.request.RequestBuilder;
import dev.loom.server.time.EventTime;
import dev.loom.server.time.TimePrinter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code loom correlate}: the records of one source around the outliers of another. */
@Command(
        name = "correlate",
        description = "Prints the records of another source around or during those whose field is above a value.",
        mixinStandardHelpOptions = true)
public final class CorrelateCommand extends FieldQuery {
    @Option(
            names = "--above",
            required = true,
            paramLabel = "p99.99|VALUE",
            description = "The causes: records whose field is greater than a value such as 50ms, or above a"
                    + " percentile, ties included.")
    private String above = "";

    @Option(names = "--with", required = true, paramLabel = "OTHER", description = "The source to correlate with.")
    private String otherName = "";

    @Option(names = "--within", paramLabel = "DURATION", description = "At most this long before or after a cause.")
    private @Nullable String within;

    @Option(names = "--before", paramLabel = "DURATION", description = "At most this long before a cause.")
    private @Nullable String before;

    @Option(names = "--after", paramLabel = "DURATION", description = "At most this long after a cause.")
    private @Nullable String after;

    @Option(
            names = "--overlap",
            paramLabel = "FIELD,FIELD",
            split = ",",
            description = "During a cause: duration fields of the cause and of the other record, in ns or"
                    + " the unit that ends their names; a record spans [time - duration, time], or"
                    + " [time, time + duration] if its event time is its start.")
    private List<String> overlap = new ArrayList<>();

    @Option(names = "--where", paramLabel = "EXPR", description = "Only causes that match this expression; repeatable.")
    private List<String> where = new ArrayList<>();

    @Option(
            names = "--with-where",
            paramLabel = "EXPR",
            description = "Only records of OTHER that match this expression; repeatable.")
    private List<String> withWhere = new ArrayList<>();

    @Option(names = "--limit", paramLabel = "N", description = "At most N records.")
    private long limit = Long.MAX_VALUE;

    @Option(
            names = "--distinct",
            fallbackValue = "true",
            description = "Prints a record once, with the first of its causes.")
    private boolean distinct;

    @Mixin
    private AddressOptions addresses = new AddressOptions();

    @Mixin
    private FieldsOption fields = new FieldsOption();

    public CorrelateCommand(Console console) {
        super(console);
    }

    @Override
    SourceRequest request(RequestBuilder builder) {
        return builder.correlate(
                sourceName,
                field,
                where,
                addresses.range(),
                above,
                otherName,
                withWhere,
                within,
                before,
                after,
                overlap,
                limit,
                distinct);
    }

    @Override
    ConsoleResults results(Snapshot snapshot, SourceRequest request, TimePrinter times) {
        CorrelationRequest asked = (CorrelationRequest) request;
        return new ConsoleResults(console, form(), times, fields, true) {
            @Override
            public void onThreshold(CauseThreshold found) {
                super.onThreshold(found);
                tell(found);
            }

            @Override
            public void onMatched(MatchSummary summary) {
                tellLeftOut(summary.causesLeftOut(), "causes");
                tellLeftOut(
                        summary.recordsLeftOut(), "records of " + asked.with().name());
                if (printed() == 0) {
                    tellWhyNone(summary.causes(), snapshot, asked, times);
                }
            }
        };
    }

    private void tell(CauseThreshold found) {
        if (found.percentile() != null && found.value() == null) {
            console.say(field + " has no percentile: values=" + found.values());
        } else if (found.percentile() != null) {
            console.say(field + (found.inclusive() ? " at or above " : " above ") + ReportRows.number(found)
                    + ", percentile " + found.percentile().toPlainString() + " of " + found.values()
                    + " values");
        }
    }

    private void tellWhyNone(long causes, Snapshot snapshot, CorrelationRequest asked, TimePrinter times) {
        Source source = asked.records().source();
        Source other = asked.with();
        boolean eventTime = asked.records().eventTime();
        if (causes == 0) {
            console.say("no causes: no record of " + source.name() + " in the range has such a " + field);
            return;
        }
        Source.Statistics statistics = snapshot.statistics(other.id());
        StringBuilder text = new StringBuilder("no matches: causes=" + causes + ", by "
                + (eventTime ? "event time" : "arrival") + ", records of " + other.name() + "="
                + statistics.records());
        if (statistics.records() > 0 && !eventTime) {
            text.append(", arrived from ")
                    .append(times.text(statistics.firstTimeNs()))
                    .append(" to ")
                    .append(times.text(statistics.lastTimeNs()))
                    .append("; imported records arrive at the time of their import");
            for (Source each : List.of(source, other)) {
                text.append(EventTime.of(each) == null ? "; " + each.name() + " has no event time" : "");
            }
        }
        console.say(text.toString());
    }

    private void tellLeftOut(long count, String noun) {
        if (count > 0) {
            console.say(count + " " + noun + " without a time or a duration are left out");
        }
    }
}
