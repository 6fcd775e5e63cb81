package dev.loom.query.where;

import java.util.List;

/** Conditions tested in order, until one decides. */
final class Junction implements Condition {
    private final Condition[] terms;
    private final boolean deciding;

    private Junction(List<Condition> terms, boolean deciding) {
        this.terms = terms.toArray(new Condition[0]);
        this.deciding = deciding;
    }

    /** Holds if all terms do. */
    static Condition all(List<Condition> terms) {
        return new Junction(terms, false);
    }

    /** Holds if any term does. */
    static Condition any(List<Condition> terms) {
        List<Condition> merged = EqualitySet.merge(terms);
        return merged.size() == 1 ? merged.get(0) : new Junction(merged, true);
    }

    @Override
    public boolean test() {
        for (Condition term : terms) {
            if (term.test() == deciding) {
                return deciding;
            }
        }
        return !deciding;
    }
}
