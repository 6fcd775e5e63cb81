package dev.loom.query.service;

import dev.loom.query.model.Value;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * The value that separates causes from other records.
 *
 * @param number asked for; null if a percentile was
 * @param percentile null if a number was asked for
 * @param value of the percentile; null if there are no values
 * @param exact whether whole values are exact integers
 * @param inclusive whether causes may equal the value, because values that equal the percentile rank beyond it
 * @param values how many values the percentile is of; 0 if a number was asked for
 */
public record CauseThreshold(
        @Nullable BigDecimal number,
        @Nullable BigDecimal percentile,
        @Nullable Value value,
        boolean exact,
        boolean inclusive,
        long values) {}
