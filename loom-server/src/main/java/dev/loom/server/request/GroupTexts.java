package dev.loom.server.request;

import dev.loom.query.GroupedAggregate;
import dev.loom.query.model.GroupOrder;
import dev.loom.query.model.GroupOrder.By;
import dev.loom.query.service.GroupRequest;
import dev.loom.query.service.RequestException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How an aggregate is divided into groups, as options and JSON hold it; null is what was not asked for.
 *
 * @param by the fields of a group's key
 * @param step a duration
 * @param distinct the field whose distinct values are counted
 * @param order one of {@link #ORDERS} or a percentile such as {@code p99}, with {@code -} before it for the greatest first
 * @param limit the most groups in the answer, besides that of the rest
 * @param restAsOther whether what exceeds the caps is one group
 */
public record GroupTexts(
        List<String> by,
        @Nullable String step,
        @Nullable String distinct,
        @Nullable String order,
        @Nullable Long limit,
        @Nullable Long groupsMax,
        @Nullable Long distinctMax,
        boolean restAsOther) {
    /** The orders besides percentiles. */
    public static final List<String> ORDERS = List.of("key", "count", "rate", "sum", "min", "max", "mean", "distinct");

    public GroupTexts {
        by = List.copyOf(by);
    }

    /** The values of a field. */
    public static GroupTexts values(@Nullable Long limit, @Nullable Long groupsMax, boolean restAsOther) {
        return new GroupTexts(List.of(), null, null, null, limit, groupsMax, null, restAsOther);
    }

    /** Whether there are groups or distinct values. */
    boolean asked() {
        return !by.isEmpty() || step != null || distinct != null;
    }

    /** @throws RequestException if there is an order or limit, which an aggregate without groups has not */
    void requireNone() {
        if (order != null || limit != null) {
            throw new RequestException(order != null ? "order" : "limit", " requires --by");
        }
    }

    GroupRequest.Keys keys() {
        return new GroupRequest.Keys(by, step == null ? null : RequestBuilder.steps(step, 1));
    }

    int limitOrAll() {
        return limit == null ? Integer.MAX_VALUE : number(limit);
    }

    GroupRequest.Caps caps() {
        return new GroupRequest.Caps(
                groupsMax == null ? GroupedAggregate.GROUPS_MAX_DEFAULT : number(groupsMax),
                distinctMax == null ? GroupedAggregate.DISTINCT_MAX_DEFAULT : number(distinctMax),
                restAsOther);
    }

    private static int number(long value) {
        return (int) Math.max(-1, Math.min(value, Integer.MAX_VALUE));
    }

    GroupOrder groupOrder() {
        if (order == null) {
            return GroupOrder.COUNT;
        }
        boolean descending = order.startsWith("-");
        String key = order.substring(descending ? 1 : 0).toLowerCase(Locale.ROOT);
        if (ORDERS.contains(key)) {
            // all groups have the same time, so the rate is ordered as the count is
            By by = key.equals("rate") ? By.COUNT : By.valueOf(key.toUpperCase(Locale.ROOT));
            return new GroupOrder(by, null, descending);
        } else if (key.startsWith("p")) {
            return new GroupOrder(By.PERCENTILE, RequestTexts.percentile(key), descending);
        }
        throw new RequestException(
                "order",
                " is none of " + String.join(", ", ORDERS) + " or a percentile such as p99: " + order
                        + "; with - before it the greatest comes first");
    }

    /** The percentiles to find: those asked for, and the one that groups are ordered by. */
    static List<BigDecimal> percentiles(List<String> texts, GroupOrder order) {
        List<BigDecimal> percentiles =
                new ArrayList<>(texts.stream().map(RequestTexts::percentile).toList());
        BigDecimal by = order.percentile();
        if (by != null && percentiles.stream().noneMatch(each -> each.compareTo(by) == 0)) {
            percentiles.add(by);
        }
        return percentiles;
    }
}
