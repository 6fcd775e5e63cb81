package dev.loom.query.column;

import dev.loom.api.ValueUnit;
import dev.loom.format.Field;

/**
 * A column of values of one type, each of which may be missing.
 *
 * @param type {@link Field.Type#ANY} and {@link Field.Type#JSON} hold texts
 * @param time whether its integers are epoch nanoseconds
 * @param unit of its numbers
 */
public record Column(String name, Field.Type type, boolean time, ValueUnit unit) {
    /** A column of values without a unit that are no times. */
    public Column(String name, Field.Type type) {
        this(name, type, false, ValueUnit.NONE);
    }

    /** A column of times. */
    public static Column time(String name) {
        return new Column(name, Field.Type.I64, true, ValueUnit.NONE);
    }

    /** Whether it holds an integer. */
    boolean holds(long value) {
        if (time || type.fixedLength() == Long.BYTES) {
            return time || !type.isUnsigned() || value >= 0;
        }
        int bits = type.fixedLength() * Byte.SIZE;
        return type.isUnsigned() ? value >>> bits == 0 : value == value << (Long.SIZE - bits) >> (Long.SIZE - bits);
    }

    /** Whether it holds integers beyond {@code Long.MAX_VALUE}. */
    boolean isUnsignedLong() {
        return !time && type == Field.Type.U64;
    }
}
