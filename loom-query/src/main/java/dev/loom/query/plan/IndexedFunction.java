package dev.loom.query.plan;

import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.query.model.QueryIndex;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A function over a source's records that a query asks about, and the indexes over it. */
public record IndexedFunction(int sourceId, IndexFunction function) {
    /**
     * A function that can be read.
     *
     * @throws IllegalArgumentException if it can't
     */
    public static IndexedFunction of(int sourceId, IndexFunction function) {
        if (!function.isReadable()) {
            throw new IllegalArgumentException(
                    "index function has no reader, supply it again: function=" + function + ", source=" + sourceId);
        }
        return new IndexedFunction(sourceId, function);
    }

    /** The usable indexes over the function: those with bins first, then the newest. */
    private List<Index> indexes(QueryTerms terms, Predicate<Index> usable) {
        List<Index> equal = new ArrayList<>();
        for (Index index : terms.indexes()) {
            if (index.function().equals(function) && usable.test(index)) {
                equal.add(index);
            }
        }
        equal.sort(Comparator.comparing(Index::kind).thenComparing(Index::id, Comparator.reverseOrder()));
        return equal;
    }

    /** What the usable indexes hold; null if there are none. */
    @Nullable
    public IndexSummaries summaries(WherePlan plan, Predicate<Index> usable) {
        List<Index> found = indexes(plan.terms(), usable);
        if (found.isEmpty()) {
            String reason = plan.terms().uses(QueryIndex.CHUNK) ? "no index" : "chunk index: disabled";
            plan.explain(() -> function.name() + ": " + reason);
            return null;
        }
        IndexSummaries summaries = plan.summaries(found);
        plan.explain(() -> function.name() + ": " + WherePlan.describe(found, summaries));
        return summaries;
    }
}
