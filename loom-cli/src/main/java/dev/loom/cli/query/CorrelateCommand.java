package dev.loom.cli.query;

import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.SourceStatistics;
import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.Console;
import dev.loom.cli.console.Progress;
import dev.loom.cli.option.FieldsOption;
import dev.loom.cli.output.OutputFormat;
import dev.loom.cli.output.RecordPrinter;
import dev.loom.cli.time.EventTime;
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
import dev.loom.query.where.Operator;
import dev.loom.query.where.Quantity;
import dev.loom.query.where.Where;
import dev.loom.query.where.WhereExpression;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code loom correlate}: the records of one source around the outliers of another. */
@Command(
        name = "correlate",
        description = "Prints the records of another source around, or during, those whose field is above a value.",
        mixinStandardHelpOptions = true)
public final class CorrelateCommand extends FieldQuery {
    @Option(
            names = "--above",
            required = true,
            paramLabel = "p99.99|VALUE",
            description =
                    "The causes: records whose field is greater than a value as 50ms, or above its percentile, ties included.")
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
            description =
                    "During a cause: fields of the cause and of the other that hold durations, in ns or the unit that"
                            + " their names end with; a record stands for [time - duration, time], or for [time, time + duration]"
                            + " where its event time is its start.")
    private @Nullable List<String> overlap;

    @Option(names = "--where", paramLabel = "EXPR", description = "Only causes for which this holds; repeatable.")
    private List<String> where = new ArrayList<>();

    @Option(names = "--limit", paramLabel = "N", description = "At most N records.")
    private long limit = Long.MAX_VALUE;

    @Option(names = "--distinct", description = "Prints a record once, with the first of its causes.")
    private boolean distinct;

    @Mixin
    private FieldsOption fields = new FieldsOption();

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
        } else if (limit < 0) {
            throw CommandFailure.usage("--limit is negative: " + limit);
        }
    }

    /** Arrival time is the time of import, hardly ever what the user means if both sources have event times. */
    @Override
    void settleTime(Snapshot snapshot) {
        boolean both = EventTime.of(SourceLookup.find(snapshot, sourceName())) != null
                && EventTime.of(SourceLookup.find(snapshot, otherName)) != null;
        if (!time().said() && both) {
            time().meanEvent();
        }
    }

    @Override
    long answerField(Snapshot snapshot, QueryTarget target, QueryRun run, TimePrinter times) {
        Source other = SourceLookup.find(snapshot, otherName);
        RecordFilter causesOnly = RecordFilter.of(where, target.source().format());
        try (Progress progress = run.progress()) {
            UnaryOperator<IndexedScan> chosen = above(snapshot, target, causesOnly, run, progress);
            if (chosen == null) {
                return 0;
            }
            Supplier<IndexedScan> causes = () -> {
                IndexedScan scan = IndexedScan.of(snapshot, target.source().id(), target.number(field()))
                        .order(Order.OLDEST_FIRST);
                causesOnly.applyTo(scan);
                return chosen.apply(run.prepare(target.confine(scan), progress, () -> {}));
            };
            Correlate query = window(Correlate.of(
                            snapshot, other.id(), () -> causes.get().open()))
                    .distinct(distinct);
            if (overlap != null) {
                IndexFunction ofOther = QueryTarget.number(other, overlap.get(1));
                query.durations(target.number(overlap.get(0)), ofOther);
            }
            if (time().event()) {
                query.eventTime(QueryTarget.eventTime(target.source()), QueryTarget.eventTime(other))
                        .fromStart(startsAt(target.source()), startsAt(other));
            }
            return print(run.prepare(query, progress, () -> {}), snapshot, target.source(), other, run, times);
        }
    }

    private static boolean startsAt(Source source) {
        EventTime eventTime = EventTime.of(source);
        return eventTime != null && eventTime.start();
    }

    private Correlate window(Correlate query) {
        return asked(() -> {
            long both = within == null ? 0 : Quantity.durationNs(within);
            return query.window(
                    before == null ? both : Quantity.durationNs(before),
                    after == null ? both : Quantity.durationNs(after));
        });
    }

    /** Selects the causes; null if there are no values, and so no causes. */
    private @Nullable UnaryOperator<IndexedScan> above(
            Snapshot snapshot, QueryTarget target, RecordFilter causesOnly, QueryRun run, Progress progress) {
        if (!above.startsWith("p")) {
            // parsed as a condition's number, so that it means the same
            Literal.Numeric threshold = literal(above);
            WhereExpression condition = new WhereExpression.Comparison(field(), Operator.GREATER, threshold);
            run.tell("above", threshold.value());
            return scan -> asked(() -> scan.where(condition));
        }
        BigDecimal percentile = asked(() -> NumberText.percentile(above));
        Aggregate result =
                aggregate(snapshot, target, causesOnly, run, progress, query -> query.percentiles(List.of(percentile)));
        Value value = result.percentiles().get(percentile);
        if (value == null) {
            console().say(field() + " has no percentile: values=" + result.count());
            return null;
        }
        Number number = Objects.requireNonNull(NumberText.number(value, target.number(field())));
        // values that equal the percentile but rank beyond it are above it, though not greater
        Aggregate greater =
                aggregate(snapshot, target, causesOnly, run, progress, query -> query.values(ValueRange.above(value)));
        boolean ties = result.count() - rank(percentile, result.count()) != greater.count() || greater.count() == 0;
        console()
                .say(field() + (ties ? " at or above " : " above ") + number + ", its percentile "
                        + percentile.toPlainString() + " of " + result.count() + " values");
        run.tell(ties ? "at_least" : "above", number);
        // what these scans lack, the scan of the causes lacks too
        run.forgetMissing();
        return scan -> scan.values(ties ? ValueRange.atLeast(value) : ValueRange.above(value));
    }

    private Aggregate aggregate(
            Snapshot snapshot,
            QueryTarget target,
            RecordFilter causesOnly,
            QueryRun run,
            Progress progress,
            UnaryOperator<IndexedAggregate> asking) {
        IndexedAggregate query = asked(
                () -> asking.apply(IndexedAggregate.of(snapshot, target.source().id(), target.number(field()))));
        causesOnly.applyTo(query);
        Aggregate result =
                run.prepare(target.confine(query), progress, () -> {}).run();
        run.add(result.statistics(), result.completeness());
        return result;
    }

    /** The percentile's rank, as {@link IndexedAggregate} counts it. */
    private static long rank(BigDecimal percentile, long count) {
        BigDecimal rank = percentile.multiply(BigDecimal.valueOf(count)).movePointLeft(2);
        return Math.max(1, rank.setScale(0, RoundingMode.CEILING).longValueExact());
    }

    /** Parses a number with a unit as an expression does. */
    private static Literal.Numeric literal(String text) {
        WhereExpression expression = asked(() -> Where.parse("value > " + text));
        if (expression instanceof WhereExpression.Comparison comparison
                && comparison.literal() instanceof Literal.Numeric number) {
            return number;
        }
        throw CommandFailure.usage("--above is neither a percentile nor a number: " + text + "; as p99.99 or 50ms");
    }

    private long print(
            Correlate query, Snapshot snapshot, Source source, Source other, QueryRun run, TimePrinter times) {
        OutputFormat form = output().format(console());
        RecordPrinter records = form.records(
                console(), other.name(), fields.of(other.format(), form), times, fields.style(other), true);
        long printed = 0;
        try (SnapshotLookup lookup = SnapshotLookup.of(snapshot);
                CorrelationCursor match = query.open()) {
            records.lookup(lookup);
            while (printed < limit && match.next()) {
                run.holds(match);
                records.cause(match.causeAddress());
                records.print(match.matchedTimeNs(), match.address(), match.buffer(), match.offset(), match.length());
                printed++;
            }
            run.add(match);
            tellLeftOut(match.causesWithoutSpan(), "causes");
            tellLeftOut(match.recordsWithoutSpan(), "records of " + other.name());
            if (printed == 0) {
                tellWhyNone(match.causes(), snapshot, source, other, times);
            }
        }
        records.flush();
        return printed;
    }

    private void tellWhyNone(long causes, Snapshot snapshot, Source source, Source other, TimePrinter times) {
        if (causes == 0) {
            console().say("no causes: no record of " + source.name() + " in the range has such a " + field());
            return;
        }
        SourceStatistics statistics = snapshot.statistics(other.id());
        StringBuilder text = new StringBuilder("no matches: causes=" + causes + ", by "
                + (time().event() ? "event time" : "arrival") + ", records of " + other.name() + "="
                + statistics.records());
        if (statistics.records() > 0 && !time().event()) {
            text.append(", arrived from ")
                    .append(times.text(statistics.firstTimeNs()))
                    .append(" to ")
                    .append(times.text(statistics.lastTimeNs()))
                    .append("; the arrival of imported records is the time of their import");
            for (Source each : List.of(source, other)) {
                text.append(EventTime.of(each) == null ? "; " + each.name() + " has no event time" : "");
            }
        }
        console().say(text.toString());
    }

    private void tellLeftOut(long count, String noun) {
        if (count > 0) {
            console().say(count + " " + noun + " have no time or no duration, and are left out");
        }
    }
}
