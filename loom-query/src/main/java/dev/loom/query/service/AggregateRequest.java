package dev.loom.query.service;

import dev.loom.query.IndexedAggregate;
import java.math.BigDecimal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Asks for count, sum, minimum, maximum, mean and percentiles of a field.
 *
 * @param field a number; null to count records
 * @param percentiles each from 0 to 100, at most {@link IndexedAggregate#PERCENTILES_MAX}
 * @param within how far the bounds of a percentile may be apart, as a share of it, above 0 to 1; 0 for exact percentiles
 */
public record AggregateRequest(
        RecordSelection records,
        @Nullable String field,
        List<BigDecimal> percentiles,
        double within,
        QueryLimits limits)
        implements SourceRequest {
    private static final BigDecimal HUNDRED = BigDecimal.valueOf(100);

    /** @throws RequestException if the field is no number, or if percentiles are out of range, too many, or without a field */
    public AggregateRequest {
        records.function(field);
        percentiles = List.copyOf(percentiles);
        if (field == null && !percentiles.isEmpty()) {
            throw new RequestException("percentile", " needs a field");
        } else if (percentiles.size() > IndexedAggregate.PERCENTILES_MAX) {
            throw new RequestException(
                    "too many percentiles: count=" + percentiles.size() + ", max=" + IndexedAggregate.PERCENTILES_MAX);
        }
        if (!(within >= 0 && within <= 1)) {
            throw new RequestException("within", " is not a share: " + within + ", min=0, max=1");
        } else if (within > 0 && percentiles.isEmpty()) {
            throw new RequestException("within", " needs a percentile");
        }
        percentiles.forEach(AggregateRequest::checkPercentile);
    }

    static void checkPercentile(BigDecimal percentile) {
        if (percentile.signum() < 0 || percentile.compareTo(HUNDRED) > 0) {
            throw new RequestException("percentile out of range: p=" + percentile + ", min=0, max=100");
        }
    }
}
