package dev.loom.value;

import dev.loom.api.IndexFunction;
import dev.loom.api.ValueType;
import dev.loom.format.Field;
import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.format.PayloadFormat;
import dev.loom.format.RecordLookup;
import java.nio.ByteOrder;
import java.util.Objects;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the keys of records' values with an index function, for the writer and for queries alike. A field at a fixed
 * place is read directly, anything else through the function. Reading allocates nothing unless the function does. For
 * one thread.
 */
public final class KeyReader {
    private static final double TWO_63 = 0x1p63;
    private static final double TWO_64 = 0x1p64;

    private final @Nullable FieldReader function;
    private final ValueType type;
    private final FieldValue value = new FieldValue();
    private final @Nullable RecordLookup lookup;

    /** Null unless the field is at a fixed place. */
    private final Field.@Nullable Type fixedType;

    private final int fixedOffset;
    private final int fixedEnd;
    private final int presenceOffset;
    private final int presenceMask;

    private final boolean exact;

    private long key;
    private int remainder;
    private long failures;
    private long unfit;

    /**
     * Makes a reader that follows no references from payloads to other records.
     *
     * @param function a readable function
     */
    public KeyReader(IndexFunction function) {
        this(function, null);
    }

    /**
     * Makes a reader.
     *
     * @param function a readable function
     * @param lookup finds the records that payloads refer to; callers of {@link #read} pass it the referring record
     */
    public KeyReader(IndexFunction function, @Nullable RecordLookup lookup) {
        this.lookup = lookup;
        value.lookup(lookup);
        this.function = Objects.requireNonNull(function.reader(), "index function has no reader");
        this.type = function.type();
        this.exact = function.isExact();
        PayloadFormat.FixedField fixed = function.fixedField();
        this.fixedType = fixed == null ? null : fixed.type();
        this.fixedOffset = fixed == null ? 0 : fixed.offset();
        this.fixedEnd = fixed == null ? 0 : fixed.offset() + fixed.type().fixedLength();
        this.presenceOffset = fixed == null ? 0 : fixed.presenceOffset();
        this.presenceMask = fixed == null ? 0 : fixed.presenceMask();
    }

    public ValueType type() {
        return type;
    }

    /**
     * Reads the value of the payload at {@code [offset, offset + length)}, within the buffer. Returns whether there is
     * one.
     */
    public boolean read(DirectBuffer payload, int offset, int length) {
        Field.Type fixed = fixedType;
        return fixed == null ? readByFunction(payload, offset, length) : readFixed(fixed, payload, offset, length);
    }

    /**
     * Reads the values of several records; the batch gets the keys of those with a value, in order.
     *
     * @return the number of records with a value
     */
    public int readAll(RecordBatch batch) {
        batch.clearRemainders();
        return readAll(batch, batch.keys);
    }

    /** As {@link #readAll(RecordBatch)}, but the keys are put elsewhere. */
    int readAll(RecordBatch batch, long[] into) {
        if (fixedType == Field.Type.I64 || fixedType == Field.Type.U64) {
            return readLongs(batch.buffer, batch.offsets, batch.lengths, batch.count, into);
        }
        RecordLookup records = fixedType == null ? lookup : null;
        int found = 0;
        for (int i = 0; i < batch.count; i++) {
            if (records != null) {
                records.from(batch.address(i));
            }
            if (read(batch.buffer, batch.offsets[i], batch.lengths[i])) {
                if (exact) {
                    batch.remainder(found, remainder);
                }
                into[found++] = key;
            }
        }
        return found;
    }

    /** Reads the usual fields, in a loop that decides only whether there is a value. */
    private int readLongs(DirectBuffer buffer, int[] offsets, int[] lengths, int count, long[] into) {
        long signs = type.key(0);
        int found = 0;
        for (int i = 0; i < count; i++) {
            if (isThere(buffer, offsets[i], lengths[i])) {
                into[found++] = buffer.getLong(offsets[i] + fixedOffset, ByteOrder.LITTLE_ENDIAN) ^ signs;
            }
        }
        return found;
    }

    private boolean isThere(DirectBuffer payload, int offset, int length) {
        return length >= fixedEnd
                && (presenceMask == 0 || (payload.getByte(offset + presenceOffset) & presenceMask) != 0);
    }

    /** The key of the last value read. */
    public long key() {
        return key;
    }

    /**
     * How much the last value read exceeds that of its key, for a function that {@linkplain IndexFunction#isExact()
     * keeps integers exact}; else 0. Indexes do not cover records with a remainder.
     */
    public int remainder() {
        return remainder;
    }

    /** How often the function has thrown. */
    public long failures() {
        return failures;
    }

    /** The number of records whose value does not fit the type or is unknown, and so counted as none. */
    public long unfit() {
        return unfit;
    }

