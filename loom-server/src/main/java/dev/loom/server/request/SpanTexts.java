package dev.loom.server.request;

import dev.loom.format.PayloadFormat;
import dev.loom.query.service.RequestException;
import dev.loom.query.service.TracesRequest;
import dev.loom.query.trace.TraceFields;
import dev.loom.query.where.Where;
import dev.loom.query.where.Where.Literal.Numeric;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The spans that are asked for, as options and JSON hold it; null is what was not asked for. All of it must hold of one span.
 *
 * @param minDuration a duration, as expressions write it
 * @param maxDuration the same
 * @param error whether its status is an error
 * @param attributes such as {@code http.route=/cart}
 * @param where expressions over the fields of its source
 */
public record SpanTexts(
        @Nullable String service,
        @Nullable String name,
        @Nullable String minDuration,
        @Nullable String maxDuration,
        boolean error,
        List<String> attributes,
        List<String> where)
        implements SpanChoice {
    private static final String MIN = "min-duration";
    private static final String MAX = "max-duration";
    private static final String ATTRIBUTE = "attribute";

    public SpanTexts {
        attributes = List.copyOf(attributes);
        where = List.copyOf(where);
    }

    @Override
    public void check() {
        took();
        attributes.forEach(SpanTexts::key);
        RequestTexts.conditions(where);
    }

    /** How long the spans took; as conditions too where the format declares it, as an index may hold it. */
    @Override
    public TracesRequest.Took took() {
        return new TracesRequest.Took(
                minDuration == null
                        ? Long.MIN_VALUE
                        : RequestTexts.duration(MIN, minDuration).toNanos(),
                maxDuration == null
                        ? Long.MAX_VALUE
                        : RequestTexts.duration(MAX, maxDuration).toNanos());
    }

    private static Numeric nanoseconds(String part, String text) {
        return Numeric.parse(RequestTexts.duration(part, text).toNanos() + "ns");
    }

    private static String key(String attribute) {
        int equals = attribute.indexOf('=');
        if (equals <= 0) {
            throw new RequestException(ATTRIBUTE, " is not KEY=VALUE: " + attribute + "; for example http.route=/cart");
        }
        return attribute.substring(0, equals);
    }

    @Override
    public List<Where> conditions(PayloadFormat format) {
        List<Where> conditions = new ArrayList<>();
        if (service != null) {
            conditions.add(TraceFields.service(format, service));
        }
        if (name != null) {
            conditions.add(TraceFields.name(name));
        }
        if (minDuration != null && TraceFields.declareDuration(format)) {
            conditions.add(TraceFields.duration(true, nanoseconds(MIN, minDuration)));
        }
        if (maxDuration != null && TraceFields.declareDuration(format)) {
            conditions.add(TraceFields.duration(false, nanoseconds(MAX, maxDuration)));
        }
        if (error) {
            conditions.add(TraceFields.error());
        }
        for (String attribute : attributes) {
            String key = key(attribute);
            conditions.add(TraceFields.attribute(format, key, attribute.substring(key.length() + 1)));
        }
        conditions.addAll(RequestTexts.conditions(where));
        return conditions;
    }
}
