package dev.loom.query.service;

import dev.loom.api.Source;
import dev.loom.query.model.AddressRange;
import dev.loom.query.where.Where;
import dev.loom.query.where.Where.Literal;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Asks for the records of another source around, or during, the outliers of a field.
 *
 * @param records among which the causes are
 * @param addresses of the causes
 * @param field a number of the causes
 * @param above which of the records are causes
 * @param with the source that is looked into
 * @param withConditions that its records must all meet
 * @param before how long before a cause a match may be
 * @param after how long after a cause a match may be
 * @param overlap null if causes and matches are moments
 * @param limit the most matches wanted, 0 or more
 * @param distinct whether to return a record once, with the first of its causes
 */
public record CorrelationRequest(
        RecordSelection records,
        AddressRange addresses,
        String field,
        Threshold above,
        Source with,
        List<Where> withConditions,
        Duration before,
        Duration after,
        @Nullable Overlap overlap,
        long limit,
        boolean distinct,
        QueryLimits limits)
        implements SourceRequest {
    /** What the causes' values exceed. */
    public sealed interface Threshold {
        /** A value. */
        record Above(Literal.Numeric value) implements Threshold {}

        /** The value of a percentile, ties included: see {@link dev.loom.query.IndexedAggregate}. */
        record Percentile(BigDecimal percentile) implements Threshold {
            /** @throws RequestException if it is not from 0 to 100 */
            public Percentile {
                AggregateRequest.checkPercentile(percentile);
            }
        }
    }

    /**
     * The fields that hold durations, in their units or in nanoseconds.
     *
     * @param ofCause of the causes' source
     * @param ofMatch of the other source
     */
    public record Overlap(String ofCause, String ofMatch) {}

    /** @throws RequestException if a field is unknown or no number, or if a duration or the limit is out of range */
    public CorrelationRequest {
        withConditions = RecordSelection.conditions("with-where", with, withConditions);
        records.function(field);
        ScanRequest.checkLimit(limit);
        if (overlap != null) {
            records.function(overlap.ofCause());
            RecordSelection.number(with, overlap.ofMatch());
        }
        checkWindow("before", before);
        checkWindow("after", after);
    }

    private static void checkWindow(String name, Duration window) {
        if (window.isNegative() || window.compareTo(Duration.ofNanos(Long.MAX_VALUE)) > 0) {
            throw new RequestException(name, " is out of range: " + window);
        }
    }
}
