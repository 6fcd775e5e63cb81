package dev.loom.otlp.format;

import com.google.protobuf.ByteString;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.ArrayValue;
import io.opentelemetry.proto.common.v1.InstrumentationScope;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.common.v1.KeyValueList;
import io.opentelemetry.proto.logs.v1.LogRecord;
import io.opentelemetry.proto.metrics.v1.Exemplar;
import io.opentelemetry.proto.metrics.v1.ExponentialHistogram;
import io.opentelemetry.proto.metrics.v1.ExponentialHistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.Gauge;
import io.opentelemetry.proto.metrics.v1.Histogram;
import io.opentelemetry.proto.metrics.v1.HistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import io.opentelemetry.proto.metrics.v1.Sum;
import io.opentelemetry.proto.metrics.v1.Summary;
import io.opentelemetry.proto.metrics.v1.SummaryDataPoint;
import io.opentelemetry.proto.resource.v1.Resource;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Random records of OTLP, of which each field is missing now and then, and has odd values now and then. */
final class OtlpRecords {
    private static final String[] TEXTS = {"", "GET /x", "a\"b\\c\n\u0001\u007f", "höhe €😀", "service", "x".repeat(300)
    };
    private static final double[] DOUBLES = {0, -0.0, 0.5, 1e300, Double.NaN, Double.NEGATIVE_INFINITY, 1.0 / 3};

    private final Random random;

    OtlpRecords(Random random) {
        this.random = random;
    }

    private boolean maybe() {
        return random.nextInt(4) > 0;
    }

    private String text() {
        return TEXTS[random.nextInt(TEXTS.length)];
    }

    private double number() {
        return DOUBLES[random.nextInt(DOUBLES.length)];
    }

    private long time() {
        return random.nextInt(20) == 0 ? random.nextLong() : 1_700_000_000_000_000_000L + random.nextInt(1_000_000);
    }

    private int count() {
        return random.nextInt(10) == 0 ? random.nextInt() : random.nextInt(5);
    }

    private ByteString id(int length) {
        byte[] bytes = new byte[random.nextInt(8) == 0 ? random.nextInt(20) : length];
        if (random.nextInt(8) > 0) {
            random.nextBytes(bytes);
        }
        return ByteString.copyFrom(bytes);
    }

    AnyValue any(int depth) {
        AnyValue.Builder any = AnyValue.newBuilder();
        switch (random.nextInt(depth > 3 ? 6 : 9)) {
            case 0 -> any.setBoolValue(random.nextBoolean());
            case 1 -> any.setIntValue(random.nextLong() >> random.nextInt(64));
            case 2 -> any.setDoubleValue(number());
            case 3 -> any.setBytesValue(id(random.nextInt(10)));
            case 4 -> {}
            case 6 -> {
                ArrayValue.Builder array = ArrayValue.newBuilder();
                for (int i = random.nextInt(4); i > 0; i--) {
                    array.addValues(any(depth + 1));
                }
                any.setArrayValue(array);
            }
            case 7 -> any.setKvlistValue(KeyValueList.newBuilder().addAllValues(pairs(depth + 1)));
            default -> any.setStringValue(text());
        }
        return any.build();
    }

    List<KeyValue> pairs(int depth) {
        List<KeyValue> pairs = new ArrayList<>();
        for (int i = random.nextInt(5); i > 0; i--) {
            KeyValue.Builder pair = KeyValue.newBuilder().setKey((i == 1 ? text() : "http.route") + i);
            if (random.nextInt(10) > 0) {
                pair.setValue(any(depth));
            }
            pairs.add(pair.build());
        }
        return pairs;
    }

    LogRecord log() {
        LogRecord.Builder log = LogRecord.newBuilder().addAllAttributes(pairs(0));
        if (maybe()) {
            log.setTimeUnixNano(time()).setSeverityNumberValue(random.nextInt(26));
        }
        if (maybe()) {
            log.setObservedTimeUnixNano(time()).setSeverityText(text()).setEventName(text());
        }
        if (maybe()) {
            log.setBody(any(0)).setFlags(count()).setDroppedAttributesCount(count());
        }
        if (maybe()) {
            log.setTraceId(id(16)).setSpanId(id(8));
        }
        return log.build();
    }

