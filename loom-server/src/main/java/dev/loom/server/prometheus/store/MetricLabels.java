package dev.loom.server.prometheus.store;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The labels of a metric of OTLP: {@code job} and {@code instance} of the resource, all its other attributes, the scope's name,
 * version and attributes, and the attributes of the point, which win where names meet.
 */
final class MetricLabels {
    private static final String SERVICE_NAME = "service.name";
    private static final String SERVICE_NAMESPACE = "service.namespace";
    private static final String SERVICE_INSTANCE = "service.instance.id";

    private MetricLabels() {}

    static Map<String, String> of(
            Map<String, String> attributes,
            Map<String, String> resource,
            String scopeName,
            String scopeVersion,
            Map<String, String> scope) {
        Map<String, String> others = new TreeMap<>(resource);
        String name = text(others.remove(SERVICE_NAME));
        String namespace = text(others.remove(SERVICE_NAMESPACE));
        String instance = text(others.remove(SERVICE_INSTANCE));
        Map<String, String> labels = new TreeMap<>(mangled("", others));
        labels.putAll(mangled("otel_scope_", scope));
        labels.put("otel_scope_name", scopeName);
        labels.put("otel_scope_version", scopeVersion);
        labels.putAll(mangled("", attributes));
        if (!name.isEmpty()) {
            labels.put("job", namespace.isEmpty() ? name : namespace + "/" + name);
        }
        if (!instance.isEmpty()) {
            labels.put("instance", instance);
        }
        return labels;
    }

    private static String text(@Nullable String value) {
        return value == null ? "" : value;
    }

    /** Attributes by label; the values of those that have one label are joined, in the order of their keys. */
    private static Map<String, String> mangled(String prefix, Map<String, String> attributes) {
        Map<String, String> labels = new TreeMap<>();
        new TreeMap<>(attributes).forEach((key, value) -> {
            String label = OtlpNames.label(prefix + key);
            if (!label.isEmpty()) {
                labels.merge(label, value, (first, next) -> first + ";" + next);
            }
        });
        return labels;
    }
}
