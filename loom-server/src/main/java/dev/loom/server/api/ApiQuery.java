package dev.loom.server.api;

import dev.loom.api.Snapshot;
import dev.loom.query.GroupedAggregate;
import dev.loom.query.MetricSeries;
import dev.loom.query.model.AddressRange;
import dev.loom.query.model.QueryIndex;
import dev.loom.query.service.QueryLimits;
import dev.loom.query.service.QueryRequest;
import dev.loom.query.service.RequestException;
import dev.loom.query.service.TailRequest;
import dev.loom.server.http.ApiFailure;
import dev.loom.server.http.StoreQueries;
import dev.loom.server.request.DifferenceTexts;
import dev.loom.server.request.GroupTexts;
import dev.loom.server.request.RequestBuilder;
import dev.loom.server.request.RequestTexts;
import dev.loom.server.request.RequestTimes;
import dev.loom.server.request.SeriesTexts;
import dev.loom.server.request.SpanTexts;
import dev.loom.server.request.TimeKind;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A query as its client asked for it, before the store is looked at.
 *
 * @param source null if it may be about several
 * @param otlp whether its records are printed as OTLP/JSON
 * @param fields of each record; empty for all
 * @param causes whether records have the address of their cause
 * @param request makes the request; null for a tail
 * @param tail makes the request of a tail; null for others
 */
