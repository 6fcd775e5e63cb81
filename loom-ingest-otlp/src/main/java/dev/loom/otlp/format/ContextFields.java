package dev.loom.otlp.format;

import dev.loom.format.Field;
import dev.loom.format.FieldTerms;
import dev.loom.format.PayloadFormat;
import dev.loom.otlp.wire.CommonTags.InstrumentationScope;
import dev.loom.otlp.wire.CommonTags.Resource;
import dev.loom.otlp.wire.ExportTags.ResourceEnvelope;
import dev.loom.otlp.wire.ExportTags.ScopeEnvelope;
import dev.loom.otlp.wire.MetricTags.Data;
import dev.loom.otlp.wire.MetricTags.Metric;

/** The fields of a context, as its own, and as fields of the records that refer to it. */
final class ContextFields {
    static final FieldTerms TRACE_ID = FieldTerms.hexadecimal(32);
    static final FieldTerms SPAN_ID = FieldTerms.hexadecimal(16);

    static final String SERVICE_NAME = "service.name";
    static final String RESOURCE_PREFIX = "resource.";

    static final PayloadFormat FORMAT = addMetric(
                    addShared(new OtlpFormat(OtlpFormatProvider.CONTEXT, null), Part.PAYLOAD), Part.PAYLOAD)
            .columns("service.name", "scope.name", "name", "kind", "unit", "resource");

    private ContextFields() {}

    /** Adds the fields of resource and scope. */
    static OtlpFormat addShared(OtlpFormat format, Part part) {
        return format.field(
                        SERVICE_NAME,
                        Field.Type.ANY,
                        AnyField.ofKey(part, SERVICE_NAME, ResourceEnvelope.RESOURCE, Resource.ATTRIBUTES))
                .field(
                        "resource",
                        Field.Type.JSON,
                        new PairsField(part, ResourceEnvelope.RESOURCE, Resource.ATTRIBUTES))
                .field(
                        "scope.name",
                        Field.Type.UTF8,
                        new WireField(
                                part,
                                Form.TEXT,
                                ResourceEnvelope.SCOPES,
                                ScopeEnvelope.SCOPE,
                                InstrumentationScope.NAME))
                .field(
                        "scope.version",
                        Field.Type.UTF8,
                        new WireField(
                                part,
                                Form.TEXT,
                                ResourceEnvelope.SCOPES,
                                ScopeEnvelope.SCOPE,
                                InstrumentationScope.VERSION))
                .field(
                        "scope.attributes",
                        Field.Type.JSON,
                        new PairsField(
                                part, ResourceEnvelope.SCOPES, ScopeEnvelope.SCOPE, InstrumentationScope.ATTRIBUTES))
                .prefix(
                        RESOURCE_PREFIX,
                        "resource",
                        key -> AnyField.ofKey(part, key, ResourceEnvelope.RESOURCE, Resource.ATTRIBUTES))
                .prefix(
                        "scope.attr.",
                        "scope.attributes",
                        key -> AnyField.ofKey(
                                part,
                                key,
                                ResourceEnvelope.SCOPES,
                                ScopeEnvelope.SCOPE,
                                InstrumentationScope.ATTRIBUTES));
    }

    /** Adds the fields of a metric. */
    static OtlpFormat addMetric(OtlpFormat format, Part part) {
        return format.field("name", Field.Type.UTF8, ofMetric(part, Form.TEXT, Metric.NAME))
                .field("description", Field.Type.UTF8, ofMetric(part, Form.TEXT, Metric.DESCRIPTION))
                .field("unit", Field.Type.UTF8, ofMetric(part, Form.TEXT, Metric.UNIT))
                .field("kind", Field.Type.UTF8, MetricKind.reader(part), MetricKind.TERMS)
                .field(
                        "temporality",
                        Field.Type.UTF8,
                        new PointField(part)
                                .with(temporality(part, Metric.SUM), MetricKind.SUM)
                                .with(temporality(part, Metric.HISTOGRAM), MetricKind.HISTOGRAM)
                                .with(
                                        temporality(part, Metric.EXPONENTIAL_HISTOGRAM),
                                        MetricKind.EXPONENTIAL_HISTOGRAM),
                        EnumText.TEMPORALITY.terms())
                .field(
                        "monotonic",
                        Field.Type.BOOL,
                        new PointField(part)
                                .with(ofMetric(part, Form.BOOL, Metric.SUM, Data.IS_MONOTONIC), MetricKind.SUM));
    }

    private static WireField temporality(Part part, int kindTag) {
        return ofMetric(part, Form.TEMPORALITY, kindTag, Data.AGGREGATION_TEMPORALITY);
    }

    private static WireField ofMetric(Part part, Form form, int... within) {
        int[] path = new int[within.length + 2];
        path[0] = ResourceEnvelope.SCOPES;
        path[1] = ScopeEnvelope.ITEMS;
        System.arraycopy(within, 0, path, 2, within.length);
        return new WireField(part, form, path);
    }
}
