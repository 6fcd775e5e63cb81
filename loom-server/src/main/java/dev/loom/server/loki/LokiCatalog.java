package dev.loom.server.loki;

import dev.loom.query.model.TimeRange;
import dev.loom.server.http.ApiFailure;
import dev.loom.server.http.HttpCall;
import dev.loom.server.http.StoreQueries;
import dev.loom.server.loki.LogQl.Match;
import dev.loom.server.loki.LogQl.Matcher;
import dev.loom.server.loki.LogQl.Selection;
import dev.loom.server.loki.LokiSession.Selected;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Answers what labels, values, streams and fields there are. Usable from any thread. */
final class LokiCatalog {
    private static final Selection ALL =
            new Selection(List.of(new Matcher(Streams.SOURCE, Match.REGEX, ".+", 0)), List.of());
    private static final int SELECTIONS_MAX = 16;
    private static final int FIELDS_DEFAULT = 1_000;

    private final StoreQueries queries;

    LokiCatalog(StoreQueries queries) {
        this.queries = queries;
    }

    /** What is done with one session. */
    private interface Work {
        Map<String, Object> run(LokiSession session);
    }

    private Map<String, Object> answer(HttpCall call, String query, Work work) {
        return queries.run(
                call::cancelled,
                session -> session.read((store, snapshot) -> {
                    LokiSession asked = new LokiSession(query, session, store, snapshot, queries.limits());
                    Map<String, Object> answer = new LinkedHashMap<>(work.run(asked));
                    if (!asked.report().warnings().isEmpty()) {
                        answer.put("warnings", asked.report().warnings());
                    }
                    return answer;
                }));
    }

    private static Map<String, Object> success(Object data) {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("status", "success");
        answer.put("data", data);
        return answer;
    }

    private static Selection selection(LokiParameters in) {
        return in.text("query").isBlank() ? ALL : LogQlParser.parseSelection(in.query());
    }

    /** {@code labels}: those that streams can have. */
    Map<String, Object> labels(HttpCall call) {
        LokiParameters in = new LokiParameters(call);
        in.range();
        Selection selection = selection(in);
        return answer(call, in.text("query"), session -> {
            Set<String> labels = new TreeSet<>();
            session.select(selection)
                    .forEach(source -> labels.addAll(source.of().labels()));
            return success(List.copyOf(labels));
        });
    }

    /** {@code label/NAME/values}. */
    Map<String, Object> values(HttpCall call, String label) {
        LokiParameters in = new LokiParameters(call);
        Selection selection = selection(in);
        TimeRange range = in.range();
        return answer(call, in.text("query"), session -> {
            Set<String> values = new TreeSet<>();
            if (label.equals(Streams.SOURCE)) {
                session.select(selection).stream()
                        .filter(source -> session.hasRecords(source, range))
                        .forEach(source -> values.add(source.of().source().name()));
            } else if (LogQl.STREAM_LABELS.contains(label)) {
                for (Map<String, String> stream : session.streams(selection, range, List.of(label))) {
                    values.addAll(stream.values());
                }
            }
            return success(values.stream().limit(LokiLimits.VALUES_MAX).toList());
        });
    }

    /** {@code series}: the streams of selections. */
    Map<String, Object> series(HttpCall call) {
        LokiParameters in = new LokiParameters(call);
        TimeRange range = in.range();
        List<String> texts = in.texts("match[]", "match");
        if (texts.size() > SELECTIONS_MAX) {
            throw ApiFailure.badRequest("too many selections: match[]=" + texts.size() + ", max=" + SELECTIONS_MAX);
        }
        List<Selection> selections = new ArrayList<>();
        texts.stream()
                .filter(text -> !text.equals("{}"))
                .forEach(text -> selections.add(LogQlParser.parseSelection(text)));
        if (selections.isEmpty()) {
            selections.add(ALL);
        }
        return answer(call, "", session -> {
            Set<Map<String, String>> streams = new LinkedHashSet<>();
            selections.forEach(selection -> streams.addAll(session.streams(selection, range, LogQl.STREAM_LABELS)));
            return success(List.copyOf(streams));
        });
    }

    /** {@code index/stats}. */
    Map<String, Object> stats(HttpCall call) {
        LokiParameters in = new LokiParameters(call);
        String query = in.query();
        Selection selection = LogQlParser.parseSelection(query);
        TimeRange range = in.range();
        return answer(call, query, session -> {
            long entries = 0;
            long bytes = 0;
            int sources = 0;
            for (Selected source : session.select(selection)) {
                long count = session.count(source, range);
                entries += count;
                bytes += Math.round(count * session.meanLength(source.of().source()));
                sources += count > 0 ? 1 : 0;
            }
            Set<Map<String, String>> streams = session.streams(selection, range, LogQl.STREAM_LABELS);
            Map<String, Object> stats = new LinkedHashMap<>();
            stats.put("streams", streams.size());
            stats.put("chunks", sources);
            stats.put("bytes", bytes);
            stats.put("entries", entries);
            return stats;
        });
    }

    /** {@code detected_labels}: the labels of streams, with how many values each has. */
    Map<String, Object> detectedLabels(HttpCall call) {
        LokiParameters in = new LokiParameters(call);
        Selection selection = selection(in);
        TimeRange range = in.range();
        return answer(call, in.text("query"), session -> {
            Map<String, Set<String>> values = new TreeMap<>();
            session.streams(selection, range, LogQl.STREAM_LABELS)
                    .forEach(stream ->
                            stream.forEach((label, value) -> values.computeIfAbsent(label, added -> new TreeSet<>())
                                    .add(value)));
            List<Map<String, Object>> labels = new ArrayList<>();
            values.forEach(
                    (label, found) -> labels.add(new TreeMap<>(Map.of("label", label, "cardinality", found.size()))));
            return Map.of("detectedLabels", labels);
        });
    }

    /**
     * {@code detected_fields} of the newest lines, or the values of one of them.
     *
     * @param label empty for all
     */
    Map<String, Object> detectedFields(HttpCall call, String label) {
        LokiParameters in = new LokiParameters(call);
        String query = in.query();
        Selection selection = LogQlParser.parseSelection(query);
        TimeRange range = in.range();
        int lines = in.limit("line_limit", LokiLimits.LINES_DEFAULT, LokiLimits.LINES_MAX);
        int limit =
                in.limit(in.text("limit").isEmpty() ? "field_limit" : "limit", FIELDS_DEFAULT, LokiLimits.LINES_MAX);
        return answer(call, query, session -> {
            DetectedFields fields = new DetectedFields(session.memory());
            fields.read(session, selection, range, lines);
            return label.isEmpty() ? fields.fields(limit) : fields.values(label, limit);
        });
    }
}