record ApiQuery(
        @Nullable String source,
        RequestTimes times,
        QueryLimits limits,
        List<String> fields,
        boolean causes,
        boolean otlp,
        @Nullable Function<RequestBuilder, QueryRequest> request,
        @Nullable Function<Snapshot, TailRequest> tail) {
    static final Set<String> NAMES = Set.of(
            "scan",
            "agg",
            "values",
            "hist",
            "top",
            "correlate",
            "search",
            "tail",
            "diff",
            "metrics",
            "series",
            "trace",
            "traces");
    private static final List<String> INDEXES =
            Stream.of(QueryIndex.values()).map(QueryIndex::toString).toList();
    static final String FOLLOW = "follow";

    private static final int TAIL_LINES = 20;
    private static final int TOP_COUNT = 10;

    /** The most steps of time if the client does not say how long each is. */
    private static final int STEPS_MAX = 80;

    /**
     * Reads a query.
     *
     * @param name one of {@link #NAMES}
     * @param form of the answer
     * @param most what a query may take
     * @throws ApiFailure if a member is unknown, missing, or of another type
     */
    static ApiQuery read(String name, RequestMembers in, AnswerForm form, StoreQueries.Limits most) {
        // what a terminal shows
        in.flag("explain");
        in.flag("strict");
        if (name.equals("trace") || name.equals("traces")) {
            return ofTraces(name.equals("trace"), in, form, most);
        }
        String source = in.required("source");
        List<String> where = in.texts("where");
        if (name.equals("tail")) {
            return tail(source, where, in, form, most);
        }
        QueryLimits limits = limits(in, most, false);
        RequestTimes times = times(in);
        List<String> fields =
                List.of("agg", "values", "hist", "diff", "metrics", "series").contains(name) ? List.of() : fields(in);
        Function<RequestBuilder, QueryRequest> request = switch (name) {
            case "scan" -> scan(source, where, in);
            case "search" -> search(source, where, in);
            case "top" -> top(source, where, in);
            case "agg" -> aggregate(source, where, in, most);
            case "values" -> values(source, where, in, most);
            case "hist" -> histogram(source, where, in);
            case "diff" -> difference(source, where, in);
            case "metrics" -> metrics(source, where, in, most);
            case "series" -> series(source, where, in, most);
            default -> correlate(source, where, in);
        };
        in.end();
        return new ApiQuery(source, times, limits, fields, name.equals("correlate"), false, request, null);
    }

    private static ApiQuery ofTraces(boolean one, RequestMembers in, AnswerForm form, StoreQueries.Limits most) {
        QueryLimits limits = limits(in, most, false);
        RequestTimes times = times(in);
        List<String> sources = in.texts("source");
        boolean json = in.flag("json");
        boolean asked = one && in.flag("rows");
        boolean rows = one ? asked || form.inColumns() : !json;
        if (json && form.inColumns()) {
            throw new RequestException("json", " is for " + AnswerForm.JSON_LINES.type() + ", not for " + form.type());
        }
        Function<RequestBuilder, QueryRequest> request = one ? trace(sources, rows, in) : traces(sources, !rows, in);
        in.end();
        return new ApiQuery(null, times, limits, List.of(), false, !rows, request, null);
    }

    private static Function<RequestBuilder, QueryRequest> trace(List<String> sources, boolean rows, RequestMembers in) {
        String id = in.required("trace_id");
        boolean logs = !in.flag("no-logs");
        Long recordsMax = in.number("records-max");
        return builder -> builder.trace(id, sources, logs, rows, recordsMax);
    }

    private static Function<RequestBuilder, QueryRequest> traces(
            List<String> sources, boolean whole, RequestMembers in) {
        SpanTexts spans = new SpanTexts(
                in.text("service"),
                in.text("name"),
                in.text("min-duration"),
                in.text("max-duration"),
                in.flag("error"),
                in.texts("attribute"),
                in.texts("where"));
        Long limit = in.number("limit");
        Long lines = in.number("n");
        return builder -> builder.traces(spans, sources, whole, limit == null ? lines : limit);
    }

    private static ApiQuery tail(
            String source, List<String> where, RequestMembers in, AnswerForm form, StoreQueries.Limits most) {
        boolean endless = in.flag(FOLLOW);
        boolean follow = in.flag("f") || endless;
        if (endless && form.inColumns()) {
            // while nothing arrives, nothing could be sent to learn whether the client is still there
            throw new RequestException(FOLLOW, " is for " + AnswerForm.JSON_LINES.type() + ", not for " + form.type());
        }
        QueryLimits limits = limits(in, most, endless);
        List<String> fields = fields(in);
        String text = in.text("query");
        String field = in.text("field");
        long lines = in.number("lines", in.number("n", TAIL_LINES));
        in.end();
        return new ApiQuery(
                source,
                RequestTimes.ALL,
                limits,
                fields,
                false,
                false,
                null,
                snapshot -> RequestBuilder.tail(snapshot, limits, source, where, text, field, lines, follow));
    }

    private static Function<RequestBuilder, QueryRequest> scan(String source, List<String> where, RequestMembers in) {
        AddressRange addresses = addresses(in);
        boolean ascending = in.flag("asc");
        long limit = in.number("limit", Long.MAX_VALUE);
        return builder -> builder.scan(source, where, addresses, ascending, limit);
    }

    private static Function<RequestBuilder, QueryRequest> search(String source, List<String> where, RequestMembers in) {
        String text = in.required("query");
        String field = in.text("field");
        boolean ascending = in.flag("asc");
        long limit = in.number("limit", Long.MAX_VALUE);
        boolean count = in.flag("count");
        String step = in.text("step");
        String within = in.text("within");
        return builder -> builder.search(source, text, field, where, ascending, limit, count, step, STEPS_MAX, within);
    }

    private static Function<RequestBuilder, QueryRequest> top(String source, List<String> where, RequestMembers in) {
        String field = in.text("field");
        long count = in.number("lines", in.number("n", TOP_COUNT));
        boolean smallest = in.flag("asc");
        return builder -> builder.top(source, field, where, count, smallest);
    }

    private static Function<RequestBuilder, QueryRequest> aggregate(
            String source, List<String> where, RequestMembers in, StoreQueries.Limits most) {
        String field = in.text("field");
        List<String> percentiles = in.parts("percentile");
        String within = in.text("within");
        GroupTexts groups = new GroupTexts(
                in.parts("by"),
                in.text("step"),
                in.text("distinct"),
                in.text("order"),
                in.number("limit"),
                cap(in, "groups-max", GroupedAggregate.GROUPS_MAX_DEFAULT, most),
                cap(in, "distinct-max", GroupedAggregate.DISTINCT_MAX_DEFAULT, most),
                rest(in));
        return builder -> builder.aggregate(source, field, where, percentiles, within, groups);
    }

    private static Function<RequestBuilder, QueryRequest> values(
            String source, List<String> where, RequestMembers in, StoreQueries.Limits most) {
        String field = in.required("field");
        GroupTexts groups = GroupTexts.values(
                in.number("limit"), cap(in, "groups-max", GroupedAggregate.GROUPS_MAX_DEFAULT, most), rest(in));
        return builder -> builder.values(source, field, where, groups);
    }

    private static Function<RequestBuilder, QueryRequest> metrics(
            String source, List<String> where, RequestMembers in, StoreQueries.Limits most) {
        long seriesMax = cap(in, "series-max", MetricSeries.SERIES_MAX_DEFAULT, most);
        return builder -> builder.metrics(source, where, seriesMax);
    }

    private static Function<RequestBuilder, QueryRequest> series(
            String source, List<String> where, RequestMembers in, StoreQueries.Limits most) {
        String metric = in.required("name");
        SeriesTexts series = new SeriesTexts(
                in.parts("by"),
                in.text("step"),
                in.parts("fn"),
                in.text("lookback"),
                cap(in, "series-max", MetricSeries.SERIES_MAX_DEFAULT, most));
        return builder -> builder.series(source, metric, where, series);
    }

    /** A cap, within the server's. */
    private static long cap(RequestMembers in, String name, int otherwise, StoreQueries.Limits most) {
        Long asked = in.number(name);
        if (asked != null && asked > most.groupsMax()) {
            throw new RequestException(name, " is more than this server takes: " + asked + ", max=" + most.groupsMax());
        }
        return asked == null ? Math.min(otherwise, most.groupsMax()) : asked;
    }

    private static boolean rest(RequestMembers in) {
        return in.words("rest", List.of("other")).contains("other");
    }

    private static Function<RequestBuilder, QueryRequest> histogram(
            String source, List<String> where, RequestMembers in) {
        String field = in.text("field");
        List<String> by = in.words("by", List.of("value", "time"));
        String step = in.text("step");
        boolean byTime = by.contains("time");
        boolean byValue = !byTime || by.contains("value");
        return builder ->
                builder.histogram(source, field, where, byValue, RequestBuilder.GROUPS_MAX, byTime, step, STEPS_MAX);
    }

    private static Function<RequestBuilder, QueryRequest> correlate(
            String source, List<String> where, RequestMembers in) {
        AddressRange addresses = addresses(in);
        String field = in.text("field");
        String above = in.required("above");
        String with = in.required("with");
        List<String> withWhere = in.texts("with-where");
        String within = in.text("within");
        String before = in.text("before");
        String after = in.text("after");
        List<String> overlap = in.parts("overlap");
        long limit = in.number("limit", Long.MAX_VALUE);
        boolean distinct = in.flag("distinct");
        return builder -> builder.correlate(
                source, field, where, addresses, above, with, withWhere, within, before, after, overlap, limit,
                distinct);
    }

    private static AddressRange addresses(RequestMembers in) {
        return new AddressRange(in.number("from-address", 0), in.number("to-address", Long.MAX_VALUE));
    }

    private static Function<RequestBuilder, QueryRequest> difference(
            String source, List<String> where, RequestMembers in) {
        DifferenceTexts texts = new DifferenceTexts(
                in.text("field"),
                in.text("above"),
                in.text("low"),
                in.text("high"),
                in.text("selected-from"),
                in.text("selected-to"),
                in.texts("against"),
                in.parts("fields"),
                in.text("min-support"),
                in.number("limit", in.number("n", DifferenceTexts.LIMIT)));
        return builder -> builder.difference(source, where, texts);
    }

    private static List<String> fields(RequestMembers in) {
        in.flag("addr");
        return in.parts("fields");
    }

    private static RequestTimes times(RequestMembers in) {
        List<String> kind = in.words("time", List.of("arrival", "event"));
        return new RequestTimes(
                in.text("since"),
                in.text("from"),
                in.text("to"),
                RequestTimes.zone(in.text("tz")),
                kind.isEmpty() ? null : TimeKind.valueOf(kind.get(0).toUpperCase(Locale.ROOT)));
    }

    private static QueryLimits limits(RequestMembers in, StoreQueries.Limits most, boolean follows) {
        Set<QueryIndex> disabled = in.words("disable-index", INDEXES).stream()
                .map(word -> QueryIndex.valueOf(word.toUpperCase(Locale.ROOT)))
                .collect(Collectors.toSet());
        QueryLimits limits = RequestTexts.limits(in.text("timeout"), in.text("max-bytes-read"), disabled);
        return follows ? limits : limits.withTimeMax(most.timeMax());
    }
}
