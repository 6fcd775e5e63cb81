package dev.loom.server.request;

import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.Store;
import dev.loom.format.UnknownFieldException;
import dev.loom.query.model.AddressRange;
import dev.loom.query.model.GroupOrder;
import dev.loom.query.model.Order;
import dev.loom.query.model.TimeRange;
import dev.loom.query.service.AggregateRequest;
import dev.loom.query.service.CorrelationRequest;
import dev.loom.query.service.CountRequest;
import dev.loom.query.service.DifferenceRequest;
import dev.loom.query.service.GroupRequest;
import dev.loom.query.service.HistogramRequest;
import dev.loom.query.service.MetricsRequest;
import dev.loom.query.service.QueryLimits;
import dev.loom.query.service.RecordSelection;
import dev.loom.query.service.RequestException;
import dev.loom.query.service.ScanRequest;
import dev.loom.query.service.SeriesRequest;
import dev.loom.query.service.SourceRequest;
import dev.loom.query.service.TailRequest;
import dev.loom.query.service.TopRequest;
import dev.loom.query.service.TraceRequest;
import dev.loom.query.service.TracesRequest;
import dev.loom.query.service.ValuesRequest;
import dev.loom.query.text.TextQuery;
import dev.loom.query.where.Where;
import dev.loom.server.time.EventTime;
import dev.loom.server.time.StoreTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Makes requests to one snapshot from texts. Its methods throw a {@link RequestException} for an invalid text, and a {@link
 * RefusedException} for an unknown source.
 */
public final class RequestBuilder {
    /** The most groups by value where nobody draws them. */
    public static final int GROUPS_MAX = Integer.MAX_VALUE;

    private final Store store;
    private final Snapshot snapshot;
    private final RequestTimes times;
    private final long nowNs;
    private final QueryLimits limits;
    private final Consumer<String> remarks;
    private @Nullable Long storeNowNs;

    /**
     * Prepares to make requests.
     *
     * @param nowNs the machine's time, epoch nanoseconds
     * @param remarks takes what people should know about the request
     */
    public RequestBuilder(
            Store store,
            Snapshot snapshot,
            RequestTimes times,
            long nowNs,
            QueryLimits limits,
            Consumer<String> remarks) {
        this.store = store;
        this.snapshot = snapshot;
        this.times = times;
        this.nowNs = nowNs;
        this.limits = limits;
        this.remarks = remarks;
    }

    /** The source of a name, or of # and its id. */
    public Source source(String name) {
        return SourceLookup.find(snapshot, name);
    }

    /** The range of arrival times. */
    public TimeRange arrivals() {
        return times.range(nowNs(false));
    }

    /** The records of a source. */
    public ScanRequest scan(String source, List<String> where, boolean ascending, long limit) {
        return scan(source, where, AddressRange.ALL, ascending, limit);
    }

    /** The records of a source at some addresses. */
    public ScanRequest scan(String source, List<String> where, AddressRange addresses, boolean ascending, long limit) {
        return scan(records(source, where), addresses, ascending, limit);
    }

    private ScanRequest scan(RecordSelection records, AddressRange addresses, boolean ascending, long limit) {
        return new ScanRequest(
                records, addresses, ascending ? Order.OLDEST_FIRST : Order.NEWEST_FIRST, limit, false, limits);
    }

    /**
     * The records whose text matches, or with {@code count} their number in steps of time.
     *
     * @param field null for the source's text
     * @param within how near the sum of the counts has to be, such as {@code 2%}; null for exact counts
     */
    public SourceRequest search(
            String source,
            String text,
            @Nullable String field,
            List<String> where,
            boolean ascending,
            long limit,
            boolean count,
            @Nullable String step,
            int stepsMax,
            @Nullable String within) {
        if (!count && (step != null || within != null)) {
            throw new RequestException(step != null ? "step" : "within", " requires --count");
        }
        RecordSelection records = records(source, where);
        List<Where> conditions = new ArrayList<>(records.conditions());
        conditions.add(matches(records.source(), text, field));
        ScanRequest scan = scan(
                new RecordSelection(records.source(), records.range(), records.eventTime(), conditions),
                AddressRange.ALL,
                ascending,
                limit);
        return count
                ? new CountRequest(
                        scan.records(),
                        steps(step, stepsMax),
                        within == null ? 0 : RequestTexts.share("within", within),
                        limits)
                : scan;
    }

    public TopRequest top(String source, @Nullable String field, List<String> where, long count, boolean smallest) {
        RecordSelection records = records(source, where);
        return new TopRequest(
                records,
                required(field, records.source()),
                (int) Math.max(Math.min(count, Integer.MAX_VALUE), -1),
                smallest,
                limits);
    }

