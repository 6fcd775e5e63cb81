package dev.loom.otlp.format;

import static dev.loom.format.Field.Type.ANY;
import static dev.loom.format.Field.Type.F64;
import static dev.loom.format.Field.Type.JSON;
import static dev.loom.format.Field.Type.U32;
import static dev.loom.format.Field.Type.U64;

import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.format.PayloadFormat;
import dev.loom.otlp.wire.MetricTags.Exemplar;
import dev.loom.otlp.wire.MetricTags.ExponentialHistogramDataPoint;
import dev.loom.otlp.wire.MetricTags.HistogramDataPoint;
import dev.loom.otlp.wire.MetricTags.NumberDataPoint;
import dev.loom.otlp.wire.MetricTags.SummaryDataPoint;
import dev.loom.otlp.wire.MetricTags.ValueAtQuantile;
import dev.loom.otlp.wire.WireReader;
import java.util.function.IntFunction;
import org.agrona.DirectBuffer;

/** The fields of a data point of any kind of metric; the metric itself is in the context. */
final class MetricFields {
    static final PayloadFormat FORMAT = ContextFields.addShared(own(), Part.CONTEXT)
            .columns("service.name", "name", "value", "unit", "count", "sum", "attributes");

    private MetricFields() {}

    private static OtlpFormat own() {
        return ContextFields.addMetric(new OtlpFormat(OtlpFormatProvider.METRIC, "time"), Part.CONTEXT)
                .time(
                        "time",
                        ofAll(
                                tag -> WireField.of(Form.TIME, tag),
                                NumberDataPoint.TIME_UNIX_NANO,
                                HistogramDataPoint.TIME_UNIX_NANO,
                                ExponentialHistogramDataPoint.TIME_UNIX_NANO,
                                SummaryDataPoint.TIME_UNIX_NANO))
                .time(
                        "start",
                        ofAll(
                                tag -> WireField.of(Form.TIME, tag),
                                NumberDataPoint.START_TIME_UNIX_NANO,
                                HistogramDataPoint.START_TIME_UNIX_NANO,
                                ExponentialHistogramDataPoint.START_TIME_UNIX_NANO,
                                SummaryDataPoint.START_TIME_UNIX_NANO))
                .field("value", ANY, field().with(MetricFields::readValue, MetricKind.GAUGE, MetricKind.SUM))
                .field(
                        "count",
                        U64,
                        ofHistograms(Form.NUMBER64, HistogramDataPoint.COUNT, ExponentialHistogramDataPoint.COUNT)
                                .with(WireField.of(Form.NUMBER64, SummaryDataPoint.COUNT), MetricKind.SUMMARY))
                .field(
                        "sum",
                        F64,
                        ofHistograms(Form.OPTIONAL_DOUBLE, HistogramDataPoint.SUM, ExponentialHistogramDataPoint.SUM)
                                .with(WireField.of(Form.DOUBLE, SummaryDataPoint.SUM), MetricKind.SUMMARY))
                .field(
                        "min",
                        F64,
                        ofHistograms(Form.OPTIONAL_DOUBLE, HistogramDataPoint.MIN, ExponentialHistogramDataPoint.MIN))
                .field(
                        "max",
                        F64,
                        ofHistograms(Form.OPTIONAL_DOUBLE, HistogramDataPoint.MAX, ExponentialHistogramDataPoint.MAX))
                .field(
                        "buckets",
                        JSON,
                        field().with(Buckets.EXPLICIT, MetricKind.HISTOGRAM)
                                .with(Buckets.EXPONENTIAL, MetricKind.EXPONENTIAL_HISTOGRAM))
                .field("quantiles", JSON, field().with(quantiles(), MetricKind.SUMMARY))
                .field(
                        "exemplars",
                        JSON,
                        field().with(exemplars(NumberDataPoint.EXEMPLARS), MetricKind.GAUGE, MetricKind.SUM)
                                .with(exemplars(HistogramDataPoint.EXEMPLARS), MetricKind.HISTOGRAM)
                                .with(
                                        exemplars(ExponentialHistogramDataPoint.EXEMPLARS),
                                        MetricKind.EXPONENTIAL_HISTOGRAM))
                .field(
                        "flags",
                        U32,
                        ofAll(
                                tag -> WireField.of(Form.NUMBER, tag),
                                NumberDataPoint.FLAGS,
                                HistogramDataPoint.FLAGS,
                                ExponentialHistogramDataPoint.FLAGS,
                                SummaryDataPoint.FLAGS))
                .field("attributes", JSON, ofAttributes(tag -> new PairsField(Part.MESSAGE, tag)))
                .prefix("attr.", "attributes", key -> ofAttributes(tag -> AnyField.ofKey(Part.MESSAGE, key, tag)));
    }

    /** Reads the number of a gauge or sum point, an integer or a double as sent. */
    private static void readValue(DirectBuffer buffer, int offset, int length, FieldValue into) {
        ReadState state = ReadState.of(into);
        into.setAbsent();
        if (!state.wrap(Part.MESSAGE, buffer, offset, length, into)) {
            return;
        }
        WireReader reader = state.reader;
        while (reader.next()) {
            if (reader.tag() == NumberDataPoint.AS_DOUBLE) {
                into.setDouble(reader.doubleValue());
            } else if (reader.tag() == NumberDataPoint.AS_INT) {
                into.setInteger(reader.value());
            }
        }
        if (reader.failure() != null) {
            into.setAbsent();
        }
    }

    private static PointField field() {
        return new PointField(Part.CONTEXT);
    }

    private static PointField ofAll(
            IntFunction<FieldReader> reader, int number, int histogram, int exponential, int summary) {
        return field().with(reader.apply(number), MetricKind.GAUGE, MetricKind.SUM)
                .with(reader.apply(histogram), MetricKind.HISTOGRAM)
                .with(reader.apply(exponential), MetricKind.EXPONENTIAL_HISTOGRAM)
                .with(reader.apply(summary), MetricKind.SUMMARY);
    }

    private static PointField ofHistograms(Form form, int histogram, int exponential) {
        return field().with(WireField.of(form, histogram), MetricKind.HISTOGRAM)
                .with(WireField.of(form, exponential), MetricKind.EXPONENTIAL_HISTOGRAM);
    }

    private static PointField ofAttributes(IntFunction<FieldReader> reader) {
        return ofAll(
                reader,
                NumberDataPoint.ATTRIBUTES,
                HistogramDataPoint.ATTRIBUTES,
                ExponentialHistogramDataPoint.ATTRIBUTES,
                SummaryDataPoint.ATTRIBUTES);
    }

    private static ObjectsField quantiles() {
        return new ObjectsField(
                SummaryDataPoint.QUANTILE_VALUES,
                new Member("quantile", Member.Type.DOUBLE_OR_ZERO, ValueAtQuantile.QUANTILE),
                new Member("value", Member.Type.DOUBLE_OR_ZERO, ValueAtQuantile.VALUE));
    }

    private static ObjectsField exemplars(int tag) {
        return new ObjectsField(
                tag,
                new Member("time", Member.Type.TIME, Exemplar.TIME_UNIX_NANO),
                new Member("value", Member.Type.DOUBLE, Exemplar.AS_DOUBLE),
                new Member("value", Member.Type.INTEGER, Exemplar.AS_INT),
                new Member("trace_id", Member.Type.TRACE_ID, Exemplar.TRACE_ID),
                new Member("span_id", Member.Type.SPAN_ID, Exemplar.SPAN_ID),
                new Member("attributes", Member.Type.PAIRS, Exemplar.FILTERED_ATTRIBUTES));
    }
}
