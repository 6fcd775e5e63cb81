package dev.loom.query.where;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Conditions tested in order until one decides. */
final class Junction implements Condition {
    /** Up to this many, testing one by one is faster. */
    private static final int FEW = 4;

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
        List<Condition> merged = merge(terms, EqualitySet::slotOf, EqualitySet::new);
        merged = merge(merged, Junction::substringSlot, Junction::substrings);
        merged = merge(merged, Junction::foldedSlot, Junction::foldedTexts);
        return merged.size() == 1 ? merged.get(0) : new Junction(merged, true);
    }

    private static @Nullable FieldSlot substringSlot(Condition term) {
        return term instanceof Condition.SubstringTest test && test.text() instanceof Substring ? test.slot() : null;
    }

    private static Condition substrings(FieldSlot slot, List<Condition> terms) {
        return new Condition.SubstringTest(slot, AnyText.of(texts(terms, Substring.class)));
    }

    private static @Nullable FieldSlot foldedSlot(Condition term) {
        return term instanceof Condition.SubstringTest test && test.text() instanceof FoldedText ? test.slot() : null;
    }

    private static Condition foldedTexts(FieldSlot slot, List<Condition> terms) {
        return new Condition.SubstringTest(slot, AnyText.ofFolded(texts(terms, FoldedText.class)));
    }

    private static <T extends TextFinder> List<T> texts(List<Condition> terms, Class<T> kind) {
        return terms.stream()
                .map(term -> kind.cast(((Condition.SubstringTest) term).text()))
                .toList();
    }

    /** Merges terms that ask the same of the same field, if there are many; merged terms are tested first. */
    private static List<Condition> merge(
            List<Condition> terms,
            Function<Condition, @Nullable FieldSlot> slotOf,
            BiFunction<FieldSlot, List<Condition>, Condition> merged) {
        Map<FieldSlot, List<Condition>> together = new LinkedHashMap<>();
        List<Condition> others = new ArrayList<>();
        for (Condition term : terms) {
            FieldSlot slot = slotOf.apply(term);
            (slot == null ? others : together.computeIfAbsent(slot, asked -> new ArrayList<>())).add(term);
        }
        List<Condition> all = new ArrayList<>();
        together.forEach((slot, same) -> {
            if (same.size() > FEW) {
                all.add(merged.apply(slot, same));
            } else {
                others.addAll(0, same);
            }
        });
        all.addAll(others);
        return all;
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