    /**
     * Count, sum, minimum, maximum, mean and percentiles of a field.
     *
     * @param field null to count records
     * @param within a share such as {@code 1%}; null for exact percentiles
     */
    public AggregateRequest aggregate(
            String source,
            @Nullable String field,
            List<String> where,
            List<String> percentiles,
            @Nullable String within) {
        return new AggregateRequest(
                records(source, where),
                field,
                percentiles.stream().map(RequestTexts::percentile).toList(),
                within == null ? 0 : RequestTexts.share("within", within),
                limits);
    }

    /**
     * The same for groups of records, or steps of time; with distinct values if they are asked for. Without any of these, an aggregate.
     *
     * @param field null to count records
     * @param within as above, not for groups
     */
    public SourceRequest aggregate(
            String source,
            @Nullable String field,
            List<String> where,
            List<String> percentiles,
            @Nullable String within,
            GroupTexts groups) {
        if (!groups.asked()) {
            groups.requireNone();
            return aggregate(source, field, where, percentiles, within);
        }
        if (within != null) {
            throw new RequestException("within", " is not for groups or steps: their percentiles are exact");
        }
        GroupOrder order = groups.groupOrder();
        return new GroupRequest(
                records(source, where),
                field,
                groups.keys(),
                GroupTexts.percentiles(percentiles, order),
                groups.distinct(),
                order,
                groups.limitOrAll(),
                groups.caps(),
                limits);
    }

    /** A field's values with their counts. */
    public ValuesRequest values(String source, String field, List<String> where, GroupTexts groups) {
        return new ValuesRequest(records(source, where), field, groups.limitOrAll(), groups.caps(), limits);
    }

    /** The metrics that a source's points belong to. */
    public MetricsRequest metrics(String source, List<String> where, @Nullable Long seriesMax) {
        return new MetricsRequest(records(source, where), SeriesTexts.cap(seriesMax), limits);
    }

    /** What the series of a metric say, by the times of their points. */
    public SeriesRequest series(String source, String name, List<String> where, SeriesTexts series) {
        return new SeriesRequest(
                records(source, where, times.kind() != TimeKind.ARRIVAL),
                name,
                series.by(),
                series.step() == null ? null : steps(series.step(), 1),
                series.asked(),
                series.lookbackOrDefault(),
                SeriesTexts.cap(series.seriesMax()),
                limits);
    }

    /**
     * The counts of a field's values by size, by time, or by both.
     *
     * @param field null to count records by time
     */
    public HistogramRequest histogram(
            String source,
            @Nullable String field,
            List<String> where,
            boolean byValue,
            int groupsMax,
            boolean byTime,
            @Nullable String step,
            int stepsMax) {
        if (step != null && !byTime) {
            throw new RequestException("step", " requires --by time");
        } else if (field == null && byValue) {
            throw new RequestException("hist by value needs a field; hist SOURCE --by time counts records without one");
        }
        return new HistogramRequest(
                records(source, where), field, byValue, groupsMax, byTime ? steps(step, stepsMax) : null, limits);
    }

    /**
     * The records of another source around, or during, the outliers of a field.
     *
     * @param addresses of the outliers
     * @param overlap empty, or the fields that hold durations
     */
    public CorrelationRequest correlate(
            String source,
            @Nullable String field,
            List<String> where,
            AddressRange addresses,
            String above,
            String with,
            List<String> withWhere,
            @Nullable String within,
            @Nullable String before,
            @Nullable String after,
            List<String> overlap,
            long limit,
            boolean distinct) {
        long given =
                Stream.of(within, before, after).filter(each -> each != null).count();
        if (given + (overlap.isEmpty() ? 0 : 1) != 1) {
            throw new RequestException("give exactly one of --within, --before, --after and --overlap");
        } else if (!overlap.isEmpty() && overlap.size() != 2) {
            throw new RequestException("overlap", " takes two fields, for example latency_ns,latency_ns");
        }
        Source other = SourceLookup.find(snapshot, with);
        // arrival is the time of import, hardly ever what is meant if both sources have event times
        boolean both = EventTime.of(SourceLookup.find(snapshot, source)) != null && EventTime.of(other) != null;
        RecordSelection records = records(source, where, times.kind() == null ? both : times.kind() == TimeKind.EVENT);
        return new CorrelationRequest(
                records,
                addresses,
                required(field, records.source()),
                RequestTexts.threshold(above),
                other,
                RequestTexts.conditions("with-where", withWhere),
                before == null ? window("within", within) : window("before", before),
                after == null ? window("within", within) : window("after", after),
                overlap.isEmpty() ? null : new CorrelationRequest.Overlap(overlap.get(0), overlap.get(1)),
                limit,
                distinct,
                limits);
    }