    Span span() {
        Span.Builder span = Span.newBuilder().addAllAttributes(pairs(0));
        if (maybe()) {
            span.setName(text()).setKindValue(random.nextInt(9) - 1).setTraceState(text());
        }
        if (maybe()) {
            span.setStartTimeUnixNano(time()).setEndTimeUnixNano(time());
        }
        if (maybe()) {
            span.setStatus(Status.newBuilder().setCodeValue(random.nextInt(5)).setMessage(text()));
        }
        if (maybe()) {
            span.setTraceId(id(16)).setSpanId(id(8)).setParentSpanId(id(8)).setFlags(count());
        }
        span.setDroppedAttributesCount(count()).setDroppedEventsCount(count()).setDroppedLinksCount(count());
        for (int i = random.nextInt(3); i > 0; i--) {
            span.addEvents(Span.Event.newBuilder()
                    .setTimeUnixNano(maybe() ? time() : 0)
                    .setName(text())
                    .addAllAttributes(pairs(1))
                    .setDroppedAttributesCount(count()));
            span.addLinks(Span.Link.newBuilder()
                    .setTraceId(id(16))
                    .setSpanId(id(8))
                    .setTraceState(text())
                    .addAllAttributes(pairs(1))
                    .setDroppedAttributesCount(count())
                    .setFlags(count()));
        }
        return span.build();
    }

    private List<Exemplar> exemplars() {
        List<Exemplar> exemplars = new ArrayList<>();
        for (int i = random.nextInt(3); i > 0; i--) {
            Exemplar.Builder exemplar = Exemplar.newBuilder()
                    .setTimeUnixNano(time())
                    .setTraceId(id(16))
                    .setSpanId(id(8))
                    .addAllFilteredAttributes(pairs(1));
            exemplars.add((random.nextBoolean() ? exemplar.setAsDouble(number()) : exemplar.setAsInt(random.nextInt()))
                    .build());
        }
        return exemplars;
    }

    /** A metric with one point. */
    Metric metric() {
        Metric.Builder metric =
                Metric.newBuilder().setName(text()).setDescription(text()).setUnit(maybe() ? "ms" : "");
        switch (random.nextInt(6)) {
            case 0 -> metric.setGauge(Gauge.newBuilder().addDataPoints(numberPoint()));
            case 1 ->
                metric.setSum(Sum.newBuilder()
                        .setAggregationTemporalityValue(random.nextInt(4))
                        .setIsMonotonic(random.nextBoolean())
                        .addDataPoints(numberPoint()));
            case 2 ->
                metric.setHistogram(Histogram.newBuilder()
                        .setAggregationTemporalityValue(random.nextInt(4))
                        .addDataPoints(histogramPoint()));
            case 3 ->
                metric.setExponentialHistogram(ExponentialHistogram.newBuilder()
                        .setAggregationTemporalityValue(random.nextInt(4))
                        .addDataPoints(exponentialPoint()));
            case 4 -> metric.setSummary(Summary.newBuilder().addDataPoints(summaryPoint()));
            default -> {}
        }
        return metric.build();
    }

    private NumberDataPoint numberPoint() {
        NumberDataPoint.Builder point = NumberDataPoint.newBuilder()
                .setTimeUnixNano(time())
                .setStartTimeUnixNano(maybe() ? time() : 0)
                .addAllAttributes(pairs(0))
                .addAllExemplars(exemplars())
                .setFlags(count());
        return switch (random.nextInt(5)) {
            case 0, 1 -> point.setAsDouble(number()).build();
            case 2, 3 -> point.setAsInt(random.nextLong()).build();
            default -> point.build();
        };
    }

