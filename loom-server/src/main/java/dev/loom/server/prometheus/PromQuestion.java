package dev.loom.server.prometheus;

import dev.loom.server.http.ApiFailure;
import dev.loom.server.json.JsonText;
import dev.loom.server.prometheus.promql.Element;
import dev.loom.server.prometheus.promql.Evaluator;
import dev.loom.server.prometheus.promql.Expr;
import dev.loom.server.prometheus.promql.ExprType;
import dev.loom.server.prometheus.promql.Labels;
import dev.loom.server.prometheus.promql.Matcher;
import dev.loom.server.prometheus.promql.Remarks;
import dev.loom.server.prometheus.promql.SeriesSource.Selection;
import dev.loom.server.prometheus.promql.Steps;
import dev.loom.server.prometheus.promql.StoredSeries;
import dev.loom.server.prometheus.store.MetricMetadata;
import dev.loom.server.prometheus.store.SeriesQuery;
import dev.loom.server.prometheus.store.StoreSeries;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;

/** What can be asked, by its path. */
enum PromQuestion {
    QUERY("query"),
    QUERY_RANGE("query_range"),
    SERIES("series"),
    LABELS("labels"),
    LABEL_VALUES("label/*/values"),
    METADATA("metadata"),
    FORMAT_QUERY("format_query"),
    BUILDINFO("status/buildinfo");

    private static final Matcher ANY = new Matcher(Labels.NAME, Matcher.Operator.NOT_EQUAL, "");

    private static final String TRUNCATED = "results truncated due to limit";

    /** The most series in a list for which no limit is set. */
    private static final int SERIES_MAX = 10_000;

    private static final long TEXT_BYTES = 64;

    private final String path;

    PromQuestion(String path) {
        this.path = path;
    }

    /** Below the API's, with {@code *} for a name. */
    String path() {
        return path;
    }

    /** The name in the server's metrics. */
    String routeName() {
        return "prometheus_" + name().toLowerCase(Locale.ROOT);
    }

    boolean readsStore() {
        return this != FORMAT_QUERY && this != BUILDINFO;
    }

    PreparedAnswer answerWithoutStore(Parameters in, String version) {
        if (this == FORMAT_QUERY) {
            Expr expr = in.query();
            return writer -> writer.string(expr.toString());
        }
        Map<String, Object> row = new LinkedHashMap<>();
        // clients choose by it what they ask: what Prometheus 3 knows
        row.put("version", "3.0.0");
        row.put("revision", "loom " + version);
        row.put("branch", "");
        row.put("buildUser", "");
        row.put("buildDate", "");
        row.put("goVersion", "");
        return writer -> writer.put(JsonText.object(row).toString());
    }

    /**
     * Answers.
     *
     * @param label whose values are asked for
     */
    PreparedAnswer answer(Parameters in, String label, SeriesQuery query, Remarks remarks) {
        return switch (this) {
            case QUERY -> query(in, query, remarks);
            case QUERY_RANGE -> range(in, query, remarks);
            case METADATA -> metadata(in, query);
            default -> labels(in, label, query, remarks);
        };
    }

    private static PreparedAnswer query(Parameters in, SeriesQuery query, Remarks remarks) {
        Expr expr = in.query();
        Steps at = in.instant();
        in.requireLookback();
        int limit = in.limit();
        StoreSeries series = new StoreSeries(query);
        while (expr instanceof Expr.Parentheses parentheses) {
            expr = parentheses.of();
        }
        if (expr instanceof Expr.Text text) {
            return writer -> {
                writer.put("{\"resultType\":\"string\",\"result\":");
                writer.text(at.startMs(), text.value()).put("}");
            };
        } else if (expr.type() == ExprType.MATRIX && expr instanceof Expr.Selector selector) {
            return matrix(limited(Evaluator.matrix(selector, at.startMs(), series), limit, remarks));
        }
        List<Element> found = new ArrayList<>();
        Evaluator.run(expr, at, series, remarks, query, new Evaluator.Results() {
            @Override
            public void onScalar(long timeMs, double value) {
                found.add(new Element(Labels.NONE, value, null));
            }

            @Override
            public void onVector(long timeMs, List<Element> vector) {
                found.addAll(vector);
            }
        });
        if (expr.type() == ExprType.SCALAR) {
            return writer -> {
                writer.put("{\"resultType\":\"scalar\",\"result\":");
                writer.point(at.startMs(), found.get(0).value(), null);
                writer.put("}");
            };
        }
        List<Element> wanted = limited(found, limit, remarks);
        return writer -> vector(wanted, at.startMs(), writer);
    }

    /** The first of a list, as many as are wanted; all if the limit is 0. */
    private static <T> List<T> limited(List<T> found, int limit, Remarks remarks) {
        if (limit == 0 || found.size() <= limit) {
            return found;
        }
        remarks.warn(TRUNCATED);
        return found.subList(0, limit);
    }

    private static void vector(List<Element> vector, long timeMs, AnswerWriter writer) throws IOException {
        writer.put("{\"resultType\":\"vector\",\"result\":[");
        boolean any = false;
        for (Element element : vector) {
            writer.put(any ? ",{\"metric\":" : "{\"metric\":").labels(element.labels());
            any = true;
            writer.put(element.histogram() == null ? ",\"value\":" : ",\"histogram\":");
            writer.point(timeMs, element.value(), element.histogram());
            writer.put("}");
        }
        writer.put("]}");
    }

