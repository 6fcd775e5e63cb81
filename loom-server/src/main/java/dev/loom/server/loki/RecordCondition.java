package dev.loom.server.loki;

import dev.loom.query.where.Where;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A condition on the records of one source, of which the truth may be known.
 *
 * @param where null if it is always or never true
 * @param always whether it is always true, if there is no {@code where}
 */
record RecordCondition(@Nullable Where where, boolean always) {
    static final RecordCondition ALWAYS = new RecordCondition(null, true);
    static final RecordCondition NEVER = new RecordCondition(null, false);

    static RecordCondition of(Where where) {
        return new RecordCondition(where, false);
    }

    static RecordCondition of(boolean truth) {
        return truth ? ALWAYS : NEVER;
    }

    /** Whether no record meets it. */
    boolean isNever() {
        return where == null && !always;
    }

    /** What queries test of each record. */
    List<Where> terms() {
        return where == null ? List.of() : where instanceof Where.And and ? and.terms() : List.of(where);
    }

    RecordCondition not() {
        return where == null ? of(!always) : of(where instanceof Where.Not not ? not.term() : new Where.Not(where));
    }

    RecordCondition and(RecordCondition other) {
        if (where == null) {
            return always ? other : this;
        } else if (other.where == null) {
            return other.always ? this : other;
        }
        List<Where> terms = new ArrayList<>(terms());
        terms.addAll(other.terms());
        return of(new Where.And(terms));
    }

    RecordCondition or(RecordCondition other) {
        if (where == null) {
            return always ? this : other;
        } else if (other.where == null) {
            return other.always ? other : this;
        }
        List<Where> terms = new ArrayList<>();
        terms.addAll(where instanceof Where.Or or ? or.terms() : List.of(where));
        terms.addAll(other.where instanceof Where.Or or ? or.terms() : List.of(other.where));
        return of(new Where.Or(terms));
    }
}
