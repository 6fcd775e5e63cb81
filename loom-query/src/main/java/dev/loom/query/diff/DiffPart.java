package dev.loom.query.diff;

import dev.loom.format.FieldValue;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/** One field with a value, without one, or within a range of numbers. */
public final class DiffPart {
    private final DiffField field;
    /** The value; null for a range. Empty if it is missing. */
    private final byte @Nullable [] key;

    private final long[] words;
    private final @Nullable NumberEdges edges;
    private final int fromBin;
    private final int toBin;

    private DiffPart(DiffField field, byte @Nullable [] key, @Nullable NumberEdges edges, int fromBin, int toBin) {
        this.field = field;
        this.key = key;
        words = key == null ? new long[0] : DiffField.words(key);
        this.edges = edges;
        this.fromBin = fromBin;
        this.toBin = toBin;
    }

    /** A value. */
    static DiffPart value(DiffField field, byte[] key) {
        return new DiffPart(field, key, null, 0, 0);
    }

    /** No value. */
    static DiffPart missing(DiffField field) {
        return new DiffPart(field, new byte[0], null, 0, 0);
    }

    /** The numbers of some bins, from the first to before the last. */
    static DiffPart range(DiffField field, NumberEdges edges, int fromBin, int toBin) {
        return new DiffPart(field, null, edges, fromBin, toBin);
    }

    DiffField field() {
        return field;
    }

    /** The name of the field. */
    public String name() {
        return field.name();
    }

    /** Whether it is a range of numbers. */
    public boolean isRange() {
        return edges != null;
    }

    /** The value; {@link FieldValue.Kind#ABSENT} for none. Not for ranges. */
    public FieldValue value() {
        byte[] of = key;
        if (of == null) {
            throw new IllegalStateException("part is a range: field=" + name());
        }
        return of.length == 0 ? new FieldValue() : field.value(of);
    }

    /** The least number of a range, which is in it; null if it has no such end. */
    public @Nullable BigDecimal low() {
        return edges == null ? null : edges.decimal(edges.low(fromBin));
    }

    /** The number that ends a range, which is not in it; null if it has no such end. */
    public @Nullable BigDecimal high() {
        return edges == null ? null : edges.decimal(edges.high(toBin - 1));
    }

    /** Whether the value that the field read last is one of this. */
    boolean holds() {
        NumberEdges of = edges;
        if (of != null) {
            if (!field.isNumber()) {
                return false;
            }
            int bin = field.bin(of);
            return bin >= fromBin && bin < toBin;
        }
        return words.length == 0 ? field.isMissing() : !field.isMissing() && field.is(words);
    }

    /** Whether a value of the same field is within this range. */
    boolean holds(DiffPart other) {
        NumberEdges of = edges;
        byte[] single = other.key;
        return of != null
                && single != null
                && other.field == field
                && single.length > 0
                && of.holds(single, fromBin, toBin);
    }
}