    private static PreparedAnswer matrix(List<StoredSeries.Samples> found) {
        return writer -> {
            writer.put("{\"resultType\":\"matrix\",\"result\":[");
            boolean any = false;
            for (StoredSeries.Samples samples : found) {
                boolean histograms = samples.histograms() != null;
                if (samples.timesMs().length == 0) {
                    continue;
                }
                writer.put(any ? ",{\"metric\":" : "{\"metric\":").labels(samples.labels());
                any = true;
                writer.put(histograms ? ",\"histograms\":[" : ",\"values\":[");
                for (int i = 0; i < samples.timesMs().length; i++) {
                    writer.put(i > 0 ? "," : "");
                    writer.point(
                            samples.timesMs()[i],
                            samples.values()[i],
                            samples.histograms() == null ? null : samples.histograms()[i]);
                }
                writer.put("]}");
            }
            writer.put("]}");
        };
    }

    private static PreparedAnswer range(Parameters in, SeriesQuery query, Remarks remarks) {
        Expr expr = in.query();
        Steps steps = in.range();
        if (expr.type() != ExprType.SCALAR && expr.type() != ExprType.VECTOR) {
            throw ApiFailure.badRequest("invalid parameter \"query\": invalid expression type \"" + expr.type()
                    + "\" for range query, must be Scalar or instant Vector");
        }
        in.requireLookback();
        int limit = in.limit();
        RangeAnswer answer = new RangeAnswer(query);
        Evaluator.run(expr, steps, new StoreSeries(query), remarks, query, answer);
        List<Labels> wanted = limited(answer.series(), limit, remarks);
        return writer -> answer.write(wanted, writer);
    }

    private PreparedAnswer labels(Parameters in, String label, SeriesQuery query, Remarks remarks) {
        List<List<Matcher>> selectors = in.selectors();
        if (this == SERIES && selectors.isEmpty()) {
            throw ApiFailure.badRequest("no match[] parameter provided");
        }
        long endMs = in.timeMs("end", Instant.now().toEpochMilli());
        long startMs = in.timeMs("start", Math.min(0, endMs));
        if (endMs < startMs) {
            throw ApiFailure.badRequest("invalid parameter \"end\": end timestamp must not be before start time");
        }
        int limit = in.limit();
        StoreSeries series = new StoreSeries(query);
        List<Selection> selections = (selectors.isEmpty() ? List.of(List.of(ANY)) : selectors)
                .stream()
                        // both ends belong to the time here
                        .map(each -> new Selection(each, Steps.at(endMs), endMs - startMs + 1, null))
                        .toList();
        if (this == SERIES) {
            LeastValues<Labels> found = new LeastValues<>(limit == 0 ? SERIES_MAX : limit, query, Labels::bytes);
            selections.forEach(each -> series.labels(each, null, found::add));
            if (found.isTruncated()) {
                remarks.warn(limit > 0 ? TRUNCATED : "more than " + SERIES_MAX + " series; limit gives more");
            }
            return list(found.values(), AnswerWriter::labels);
        }
        LeastValues<String> found = new LeastValues<>(limit, query, text -> TEXT_BYTES + 2L * text.length());
        selections.forEach(each -> {
            if (this == LABELS) {
                series.labels(each, null, labels -> labels.forEach((name, value) -> found.add(name)));
            } else {
                series.labels(each, label, labels -> {
                    if (!labels.get(label).isEmpty()) {
                        found.add(labels.get(label));
                    }
                });
            }
        });
        if (found.isTruncated()) {
            remarks.warn(TRUNCATED);
        }
        return list(found.values(), AnswerWriter::string);
    }

    private static <T> PreparedAnswer list(Iterable<T> values, BiConsumer<AnswerWriter, T> write) {
        return writer -> {
            writer.put("[");
            boolean any = false;
            for (T value : values) {
                writer.put(any ? "," : "");
                any = true;
                write.accept(writer, value);
                writer.flushIfLong();
            }
            writer.put("]");
        };
    }

    private static PreparedAnswer metadata(Parameters in, SeriesQuery query) {
        String metric = in.text("metric");
        int limit = in.limit();
        Map<String, Set<MetricMetadata.Entry>> found = new MetricMetadata(query).find();
        return writer -> {
            writer.put("{");
            int count = 0;
            for (Map.Entry<String, Set<MetricMetadata.Entry>> each : found.entrySet()) {
                boolean wanted = metric.isEmpty() || metric.equals(each.getKey());
                if (wanted && (limit == 0 || count < limit)) {
                    writer.put(count > 0 ? "," : "").string(each.getKey()).put(":[");
                    count++;
                    boolean any = false;
                    for (MetricMetadata.Entry entry : each.getValue()) {
                        writer.put(any ? ",{\"type\":" : "{\"type\":").string(entry.type());
                        any = true;
                        writer.put(",\"help\":").string(entry.help());
                        writer.put(",\"unit\":").string(entry.unit()).put("}");
                    }
                    writer.put("]");
                    writer.flushIfLong();
                }
            }
            writer.put("}");
        };
    }
}
