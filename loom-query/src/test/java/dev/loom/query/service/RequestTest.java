package dev.loom.query.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.loom.api.Source;
import dev.loom.query.IndexedAggregate;
import dev.loom.query.model.AddressRange;
import dev.loom.query.model.Order;
import dev.loom.query.model.TimeRange;
import dev.loom.query.where.Where;
import dev.loom.query.where.Where.Literal;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Requests that make no sense are refused when they are made, with the value in the message. */
final class RequestTest {
    private static final Source SOURCE = new Source(1, "s", TimedStore.FORMAT, false, Map.of());
    private static final RecordSelection ALL = new RecordSelection(SOURCE, TimeRange.ALL, false, List.of());

    private static void refused(String part, String message, Executable made) {
        RequestException e = assertThrows(RequestException.class, made);
        assertEquals(part, e.part());
        assertEquals(message, e.getMessage());
    }

    @Test
    void shouldRefuseConditionsThatTheFormatCannotMeet() {
        refused(
                "where",
                "where: unknown field: field=x, format=struct, fields=[t, i]",
                () -> new RecordSelection(SOURCE, TimeRange.ALL, false, List.of(Where.parse("x > 1"))));
        refused(
                "where",
                "where: unknown field: field=x, format=struct, fields=[t, i]",
                () -> new TailRequest(SOURCE, List.of(Where.parse("x > 1")), 1, false, QueryLimits.NONE));
    }

    @Test
    void shouldRefuseNumbersOutOfRange() {
        refused("limit", "limit is negative: -1", () -> new ScanRequest(ALL, Order.OLDEST_FIRST, -1, QueryLimits.NONE));
        refused("n", "n must be 1 to 16384: 0", () -> new TopRequest(ALL, "i", 0, false, QueryLimits.NONE));
        refused("n", "n must be 1 to 16384: 16385", () -> new TopRequest(ALL, "i", 16_385, false, QueryLimits.NONE));
        refused("n", "n is negative: -2", () -> new TailRequest(SOURCE, List.of(), -2, false, QueryLimits.NONE));
        refused(
                "",
                "percentile out of range: p=101, min=0, max=100",
                () -> aggregate("i", List.of(new BigDecimal(101))));
        refused(
                "",
                "percentile out of range: p=-1, min=0, max=100",
                () -> new CorrelationRequest.Threshold.Percentile(new BigDecimal(-1)));
        refused(
                "",
                "too many percentiles: count=10000, max=" + IndexedAggregate.PERCENTILES_MAX,
                () -> aggregate("i", Collections.nCopies(10_000, BigDecimal.ONE)));
        refused("step", "step is zero", () -> new HistogramRequest.Steps(Duration.ZERO, 80));
        refused("step", "step is out of range: PT-1S", () -> new HistogramRequest.Steps(Duration.ofSeconds(-1), 80));
        refused("before", "before is out of range: PT-1S", () -> correlate(Duration.ofSeconds(-1), null));
    }

    @Test
    void shouldRefuseFieldsThatAreUnknownOrMissing() {
        refused("", "unknown field: field=x, format=struct, fields=[t, i]", () -> aggregate("x", List.of()));
        refused("within", "within needs a percentile", () -> near(List.of(), 0.01));
        refused("within", "within is not a share: 1.01, min=0, max=1", () -> near(List.of(BigDecimal.ONE), 1.01));
        assertEquals(1, near(List.of(BigDecimal.ONE), 1).within());
        refused("percentile", "percentile needs a field", () -> aggregate(null, List.of(BigDecimal.ONE)));
        refused(
                "",
                "a histogram by value needs a field",
                () -> new HistogramRequest(ALL, null, true, 10, null, QueryLimits.NONE));
        refused(
                "",
                "a histogram must be by value, by time or both",
                () -> new HistogramRequest(ALL, "i", false, 10, null, QueryLimits.NONE));
        refused(
                "",
                "unknown field: field=y, format=struct, fields=[t, i]",
                () -> correlate(Duration.ZERO, new CorrelationRequest.Overlap("i", "y")));
    }

    private static AggregateRequest aggregate(@Nullable String field, List<BigDecimal> percentiles) {
        return new AggregateRequest(ALL, field, percentiles, 0, QueryLimits.NONE);
    }

    private static AggregateRequest near(List<BigDecimal> percentiles, double within) {
        return new AggregateRequest(ALL, "i", percentiles, within, QueryLimits.NONE);
    }

    private static CorrelationRequest correlate(Duration before, CorrelationRequest.@Nullable Overlap overlap) {
        return new CorrelationRequest(
                ALL,
                AddressRange.ALL,
                "i",
                new CorrelationRequest.Threshold.Above(Literal.Numeric.parse("5")),
                SOURCE,
                List.of(),
                before,
                Duration.ZERO,
                overlap,
                1,
                false,
                QueryLimits.NONE);
    }

    @Test
    void shouldParseNumbersAsExpressionsDo() {
        for (String text : List.of("5", "-5", "+2.5", "1e3", "50ms", "1h30m", "64KiB")) {
            assertEquals(Where.parse("x > " + text).toString(), "x > " + Literal.Numeric.parse(text), text);
        }
        for (String text : List.of("", "x", "5 or 6", "5)", "'5'", "5lightyears")) {
            assertThrows(IllegalArgumentException.class, () -> Literal.Numeric.parse(text), text);
        }
    }
}