    /** What is more frequent among the chosen records: those that meet the conditions, and what the texts say besides. */
    public DifferenceRequest difference(String source, List<String> where, DifferenceTexts texts) {
        RecordSelection records = records(source, where);
        return new DifferenceRequest(
                records,
                texts.choice(nowNs(records.eventTime(), texts.relative()), times.zone()),
                RequestTexts.conditions("against", texts.against()),
                texts.fields(),
                texts.ignored(records.source(), records.eventTime()),
                texts.supportMin(),
                texts.limitOrDefault(),
                limits);
    }

    /**
     * The spans and log records of a trace.
     *
     * @param sources where to look; empty for all sources whose records may name a trace
     * @param logs whether to look for log records too
     * @param tree whether to put them together
     * @param recordsMax the most of a tree; null for the default
     */
    public TraceRequest trace(String id, List<String> sources, boolean logs, boolean tree, @Nullable Long recordsMax) {
        return new TraceSources(snapshot, sources, remarks)
                .trace(id, range(), eventTime(), logs, tree, recordsMax, limits);
    }

    /**
     * The traces of which a span is as described.
     *
     * @param sources where to look; empty for all sources that declare the fields of spans
     * @param whole whether all spans of the traces are the answer
     * @param limit null for the default
     */
    public TracesRequest traces(SpanTexts spans, List<String> sources, boolean whole, @Nullable Long limit) {
        return new TraceSources(snapshot, sources, remarks)
                .traces(spans, range(), eventTime(), whole, false, 0, limit, limits);
    }

    /**
     * As above in all sources that declare the fields of spans, but of the spans in the range those that arrived last.
     *
     * @param matchesMax the most spans that a summary names
     */
    public TracesRequest lastTraces(SpanChoice spans, boolean whole, int matchesMax, @Nullable Long limit) {
        return new TraceSources(snapshot, List.of(), remarks)
                .traces(spans, range(), eventTime(), whole, true, matchesMax, limit, limits);
    }

    private boolean eventTime() {
        return times.kind() == TimeKind.EVENT;
    }

    /** The range of the times asked for. */
    public TimeRange range() {
        return times.range(nowNs(eventTime()));
    }

    /**
     * The last records of a source, and those that arrive.
     *
     * @param text words that each record has to match; null for any record
     * @param field where they are searched for; null for the source's text
     */
    public static TailRequest tail(
            Snapshot snapshot,
            QueryLimits limits,
            String source,
            List<String> where,
            @Nullable String text,
            @Nullable String field,
            long lines,
            boolean follow) {
        if (field != null && text == null) {
            throw new RequestException("field", " requires a query");
        }
        Source found = SourceLookup.find(snapshot, source);
        List<Where> conditions = new ArrayList<>(RequestTexts.conditions(where));
        if (text != null) {
            conditions.add(matches(found, text, field));
        }
        return new TailRequest(found, conditions, lines, follow, limits);
    }

    private static Duration window(String part, @Nullable String text) {
        return text == null ? Duration.ZERO : RequestTexts.duration(part, text);
    }

    static HistogramRequest.Steps steps(@Nullable String step, int stepsMax) {
        return new HistogramRequest.Steps(step == null ? null : RequestTexts.duration("step", step), stepsMax);
    }

    private static String required(@Nullable String field, Source source) {
        if (field == null) {
            throw new RequestException("Missing required parameter: 'FIELD'; expected a numeric field of the source: "
                    + UnknownFieldException.known(source.format()));
        }
        return field;
    }

    private static Where matches(Source source, String text, @Nullable String field) {
        String searched = TextField.of(source, field);
        try {
            Where condition = new Where.Matches(searched, TextQuery.parse(text));
            condition.bind(source.format());
            return condition;
        } catch (IllegalArgumentException e) {
            throw new RequestException("", "text query: ", e);
        }
    }

    private RecordSelection records(String source, List<String> where) {
        return records(source, where, eventTime());
    }

    private RecordSelection records(String source, List<String> where, boolean eventTime) {
        Source found = SourceLookup.find(snapshot, source);
        return new RecordSelection(found, times.range(nowNs(eventTime)), eventTime, RequestTexts.conditions(where));
    }

    /** Base of relative times: for arrival times the store's own now, if its clock is ahead of the machine's. */
    private long nowNs(boolean eventTime) {
        return nowNs(eventTime, times.relative());
    }

    private long nowNs(boolean eventTime, boolean relative) {
        if (!relative || eventTime) {
            return nowNs;
        }
        Long known = storeNowNs;
        if (known == null) {
            long aheadNs = StoreTime.aheadNs(store, snapshot, nowNs);
            if (aheadNs > 0) {
                remarks.accept(StoreTime.tell(aheadNs) + "; relative times use the store's clock");
            }
            known = nowNs + aheadNs;
            storeNowNs = known;
        }
        return known;
    }
}
