package dev.loom.server.loki;

import dev.loom.query.model.Order;
import dev.loom.query.model.TimeRange;
import dev.loom.server.http.ApiFailure;
import dev.loom.server.http.HttpCall;
import dev.loom.server.http.StoreQueries;
import dev.loom.server.loki.LogQl.RangeAggregation;
import dev.loom.server.loki.LogQl.RangeOperation;
import dev.loom.server.loki.LogQl.Selection;
import dev.loom.server.text.DataOutput;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** Answers queries in LogQL. Usable from any thread. */
final class LokiQueries {
    private static final String FLAGS = "X-Loki-Response-Encoding-Flags";
    private static final String APART = "categorize-labels";
    private static final String JSON = "application/json; charset=utf-8";

    private final StoreQueries queries;

    LokiQueries(StoreQueries queries) {
        this.queries = queries;
    }

    /** Prints what a session found. */
    private interface Printing {
        void print(LokiJson out, Report report, long wallNs);
    }

    /** Finds what is to be printed. */
    private interface Finding {
        Printing find(LokiSession session);
    }

    private void answer(HttpCall call, String query, Finding finding) {
        long beganNs = System.nanoTime();
        queries.run(
                call::cancelled,
                session -> session.read((store, snapshot) -> {
                    LokiSession asked = new LokiSession(query, session, store, snapshot, queries.limits());
                    Printing found = finding.find(asked);
                    LokiJson out = new LokiJson(new DataOutput(call.begin(200, JSON), false));
                    found.print(out, asked.report(), System.nanoTime() - beganNs);
                    return asked;
                }));
    }

    /** Whether fields beside lines are wanted apart from the labels of streams. */
    static boolean apart(HttpCall call) {
        String flags = call.header(FLAGS);
        return flags != null && List.of(flags.split("\\s*,\\s*")).contains(APART);
    }

    /** {@code query}. */
    void instant(HttpCall call) {
        LokiParameters in = new LokiParameters(call);
        String query = in.query();
        LogQl parsed = LogQlParser.parse(query);
        if (parsed instanceof Selection) {
            throw ApiFailure.badRequest(
                    "log queries are not supported as an instant query type, please change your query"
                            + " to a range query type");
        }
        in.limit("limit", LokiLimits.LINES_DEFAULT, Integer.MAX_VALUE);
        in.direction();
        Grid grid = new Grid(in.timeNs(), 1, 1);
        answer(call, query, session -> {
            List<Series> found = new MetricQuery(session, query, grid).run(parsed);
            checkFound(session, found.isEmpty());
            return (out, report, wallNs) -> {
                if (MetricQuery.isNumber(parsed)) {
                    out.scalar(found.get(0).get(0), grid, report, wallNs);
                } else {
                    out.vector(found, grid, report, wallNs);
                }
            };
        });
    }

    private static void checkFound(LokiSession session, boolean nothing) {
        if (nothing && session.report().timedOut()) {
            throw LokiSession.timeout();
        }
    }

    /** {@code query_range}. */
    void range(HttpCall call) {
        LokiParameters in = new LokiParameters(call);
        String query = in.query();
        LogQl parsed = LogQlParser.parse(query);
        TimeRange range = in.range();
        Order direction = in.direction();
        in.refuse("interval");
        if (parsed instanceof Selection selection) {
            int limit = in.limit("limit", LokiLimits.LINES_DEFAULT, LokiLimits.LINES_MAX);
            boolean apart = apart(call);
            answer(call, query, session -> {
                List<LogLine> lines = new LogQuery(session, direction, limit).run(selection, range);
                checkFound(session, lines.isEmpty());
                return (out, report, wallNs) -> out.streams(lines, apart, report, wallNs);
            });
        } else {
            in.limit("limit", LokiLimits.LINES_DEFAULT, Integer.MAX_VALUE);
            matrix(call, query, parsed, Grid.of(range.fromNs(), range.toNs(), in.stepNs(range)));
        }
    }

    private void matrix(HttpCall call, String query, LogQl parsed, Grid grid) {
        answer(call, query, session -> {
            List<Series> found = new MetricQuery(session, query, grid).run(parsed);
            checkFound(session, found.isEmpty());
            return (out, report, wallNs) -> out.matrix(found, grid, report, wallNs);
        });
    }

    /**
     * {@code index/volume} and {@code volume_range}: how many bytes the series of a selection have, the largest first. Loki takes them from
     * its index; here they are the number of records times the mean length of their source's payloads.
     */
    void volume(HttpCall call, boolean steps) throws IOException {
        LokiParameters in = new LokiParameters(call);
        String query = in.query();
        Selection selection = LogQlParser.parseSelection(query);
        TimeRange range = in.range();
        int limit = in.limit("limit", LokiLimits.LINES_DEFAULT, LokiLimits.LINES_MAX);
        boolean byName = in.text("aggregateBy").toLowerCase(Locale.ROOT).equals("labels");
        List<String> labels = volumeLabels(in, selection, byName);
        Grid grid = Grid.ends(range, steps ? in.stepNs(range) : Long.MAX_VALUE);
        answer(call, query, session -> {
            List<Series> all = range.isEmpty() ? List.of() : new Volumes(session, grid).run(selection, labels, byName);
            List<Series> found = all.stream()
                    .sorted(Comparator.comparingDouble(LokiQueries::sum)
                            .reversed()
                            .thenComparing(series -> series.labels().toString()))
                    .limit(limit)
                    .toList();
            checkFound(session, found.isEmpty());
            return (out, report, wallNs) -> {
                if (steps) {
                    out.matrix(found, grid, report, wallNs);
                } else {
                    out.vector(found, grid, report, wallNs);
                }
            };
        });
    }

    private static List<String> volumeLabels(LokiParameters in, Selection selection, boolean byName) {
        String targets = in.text("targetLabels");
        if (!targets.isBlank()) {
            return List.of(targets.strip().split("\\s*,\\s*"));
        }
        return byName
                ? LogQl.STREAM_LABELS
                : selection.matchers().stream()
                        .map(LogQl.Matcher::label)
                        .distinct()
                        .toList();
    }

    private static double sum(Series series) {
        double sum = 0;
        for (int i = 0; i < series.points(); i++) {
            sum += series.has(i) ? series.get(i) : 0;
        }
        return sum;
    }

    /** A count of a selection's records. */
    static RangeAggregation count(Selection selection, long rangeNs) {
        return new RangeAggregation(RangeOperation.COUNT_OVER_TIME, null, selection, null, rangeNs, 0, null, 0);
    }
}