    private HistogramDataPoint histogramPoint() {
        HistogramDataPoint.Builder point = HistogramDataPoint.newBuilder()
                .setTimeUnixNano(time())
                .setStartTimeUnixNano(time())
                .addAllAttributes(pairs(0))
                .addAllExemplars(exemplars())
                .setFlags(count())
                .setCount(random.nextLong());
        if (maybe()) {
            point.setSum(number()).setMin(number()).setMax(number());
        }
        for (int i = random.nextInt(5); i > 0; i--) {
            point.addBucketCounts(random.nextLong()).addExplicitBounds(number());
        }
        return point.build();
    }

    private ExponentialHistogramDataPoint exponentialPoint() {
        ExponentialHistogramDataPoint.Builder point = ExponentialHistogramDataPoint.newBuilder()
                .setTimeUnixNano(time())
                .setStartTimeUnixNano(time())
                .addAllAttributes(pairs(0))
                .addAllExemplars(exemplars())
                .setFlags(count())
                .setCount(random.nextLong())
                .setScale(random.nextInt(20) - 10)
                .setZeroCount(random.nextLong())
                .setZeroThreshold(random.nextInt(2) * random.nextDouble());
        if (maybe()) {
            point.setSum(number()).setMin(number()).setMax(number());
        }
        if (maybe()) {
            point.setPositive(buckets());
        }
        if (maybe()) {
            point.setNegative(buckets());
        }
        return point.build();
    }

    private ExponentialHistogramDataPoint.Buckets buckets() {
        ExponentialHistogramDataPoint.Buckets.Builder buckets =
                ExponentialHistogramDataPoint.Buckets.newBuilder().setOffset(random.nextInt(100) - 50);
        for (int i = random.nextInt(5); i > 0; i--) {
            buckets.addBucketCounts(random.nextLong() >>> random.nextInt(64));
        }
        return buckets.build();
    }

    private SummaryDataPoint summaryPoint() {
        SummaryDataPoint.Builder point = SummaryDataPoint.newBuilder()
                .setTimeUnixNano(time())
                .setStartTimeUnixNano(time())
                .addAllAttributes(pairs(0))
                .setFlags(count())
                .setCount(random.nextLong())
                .setSum(number());
        for (int i = random.nextInt(4); i > 0; i--) {
            point.addQuantileValues(SummaryDataPoint.ValueAtQuantile.newBuilder()
                    .setQuantile(random.nextInt(5) / 4.0)
                    .setValue(number()));
        }
        return point.build();
    }

    /** Resource and scope, and of a metric all but its points. */
    ResourceMetrics context(Metric metric) {
        ScopeMetrics.Builder scope = ScopeMetrics.newBuilder();
        if (maybe()) {
            scope.setScope(InstrumentationScope.newBuilder()
                    .setName(text())
                    .setVersion(text())
                    .addAllAttributes(pairs(0)));
        }
        Metric.Builder bare = metric.toBuilder();
        switch (metric.getDataCase()) {
            case GAUGE -> bare.getGaugeBuilder().clearDataPoints();
            case SUM -> bare.getSumBuilder().clearDataPoints();
            case HISTOGRAM -> bare.getHistogramBuilder().clearDataPoints();
            case EXPONENTIAL_HISTOGRAM -> bare.getExponentialHistogramBuilder().clearDataPoints();
            case SUMMARY -> bare.getSummaryBuilder().clearDataPoints();
            case DATA_NOT_SET -> {}
        }
        if (!metric.equals(Metric.getDefaultInstance())) {
            scope.addMetrics(bare);
        }
        ResourceMetrics.Builder context = ResourceMetrics.newBuilder().addScopeMetrics(scope);
        if (maybe()) {
            Resource.Builder resource = Resource.newBuilder().addAllAttributes(pairs(0));
            if (maybe()) {
                resource.addAttributes(KeyValue.newBuilder()
                        .setKey("service.name")
                        .setValue(AnyValue.newBuilder().setStringValue("shop")));
            }
            context.setResource(resource);
        }
        return context.build();
    }
}
