package dev.loom.query.plan;

import dev.loom.api.IndexFunction;
import dev.loom.format.PayloadFormat;
import dev.loom.query.where.Where;
import dev.loom.query.where.Where.Literal;
import dev.loom.read.ChunkCursor;
import dev.loom.read.KeyedSummary;
import dev.loom.value.BinScale;
import dev.loom.value.KeyEncoder;
import java.math.BigDecimal;
import java.util.List;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What of a condition is about an index's key alone. It is tested on each key of a chunk: if none meets it, no record does. If nothing else
 * is asked for, the keys that meet it also answer for the chunk. For one thread.
 */
public final class KeyedCondition implements ChunkCondition {
    private final List<String> fields;
    private final KeyedSummaries summaries;
    private final Where.Predicate predicate;
    private final boolean whole;
    private boolean apart;
    private boolean selects;

    private KeyedCondition(List<String> fields, KeyedSummaries summaries, Where.Predicate predicate, boolean whole) {
        this.fields = fields;
        this.summaries = summaries;
        this.predicate = predicate;
        this.whole = whole;
    }

    /**
     * The part of a condition that is about a key; null if there is none.
     *
     * @param condition resolved
     */
    static @Nullable KeyedCondition of(
            Where condition, PayloadFormat format, List<String> fields, KeyedSummaries summaries) {
        List<Where> terms = condition instanceof Where.And and ? and.terms() : List.of(condition);
        List<String> names = format.canonicalNames(fields);
        List<Where> ofKey = terms.stream()
                .filter(term ->
                        names.containsAll(format.canonicalNames(List.copyOf(term.fields()))) && !needsRecords(term))
                .toList();
        if (ofKey.isEmpty()) {
            return null;
        }
        Where all = ofKey.size() == 1 ? ofKey.get(0) : new Where.And(ofKey);
        return new KeyedCondition(
                fields, summaries, all.bind(new KeyFormat(format, fields)), ofKey.size() == terms.size());
    }

    /**
     * Whole numbers in keys have lost whether they were written as doubles, which a calculation may depend on. What is derived may need
     * the whole record.
     */
    private static boolean needsRecords(Where term) {
        if (term instanceof Where.And and) {
            return and.terms().stream().anyMatch(KeyedCondition::needsRecords);
        } else if (term instanceof Where.Or or) {
            return or.terms().stream().anyMatch(KeyedCondition::needsRecords);
        } else if (term instanceof Where.Not not) {
            return needsRecords(not.term());
        }
        List<Literal> literals = term instanceof Where.Comparison comparison
                ? List.of(comparison.literal())
                : term instanceof Where.In in
                        ? in.literals()
                        : term instanceof Where.NotIn in ? in.literals() : List.of();
        return term instanceof Where.Relation
                || term instanceof Where.Derived
                || literals.stream().anyMatch(KeyedCondition::isRounded);
    }

    /** Whether a number stands, among doubles, for a whole number that it is not. */
    private static boolean isRounded(Literal literal) {
        if (!(literal instanceof Literal.Numeric number) || number.integral()) {
            return false;
        }
        double nearest = number.value().doubleValue();
        return nearest == Math.rint(nearest)
                && !Double.isInfinite(nearest)
                && new BigDecimal(nearest).compareTo(number.value()) != 0;
    }

    /** The fields of the key. */
    public List<String> fields() {
        return fields;
    }

    /** Whether the condition is about nothing but the key. */
    boolean isWhole() {
        return whole;
    }

    @Override
    public Coverage cover(ChunkCursor chunk) {
        apart = false;
        selects = false;
        KeyedSummary keys = summaries.read(chunk);
        if (keys == null) {
            return Coverage.SOME;
        }
        long met = 0;
        long others = 0;
        while (keys.next()) {
            if (hasJson(keys)) {
                return Coverage.SOME;
            } else if (matches(keys)) {
                met += keys.records();
            } else {
                others += keys.records();
            }
        }
        if (met + others != chunk.records()) {
            return Coverage.SOME;
        }
        apart = true;
        selects = whole && met > 0;
        return met == 0 ? Coverage.NONE : others == 0 ? Coverage.ALL : Coverage.SOME;
    }

    /** JSON in a key is printed, not as it was written. */
    private boolean hasJson(KeyedSummary keys) {
        DirectBuffer buffer = keys.buffer();
        int at = keys.keyOffset();
        for (int i = 0; i < fields.size(); i++) {
            if (KeyEncoder.isJson(buffer.getByte(at))) {
                return true;
            }
            at += KeyEncoder.length(buffer, at);
        }
        return false;
    }

    /** Whether every record of the chunk asked about last is one of a key on which the condition can be tested. */
    boolean isApart() {
        return apart;
    }

    /** Whether the records of the chunk asked about last that meet the condition are those of some keys. */
    boolean selects() {
        return selects;
    }

    /** Whether the records of a key meet the condition. */
    public boolean matches(KeyedSummary keys) {
        return predicate.test(keys.buffer(), keys.keyOffset(), keys.keyLength());
    }

    /** Moves before the first key of the chunk asked about last, in an index over a function; null if there is none that has it. */
    public @Nullable KeyedSummary read(ChunkCursor chunk, IndexFunction function) {
        return summaries.read(chunk, function);
    }

    /** What the indexes are over. */
    List<IndexFunction> functions() {
        return summaries.functions();
    }

    @Nullable
    BinScale scale(IndexFunction function) {
        return summaries.scale(function);
    }

    @Override
    public String toString() {
        return "by " + String.join(",", fields) + ": " + summaries;
    }

    /** Notes that bins of the chunk read are corrupt. */
    public void noteDamaged() {
        summaries.noteDamaged();
    }
}
