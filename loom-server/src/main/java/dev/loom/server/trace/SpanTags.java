package dev.loom.server.trace;

import dev.loom.format.PayloadFormat;
import dev.loom.query.service.TracesRequest;
import dev.loom.query.trace.TraceFields;
import dev.loom.query.where.Where;
import dev.loom.query.where.Where.Comparison;
import dev.loom.query.where.Where.Literal;
import dev.loom.query.where.Where.Operator;
import dev.loom.query.where.Where.Or;
import dev.loom.server.request.SpanChoice;
import dev.loom.server.request.SpanTexts;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Spans by tags, which are attributes of the span or its resource, and what other systems show as tags: {@code error}, {@code span.kind}
 * and the like.
 *
 * @param spans what is asked for besides
 * @param tags by name
 */
public record SpanTags(SpanTexts spans, Map<String, String> tags) implements SpanChoice {
    private static final String ERROR = "error";
    private static final String STATUS = "otel.status_code";

    /** Tags that are fields of spans, by their names. */
    private static final Map<String, String> FIELDS = Map.of(
            "span.kind",
            "kind",
            STATUS,
            "status",
            "otel.status_description",
            "status_message",
            "otel.scope.name",
            "scope.name",
            "otel.scope.version",
            "scope.version",
            "w3c.tracestate",
            "trace_state");

    public SpanTags {
        tags = Map.copyOf(tags);
    }

    @Override
    public void check() {
        spans.check();
    }

    @Override
    public TracesRequest.Took took() {
        return spans.took();
    }

    @Override
    public List<Where> conditions(PayloadFormat format) {
        List<Where> conditions = new ArrayList<>(spans.conditions(format));
        tags.forEach((key, value) -> conditions.add(condition(format, key, value)));
        return conditions;
    }

    private static Where condition(PayloadFormat format, String key, String value) {
        String field = FIELDS.get(key);
        if (key.equals(STATUS) && value.equalsIgnoreCase(ERROR)) {
            return TraceFields.error();
        } else if (field != null && format.field(field) != null) {
            return new Comparison(field, Operator.EQUAL, new Literal.Text(value));
        } else if (key.equals(ERROR) && value.equals("true")) {
            return error(format);
        }
        return TraceFields.attribute(format, key, value);
    }

    /** The status, or an attribute of that name. */
    private static Where error(PayloadFormat format) {
        try {
            return new Or(List.of(TraceFields.error(), TraceFields.attribute(format, ERROR, "true")));
        } catch (IllegalArgumentException e) {
            return TraceFields.error();
        }
    }
}