    private boolean readFixed(Field.Type fixed, DirectBuffer payload, int offset, int length) {
        if (!isThere(payload, offset, length)) {
            return false;
        }
        int at = offset + fixedOffset;
        switch (fixed) {
            case I64 -> key = payload.getLong(at, ByteOrder.LITTLE_ENDIAN);
            case I32 -> key = payload.getInt(at, ByteOrder.LITTLE_ENDIAN);
            case U32 -> key = payload.getInt(at, ByteOrder.LITTLE_ENDIAN) & 0xFFFF_FFFFL;
            case U64 -> key = payload.getLong(at, ByteOrder.LITTLE_ENDIAN) ^ Long.MIN_VALUE;
            case F64 -> {
                return setDouble(payload.getDouble(at, ByteOrder.LITTLE_ENDIAN));
            }
            case F32 -> {
                return setDouble(payload.getFloat(at, ByteOrder.LITTLE_ENDIAN));
            }
            default -> {
                return readShort(fixed, payload, at);
            }
        }
        return true;
    }

    private boolean readShort(Field.Type fixed, DirectBuffer payload, int at) {
        key = switch (fixed) {
            case I16 -> payload.getShort(at, ByteOrder.LITTLE_ENDIAN);
            case U16 -> payload.getShort(at, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
            case I8 -> payload.getByte(at);
            default -> payload.getByte(at) & 0xFF;
        };
        return fixed != Field.Type.BOOL || key <= 1;
    }

    private boolean readByFunction(DirectBuffer payload, int offset, int length) {
        RecordLookup records = lookup;
        remainder = 0;
        long failuresBefore = records == null ? 0 : records.failures();
        value.setAbsent();
        try {
            Objects.requireNonNull(function).read(payload, offset, length, value);
        } catch (StackOverflowError e) { // the depth of the stack differs between the writer and a query
            failures++;
            return countUnfit();
        } catch (VirtualMachineError e) { // such as a lack of memory: another time there may be a value
            failures++;
            throw e;
        } catch (Throwable e) { // whatever a function does, the record is captured
            failures++;
            return false;
        }
        if (records != null && records.failures() != failuresBefore) {
            return countUnfit();
        }
        return switch (value.kind()) {
            case INTEGER, BOOLEAN -> setInteger(value.longValue());
            case UNSIGNED -> setUnsigned(value.longValue());
            case DOUBLE -> type == ValueType.F64 ? setDouble(value.doubleValue()) : setWhole(value.doubleValue());
            case ABSENT, TEXT, BYTES -> false;
            case JSON -> isArray() && countUnfit();
        };
    }

    /** An expression may hold for one element of an array, which an index does not cover. */
    private boolean isArray() {
        for (int i = 0; i < value.length(); i++) {
            byte c = value.bytes().getByte(value.offset() + i);
            if (c > ' ') {
                return c == '[';
            }
        }
        return false;
    }

    private boolean setInteger(long number) {
        switch (type) {
            case I64 -> key = number;
            case U64 -> {
                if (number < 0) {
                    return countUnfit();
                }
                key = number ^ Long.MIN_VALUE;
            }
            case F64 -> setNearest(number);
        }
        return true;
    }

    private boolean setUnsigned(long bits) {
        switch (type) {
            case I64 -> {
                return countUnfit();
            }
            case U64 -> key = bits ^ Long.MIN_VALUE;
            case F64 -> setNearestUnsigned(bits);
        }
        return true;
    }

    /**
     * Sets the key of the double nearest to an integer; if the integer is kept exact, of the greatest double not above
     * it.
     */
    private void setNearest(long number) {
        double nearest = (double) number;
        if (exact && (nearest == TWO_63 || (long) nearest > number)) {
            nearest = Math.nextDown(nearest);
        }
        key = ValueType.doubleKey(nearest);
        if (exact) {
            setRemainder(number - (long) nearest);
        }
    }

    private void setNearestUnsigned(long bits) {
        double nearest = unsignedDouble(bits);
        if (exact && (nearest == TWO_64 || Long.compareUnsigned(unsignedBits(nearest), bits) > 0)) {
            nearest = Math.nextDown(nearest);
        }
        key = ValueType.doubleKey(nearest);
        if (exact) {
            setRemainder(bits - unsignedBits(nearest));
        }
    }

    /** A value with a remainder is unfit for an index; queries see it. */
    private void setRemainder(long more) {
        remainder = (int) more;
        unfit += more == 0 ? 0 : 1;
    }

    private static long unsignedBits(double wholeFrom2To63) {
        return (long) (wholeFrom2To63 - TWO_63) ^ Long.MIN_VALUE;
    }

    /** The double nearest to an unsigned value above {@code Long.MAX_VALUE}; the lowest bit is kept for rounding. */
    private static double unsignedDouble(long bits) {
        return (double) ((bits >>> 1) | (bits & 1)) * 2;
    }

    private boolean setDouble(double number) {
        key = ValueType.doubleKey(number);
        return !Double.isNaN(number);
    }

    private boolean setWhole(double number) {
        if (Double.isNaN(number)) {
            return false;
        }
        boolean signed = type == ValueType.I64;
        if (number != Math.rint(number) || number < (signed ? -TWO_63 : 0) || number >= (signed ? TWO_63 : TWO_64)) {
            return countUnfit();
        }
        long bits = number < TWO_63 ? (long) number : unsignedBits(number);
        key = type.key(bits);
        return true;
    }

    private boolean countUnfit() {
        unfit++;
        return false;
    }
}
