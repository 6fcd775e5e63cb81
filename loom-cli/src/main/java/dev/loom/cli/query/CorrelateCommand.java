package dev.loom.cli.query;

import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.Console;
import dev.loom.cli.console.Progress;
import dev.loom.cli.output.RecordPrinter;
import dev.loom.cli.text.Quantity;
import dev.loom.cli.time.TimePrinter;
import dev.loom.query.Aggregate;
import dev.loom.query.Correlate;
import dev.loom.query.CorrelationCursor;
import dev.loom.query.IndexedAggregate;
import dev.loom.query.IndexedScan;
import dev.loom.query.Order;
import dev.loom.query.SnapshotLookup;
import dev.loom.query.Value;
import dev.loom.query.ValueRange;
import dev.loom.query.where.Literal;
import dev.loom.query.where.Where;
import dev.loom.query.where.WhereExpression;
import java.math.BigDecimal;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code loom correlate}: the records of one source around the outstanding ones of another. */
@Command(
        name = "correlate",
        description = "Prints the records of another source around, or during, those whose field is above a value.",
        mixinStandardHelpOptions = true)
public final class CorrelateCommand extends FieldQuery {
    @Option(
            names = "--above",
            required = true,
            paramLabel = "p99.99|VALUE",
            description = "The causes: records whose field is greater than its percentile, or than a value as 50ms.")
    private String above = "";

    @Option(names = "--with", required = true, paramLabel = "OTHER", description = "The source that is looked into.")
    private String otherName = "";

    @Option(names = "--within", paramLabel = "DURATION", description = "At most that long before or after a cause.")
    private @Nullable String within;

    @Option(names = "--before", paramLabel = "DURATION", description = "At most that long before a cause.")
    private @Nullable String before;

    @Option(names = "--after", paramLabel = "DURATION", description = "At most that long after a cause.")
    private @Nullable String after;

    @Option(
            names = "--overlap",
            paramLabel = "FIELD,FIELD",
            split = ",",
            description = "During a cause: fields of the cause and of the other that hold durations in ns;"
                    + " a record stands for [time - duration, time].")
    private @Nullable List<String> overlap;

    @Option(names = "--distinct", description = "Prints a record once, with the first of its causes.")
    private boolean distinct;

    public CorrelateCommand(Console console) {
        super(console);
    }

    @Override
    void check() {
        long given = Stream.of(within, before, after, overlap)
                .filter(option -> option != null)
                .count();
        if (given != 1) {
            throw CommandFailure.usage("give one of --within, --before, --after and --overlap");
        } else if (overlap != null && overlap.size() != 2) {
            throw CommandFailure.usage("--overlap takes two fields, as latency_ns,latency_ns");
        }
    }

    @Override
    long answerField(Snapshot snapshot, QueryTarget target, QueryRun run, TimePrinter times) {
        Source other = SourceLookup.find(snapshot, otherName);
        try (Progress progress = run.progress()) {
            ValueRange values = values(snapshot, target, run, progress);
            if (values == null) {
                return 0;
            }
            Supplier<IndexedScan> causes = () -> run.prepare(
                            target.confine(
                                    IndexedScan.of(snapshot, target.source().id(), target.number(field()))),
                            progress,
                            () -> {})
                    .values(values)
                    .order(Order.OLDEST_FIRST);
            Correlate query = window(Correlate.of(
                            snapshot, other.id(), () -> causes.get().open()))
                    .distinct(distinct);
            if (overlap != null) {
                IndexFunction ofOther = QueryTarget.number(other, overlap.get(1));
                query.durations(target.number(overlap.get(0)), ofOther);
            }
            if (time().event()) {
                query.eventTime(QueryTarget.eventTime(target.source()), QueryTarget.eventTime(other));
            }
            return print(run.prepare(query, progress, () -> {}), snapshot, other, run, times);
        }
    }

    private Correlate window(Correlate query) {
        return asked(() -> {
            long both = within == null ? 0 : Quantity.durationNs(within);
            return query.window(
                    before == null ? both : Quantity.durationNs(before),
                    after == null ? both : Quantity.durationNs(after));
        });
    }

    /** The values of causes; null when there are none, because there are no values. */
    private @Nullable ValueRange values(Snapshot snapshot, QueryTarget target, QueryRun run, Progress progress) {
        if (!above.startsWith("p")) {
            return ValueRange.above(literal(above));
        }
        BigDecimal percentile = asked(() -> NumberText.percentile(above));
        IndexedAggregate query =
                asked(() -> IndexedAggregate.of(snapshot, target.source().id(), target.number(field()))
                        .percentiles(List.of(percentile)));
        Aggregate result =
                run.prepare(target.confine(query), progress, () -> {}).run();
        run.add(result.statistics(), result.completeness());
        Value value = result.percentiles().get(percentile);
        if (value == null) {
            console().say(field() + " has no percentile: values=" + result.count());
            return null;
        }
        console()
                .say(field() + " above " + value + ", its percentile " + percentile.toPlainString() + " of "
                        + result.count() + " values");
        // what this lacked, the causes lack as well
        run.forgetMissing();
        return ValueRange.above(value);
    }

    /** A number as it is written in an expression, with a unit. */
    private static BigDecimal literal(String text) {
        WhereExpression expression = asked(() -> Where.parse("value > " + text));
        if (expression instanceof WhereExpression.Comparison comparison
                && comparison.literal() instanceof Literal.Numeric number) {
            return number.value();
        }
        throw CommandFailure.usage("--above is neither a percentile nor a number: " + text + "; as p99.99 or 50ms");
    }

    private long print(Correlate query, Snapshot snapshot, Source other, QueryRun run, TimePrinter times) {
        RecordPrinter records =
                output().format(console()).records(console(), other.name(), other.format(), times, true);
        long printed = 0;
        try (SnapshotLookup lookup = SnapshotLookup.of(snapshot);
                CorrelationCursor match = query.open()) {
            records.lookup(lookup);
            while (match.next()) {
                records.cause(match.causeAddress());
                records.print(match.matchedTimeNs(), match.address(), match.buffer(), match.offset(), match.length());
                printed++;
            }
            run.add(match);
            tellLeftOut(match.causesWithoutSpan(), "causes");
            tellLeftOut(match.recordsWithoutSpan(), "records of " + other.name());
        }
        records.flush();
        return printed;
    }

    private void tellLeftOut(long count, String noun) {
        if (count > 0) {
            console().say(count + " " + noun + " have no time or no duration, and are left out");
        }
    }
}
