package dev.loom.cli.questions;

import static dev.loom.cli.questions.Shop.MS;
import static dev.loom.cli.questions.Shop.S;

import dev.loom.cli.questions.Shop.Span;
import io.opentelemetry.proto.metrics.v1.AggregationTemporality;
import io.opentelemetry.proto.metrics.v1.Gauge;
import io.opentelemetry.proto.metrics.v1.Histogram;
import io.opentelemetry.proto.metrics.v1.HistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.Sum;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What a pod counts of its own spans, and reports every ten seconds since it started. */
final class ShopMetrics {
    static final long INTERVAL = 10 * S;
    private static final double[] BOUNDS_MS = {5, 10, 25, 50, 100, 250, 500, 1000};

    /** Of a route, or of what else has a count of its own. */
    private static final class Counted {
        long count;
        double sumMs;
        final long[] buckets = new long[BOUNDS_MS.length + 1];
    }

    private final Map<String, Counted> routes = new TreeMap<>();
    private final long start;
    private long retries;
    private int outbox;

    /** @param start when the pod's process started, from which on it counts */
    ShopMetrics(long start) {
        this.start = start;
    }

    /** Counts a span of this pod. */
    void add(Span span) {
        Object route = span.attributes().get("http.route");
        if (route != null) {
            Counted counted = routes.computeIfAbsent(route.toString(), each -> new Counted());
            double ms = (span.end() - span.start()) / (double) MS;
            int bucket = 0;
            while (bucket < BOUNDS_MS.length && ms > BOUNDS_MS[bucket]) {
                bucket++;
            }
            counted.count++;
            counted.sumMs += ms;
            counted.buckets[bucket]++;
        }
        if (span.attributes().get("attempts") instanceof Integer attempts) {
            retries += attempts - 1;
        }
    }

    /** Counts a charge, of any pod, that failed. */
    void addFailed() {
        outbox++;
    }

    /** What a frontend reports: how many requests each route had, and how long they took. */
    List<Metric> ofFrontend(long time) {
        Sum.Builder requests = cumulative();
        Histogram.Builder durations = Histogram.newBuilder()
                .setAggregationTemporality(AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE);
        routes.forEach((route, counted) -> {
            requests.addDataPoints(point(time).setAsInt(counted.count).addAttributes(Otlp.pair("http.route", route)));
            HistogramDataPoint.Builder point = HistogramDataPoint.newBuilder()
                    .setStartTimeUnixNano(start)
                    .setTimeUnixNano(time)
                    .setCount(counted.count)
                    .setSum(counted.sumMs)
                    .addAttributes(Otlp.pair("http.route", route));
            for (double bound : BOUNDS_MS) {
                point.addExplicitBounds(bound);
            }
            for (long bucket : counted.buckets) {
                point.addBucketCounts(bucket);
            }
            durations.addDataPoints(point);
        });
        return List.of(
                Metric.newBuilder()
                        .setName("http.server.requests")
                        .setUnit("1")
                        .setSum(requests)
                        .build(),
                Metric.newBuilder()
                        .setName("http.server.duration")
                        .setUnit("ms")
                        .setHistogram(durations)
                        .build());
    }

    /** What each pod of payment reports: how often it tried again. */
    List<Metric> ofPayment(long time) {
        return List.of(Metric.newBuilder()
                .setName("payment.retries")
                .setUnit("1")
                .setSum(cumulative().addDataPoints(point(time).setAsInt(retries)))
                .build());
    }

    /** How many failed charges wait to be made by hand, one a minute. */
    List<Metric> ofOutbox(long time) {
        if (outbox > 0 && time % (6 * INTERVAL) == 0) {
            outbox--;
        }
        return List.of(Metric.newBuilder()
                .setName("payment.outbox.depth")
                .setUnit("1")
                .setGauge(Gauge.newBuilder().addDataPoints(point(time).setAsInt(outbox)))
                .build());
    }

    private static Sum.Builder cumulative() {
        return Sum.newBuilder()
                .setIsMonotonic(true)
                .setAggregationTemporality(AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE);
    }

    private NumberDataPoint.Builder point(long time) {
        return NumberDataPoint.newBuilder().setStartTimeUnixNano(start).setTimeUnixNano(time);
    }
}
