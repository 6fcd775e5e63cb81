package dev.loom.query.group;

import dev.loom.query.model.GroupOrder;
import dev.loom.query.model.GroupOrder.By;
import dev.loom.query.model.Value;
import dev.loom.query.rank.ValueSum;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/** Compares groups by what a query orders them by. Of those with equal values the lower key is first. For one thread. */
final class GroupComparator implements Comparator<Integer> {
    private final GroupOrder order;
    private final GroupTable table;
    private final GroupStates totals;
    private final GroupRanks ranks;
    private final ValueSum sum;
    private final ValueSum otherSum;
    private final Ending ending;

    /**
     * Prepares to compare.
     *
     * @param ranks of the groups, for an order by a percentile
     * @param ending ends the sort, by an {@link Ending.Interruption}
     */
    GroupComparator(GroupOrder order, GroupTable table, GroupStates totals, GroupRanks ranks, Ending ending) {
        this.ending = ending;
        this.order = order;
        this.table = table;
        this.totals = totals;
        this.ranks = ranks;
        sum = totals.newSum();
        otherSum = totals.newSum();
    }

    @Override
    public int compare(Integer left, Integer right) {
        if (ending.isNow()) {
            throw new Ending.Interruption();
        }
        int byOrder = compareByOrder(left, right);
        return byOrder != 0 ? byOrder : table.compareKeys(left, right);
    }

    private int compareByOrder(int left, int right) {
        if (order.by() == By.KEY) {
            return directed(table.compareKeys(left, right));
        } else if (order.by() == By.COUNT) {
            return directed(Long.compare(totals.values(left), totals.values(right)));
        } else if (order.by() == By.DISTINCT) {
            return directed(Long.compare(totals.distinct(left), totals.distinct(right)));
        } else if (order.percentile() != null) {
            return compare(ranks.value(left, order.percentile()), ranks.value(right, order.percentile()));
        } else if (totals.values(left) == 0 || totals.values(right) == 0) {
            return Boolean.compare(totals.values(left) == 0, totals.values(right) == 0);
        }
        return switch (order.by()) {
            case MIN -> compare(totals.min(left), totals.min(right));
            case MAX -> compare(totals.max(left), totals.max(right));
            default -> directed(compareSums(left, right));
        };
    }

    private int compareSums(int left, int right) {
        totals.sum(left, sum);
        totals.sum(right, otherSum);
        return order.by() == By.MEAN
                ? Double.compare(sum.mean(totals.values(left)), otherSum.mean(totals.values(right)))
                : sum.compareSums(otherSum);
    }

    private int compare(@Nullable Value left, @Nullable Value right) {
        if (left == null || right == null) {
            return Boolean.compare(left == null, right == null);
        }
        int byKey = Long.compare(left.key(), right.key());
        return directed(byKey != 0 ? byKey : Integer.compare(left.remainder(), right.remainder()));
    }

    private int directed(int ascending) {
        return order.descending() ? -ascending : ascending;
    }
}
