package dev.loom.query.model;

import java.math.BigDecimal;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The order of groups. Groups without the value to order by come last; equal ones are in the order of their keys.
 *
 * @param by what of a group
 * @param percentile which one, if {@code by} is {@link By#PERCENTILE}; otherwise null
 * @param descending whether the greatest comes first
 */
public record GroupOrder(By by, @Nullable BigDecimal percentile, boolean descending) {
    /** What groups are ordered by. */
    public enum By {
        /** Their keys: missing values, booleans, numbers, texts, bytes, then JSON; field by field. */
        KEY,
        /** The number of values. */
        COUNT,
        SUM,
        MIN,
        MAX,
        MEAN,
        /** The number of distinct values of the field for that. */
        DISTINCT,
        PERCENTILE
    }

    /** The default: most values first. */
    public static final GroupOrder COUNT = descending(By.COUNT);

    /** @throws IllegalArgumentException if there is a percentile for another order, or none for this one */
    public GroupOrder {
        if ((by == By.PERCENTILE) != (percentile != null)) {
            throw new IllegalArgumentException("order and percentile don't match: by="
                    + by.name().toLowerCase(Locale.ROOT) + ", percentile=" + percentile);
        }
    }

    /** The greatest first. */
    public static GroupOrder descending(By by) {
        return new GroupOrder(by, null, true);
    }

    /** The least first. */
    public static GroupOrder ascending(By by) {
        return new GroupOrder(by, null, false);
    }
}
