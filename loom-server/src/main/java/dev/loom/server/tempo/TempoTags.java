package dev.loom.server.tempo;

import dev.loom.api.Source;
import dev.loom.format.FieldValue;
import dev.loom.query.where.Where;
import dev.loom.server.http.ApiFailure;
import dev.loom.server.http.HttpCall;
import dev.loom.server.http.StoreQueries;
import dev.loom.server.json.JsonText;
import dev.loom.server.tempo.SpanField.Scope;
import dev.loom.server.trace.SpanQueries;
import dev.loom.server.trace.SpanTimes;
import dev.loom.server.trace.TraceParameters;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Names and values of tags: attributes of spans and their resources. Usable from any thread. */
final class TempoTags {
    private static final int VALUES_LIMIT = 1_000;
    private static final int VALUES_LIMIT_MAX = 10_000;
    private static final long VALUE_BYTES = 200;
    private static final String INTRINSIC = "intrinsic";

    private final StoreQueries queries;

    TempoTags(StoreQueries queries) {
        this.queries = queries;
    }

    /** The names of tags, as far as the newest spans have them; in the second version by scope. */
    void names(HttpCall call, boolean v2) {
        TraceParameters in = new TraceParameters(call);
        String scope = in.text("scope");
        condition(in);
        TempoApi.times(in);
        ignoreLimits(in);
        in.end();
        if (scope != null && !List.of("none", "span", "resource", INTRINSIC).contains(scope)) {
            throw ApiFailure.badRequest("scope is not one of none, span, resource, intrinsic: " + scope);
        }
        SpanQueries.ask(queries, call, spans -> {
            Map<Scope, TreeSet<String>> names = new EnumMap<>(Scope.class);
            List.of(Scope.RESOURCE, Scope.SPAN).forEach(each -> names.put(each, new TreeSet<>()));
            for (Source source : spans.sources()) {
                for (String field : spans.fields(source)) {
                    SpanField found = SpanField.attribute(source.format(), field);
                    if (found != null) {
                        names.computeIfAbsent(found.scope(), each -> new TreeSet<>())
                                .add(found.name());
                    }
                }
            }
            Map<String, List<String>> scopes = new LinkedHashMap<>();
            names.forEach((each, found) -> scopes.put(each.text(), List.copyOf(found)));
            scopes.put(INTRINSIC, SpanField.INTRINSICS);
            scopes.keySet().removeIf(each -> scope != null && !scope.equals("none") && !scope.equals(each));
            send(call, spans, v2 ? "scopes" : "tagNames", v2 ? scoped(scopes) : flat(scopes));
        });
    }

    private static List<Object> scoped(Map<String, List<String>> scopes) {
        List<Object> rows = new ArrayList<>();
        scopes.forEach((name, tags) -> {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("name", name);
            row.put("tags", tags);
            rows.add(row);
        });
        return rows;
    }

    private static List<String> flat(Map<String, List<String>> scopes) {
        return scopes.values().stream()
                .flatMap(List::stream)
                .distinct()
                .sorted()
                .toList();
    }

    /** The values of a tag, the most frequent of each source. */
    void values(String tag, boolean v2, HttpCall call) {
        SpanField named = SpanField.parse(tag);
        SpanField field = named == null && !v2 && !tag.isEmpty() ? new SpanField(Scope.ANY, tag) : named;
        if (field == null) {
            throw ApiFailure.badRequest("not a tag that is supported: " + tag + "; for example resource.service.name");
        }
        TraceParameters in = new TraceParameters(call);
        TraceQl query = condition(in);
        SpanTimes times = TempoApi.times(in);
        Long limit = in.number("limit", 0, VALUES_LIMIT_MAX);
        ignoreLimits(in);
        in.end();
        int limitOrDefault = limit == null || limit == 0 ? VALUES_LIMIT : limit.intValue();
        SpanQueries.ask(queries, call, spans -> {
            TreeSet<TagValue> values = new TreeSet<>();
            for (Source source : spans.sources()) {
                List<Where> conditions = conditions(query, source);
                if (conditions == null) {
                    continue;
                }
                for (String name : field.names(source.format())) {
                    spans.values(source, List.of(name), conditions, times, limitOrDefault, key -> {
                        forEachAskable(key.get(0), each -> {
                            TagValue value = TagValue.of(field, each);
                            if (values.size() < limitOrDefault && values.add(value)) {
                                spans.memory()
                                        .reserve(VALUE_BYTES + 2L * value.text().length());
                            }
                        });
                    });
                }
            }
            send(call, spans, "tagValues", v2 ? typed(values) : texts(values));
        });
    }

    /** Hands over what a query can ask of a value: itself, or each element of an array; nothing of an object, or of bytes that are no text. */
    private static void forEachAskable(FieldValue value, Consumer<FieldValue> each) {
        switch (value.kind()) {
            case ABSENT -> {}
            case JSON -> {
                FieldValue.JsonView elements = new FieldValue.JsonView();
                FieldValue element = new FieldValue();
                elements.elementsOf(value);
                while (elements.next(element)) {
                    forEachAskable(element, each);
                }
            }
            case BYTES -> {
                byte[] bytes = new byte[value.length()];
                value.bytes().getBytes(value.offset(), bytes);
                if (Arrays.equals(bytes, value.text().getBytes(StandardCharsets.UTF_8))) {
                    each.accept(value);
                }
            }
            default -> each.accept(value);
        }
    }

    /** Null if the source has no such field. */
    private static @Nullable List<Where> conditions(TraceQl query, Source source) {
        try {
            List<Where> conditions = query.conditions(source.format());
            conditions.forEach(condition -> condition.bind(source.format()));
            return conditions;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static TraceQl condition(TraceParameters in) {
        String query = in.text("q");
        try {
            return TraceQl.parse(query == null ? "" : query);
        } catch (TraceQlException e) {
            throw ApiFailure.badRequest(String.valueOf(e.getMessage()));
        }
    }

    private static void ignoreLimits(TraceParameters in) {
        in.text("limit");
        in.text("maxStaleValues");
    }

    private static List<Object> typed(Set<TagValue> values) {
        List<Object> rows = new ArrayList<>();
        values.forEach(value -> {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("type", value.type());
            row.put("value", value.text());
            rows.add(row);
        });
        return rows;
    }

    private static List<String> texts(Set<TagValue> values) {
        return values.stream().map(TagValue::text).distinct().toList();
    }

    /** A value as queries write it, except for quotes. */
    private record TagValue(String text, String type) implements Comparable<TagValue> {
        private static final String DURATION = "duration";

        static TagValue of(SpanField field, FieldValue value) {
            if (field.isIntrinsic("status") || field.isIntrinsic("kind")) {
                return new TagValue(value.text(), "keyword");
            } else if (field.isIntrinsic(DURATION)) {
                return new TagValue(value.text() + "ns", DURATION);
            }
            String type = switch (value.kind()) {
                case INTEGER, UNSIGNED -> "int";
                case DOUBLE -> "float";
                case BOOLEAN -> "bool";
                default -> "string";
            };
            return new TagValue(value.text(), type);
        }

        @Override
        public int compareTo(TagValue other) {
            int byText = text.compareTo(other.text);
            return byText == 0 ? type.compareTo(other.type) : byText;
        }
    }

    private static void send(HttpCall call, SpanQueries spans, String name, Object values) throws IOException {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put(name, values);
        List<String> warnings = spans.warnings();
        answer.put("metrics", TempoApi.metrics(spans, warnings));
        TempoApi.put(answer, warnings);
        TempoApi.send(call, TempoApi.JSON, JsonText.line(answer).toByteArray());
    }
}
