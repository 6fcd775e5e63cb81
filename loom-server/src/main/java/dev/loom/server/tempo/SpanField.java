package dev.loom.server.tempo;

import dev.loom.format.PayloadFormat;
import dev.loom.query.trace.TraceFields;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A field of spans as TraceQL names it.
 *
 * @param scope where it is
 * @param name of an attribute, or of an intrinsic field as a scope writes it, such as {@code duration}
 */
record SpanField(Scope scope, String name) {
    private static final String SPAN_PREFIX = "attr.";
    private static final String RESOURCE_PREFIX = "resource.";
    private static final String SERVICE = "service.name";

    /** The intrinsic fields that one span has. */
    static final List<String> INTRINSICS = List.of("duration", "kind", "name", "status", "statusMessage");

    /** Where a field is. */
    enum Scope {
        INTRINSIC,
        SPAN,
        RESOURCE,
        /** The span's attribute of that name or, where it has none, that of its resource. */
        ANY;

        /** As TraceQL writes it. */
        String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    boolean isIntrinsic(String intrinsic) {
        return scope == Scope.INTRINSIC && name.equals(intrinsic);
    }

    /**
     * Reads the name of a tag, as the paths of values have it: {@code resource.service.name}, {@code .service.name} or {@code status};
     * null if nothing of that name is known.
     */
    static @Nullable SpanField parse(String text) {
        if (text.startsWith("span.")) {
            return attribute(Scope.SPAN, text.substring("span.".length()));
        } else if (text.startsWith("resource.")) {
            return attribute(Scope.RESOURCE, text.substring("resource.".length()));
        } else if (text.startsWith(".")) {
            return attribute(Scope.ANY, text.substring(1));
        }
        return intrinsic(text);
    }

    private static @Nullable SpanField attribute(Scope scope, String name) {
        return name.isEmpty() ? null : new SpanField(scope, name);
    }

    /** An intrinsic field, {@code name} or {@code span:name}; null if it is none that is known. */
    static @Nullable SpanField intrinsic(String text) {
        String name = text.startsWith("span:") ? text.substring("span:".length()) : text;
        if (INTRINSICS.contains(name)) {
            return new SpanField(Scope.INTRINSIC, name);
        }
        return switch (text) {
            case "span:id", "span:parentID", "trace:id" -> new SpanField(Scope.INTRINSIC, text);
            default -> null;
        };
    }

    /** The fields of a format that hold it, those that count first. */
    List<String> names(PayloadFormat format) {
        return switch (scope) {
            case INTRINSIC -> of(format, intrinsicName());
            case SPAN -> of(format, attributes(format, SPAN_PREFIX));
            case RESOURCE -> resource(format);
            case ANY ->
                Stream.concat(of(format, attributes(format, SPAN_PREFIX)).stream(), resource(format).stream())
                        .distinct()
                        .toList();
        };
    }

    private List<String> resource(PayloadFormat format) {
        String service = name.equals(SERVICE) ? TraceFields.serviceField(format) : null;
        return service == null ? of(format, attributes(format, RESOURCE_PREFIX)) : List.of(service);
    }

    /** The name of an attribute in a format whose attributes have a prefix, or none. */
    private String attributes(PayloadFormat format, String prefix) {
        return format.fieldPrefixes().contains(SPAN_PREFIX) ? prefix + name : name;
    }

    private static List<String> of(PayloadFormat format, String field) {
        return format.field(field) == null ? List.of() : List.of(field);
    }

    private String intrinsicName() {
        return switch (name) {
            case "statusMessage" -> "status_message";
            case "span:id" -> "span_id";
            case "span:parentID" -> "parent_span_id";
            case "trace:id" -> "trace_id";
            default -> name;
        };
    }

    /** The attribute that a field of a format holds; null if it holds none. */
    static @Nullable SpanField attribute(PayloadFormat format, String field) {
        if (field.equals(TraceFields.serviceField(format))) {
            return new SpanField(Scope.RESOURCE, SERVICE);
        } else if (field.startsWith(RESOURCE_PREFIX)) {
            return attribute(Scope.RESOURCE, field.substring(RESOURCE_PREFIX.length()));
        } else if (field.startsWith(SPAN_PREFIX)) {
            return attribute(Scope.SPAN, field.substring(SPAN_PREFIX.length()));
        }
        boolean own = format.fieldPrefixes().contains(SPAN_PREFIX) || TraceFields.isOfSpans(field);
        return own ? null : new SpanField(Scope.SPAN, field);
    }
}
