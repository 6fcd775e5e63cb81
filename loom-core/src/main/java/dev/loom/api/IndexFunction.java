package dev.loom.api;

import dev.loom.format.Field;
import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.format.PayloadFormat;
import dev.loom.format.UnknownFieldException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A function from a record's payload to a number or to nothing, which an index is built on. Immutable.
 *
 * <p>It runs within pushes, rebuilds and queries, and must neither write to the store that calls it nor ask it, not even for a snapshot: the
 * store may be closing, and waits for it. Within pushes and on the store's own threads, writes throw {@link
 * dev.loom.error.SecondWriterException}, and other calls {@link IllegalStateException}.
 *
 * <p>The function of a format's field is restored from its {@link #text()} whenever a store is opened. A function of
 * the program's own has a name, and must be supplied again ({@link dev.loom.LoomConfig.Builder#indexFunction}); until
 * then it {@linkplain #isReadable() is not readable}.
 *
 * <p>Values are converted to {@link #type()}. A function of doubles rounds an integer to the nearest double, or keeps
 * it {@linkplain #isExact() exactly} if the format does not declare the field; a boolean is 0 or 1. A record whose
 * value can't be converted, such as 0.5 to an integer, still appears in answers: the index does not summarise its
 * chunk, and queries scan it. Absent values, NaN, text and bytes are no value.
 */
public final class IndexFunction {
    /** The longest name, in characters. */
    public static final int NAME_LENGTH_MAX = 256;

    private static final String FIELD = "field";
    private static final String LAMBDA = "lambda";
    private static final int PARTS = 4;

    private final String origin;
    private final String name;
    private final ValueType type;
    private final ValueUnit unit;
    private final @Nullable FieldReader reader;
    private final PayloadFormat.@Nullable FixedField fixed;
    private final boolean exact;

    private IndexFunction(
            String origin,
            String name,
            ValueType type,
            ValueUnit unit,
            @Nullable FieldReader reader,
            PayloadFormat.@Nullable FixedField fixed,
            boolean exact) {
        if (name.length() > NAME_LENGTH_MAX) {
            throw new IllegalArgumentException(
                    "index function name is too long: characters=" + name.length() + ", max=" + NAME_LENGTH_MAX);
        }
        this.origin = origin;
        this.name = name;
        this.type = type;
        this.unit = unit;
        this.reader = reader;
        this.fixed = fixed;
        this.exact = exact;
    }

    /**
     * A field of a format, with its {@link #unit} and the type that fits it: {@link ValueType#I64} for integers and
     * booleans, {@link ValueType#U64} for {@code u64}, {@link ValueType#F64} for floating-point numbers and fields that
     * the format does not declare.
     *
     * @throws IllegalArgumentException when the format has no such field, or the field is not a number
     */
    public static IndexFunction field(PayloadFormat format, String fieldName) {
        Field.Type declared = format.declaredType(fieldName);
        return field(format, fieldName, declared == null ? ValueType.F64 : natural(declared), unit(format, fieldName));
    }

    /** The unit that the format gives a field, else the one that its name ends with. */
    public static ValueUnit unit(PayloadFormat format, String fieldName) {
        String unit = format.unit(fieldName);
        return unit == null ? ValueUnit.ofName(fieldName) : ValueUnit.parse(unit);
    }

    /**
     * A field of a format, with a type of the caller's choice.
     *
     * @throws IllegalArgumentException as for {@link #field(PayloadFormat, String)}
     */
    public static IndexFunction field(PayloadFormat format, String fieldName, ValueType type, ValueUnit unit) {
        FieldReader reader = format.field(fieldName);
        if (reader == null) {
            throw new UnknownFieldException(fieldName, format);
        }
        Field.Type declared = format.declaredType(fieldName);
        if (declared != null && !declared.isNumber() && declared != Field.Type.BOOL) {
            throw new IllegalArgumentException("field is not numeric: name=" + fieldName + ", type=" + declared.text()
                    + ", numbers=" + numbers(format));
        }
        boolean asItIs = declared != null && natural(declared) == type;
        boolean exact = declared == null && type == ValueType.F64;
        return new IndexFunction(
                FIELD, fieldName, type, unit, reader, asItIs ? format.fixedField(fieldName) : null, exact);
    }

    private static List<String> numbers(PayloadFormat format) {
        return format.fields().stream()
                .filter(field -> field.type().isNumber() || field.type() == Field.Type.ANY)
                .map(Field::name)
                .toList();
    }

    /**
     * A function of the program's own. The writer's thread calls it for each record of the source, and the threads of
     * queries do too. To leave a record without a value, it sets none. If it throws, the record has no value, and the
     * failure is counted.
     *
     * @param name the name by which it is supplied again
     * @param reader sets the value, which is {@link FieldValue.Kind#ABSENT} before the call; must not keep its
     *     arguments
     */
    public static IndexFunction of(String name, ValueType type, ValueUnit unit, FieldReader reader) {
        return new IndexFunction(LAMBDA, name, type, unit, reader, null, false);
    }

    private static ValueType natural(Field.Type type) {
        return type == Field.Type.U64
                ? ValueType.U64
                : type.isInteger() || type == Field.Type.BOOL ? ValueType.I64 : ValueType.F64;
    }

    /**
     * Parses a function from its text form, {@code field:i64:ns:latency_ns} or {@code lambda:f64:1:score}. A lambda is
     * not readable afterwards, nor is a field that the format does not have.
     *
     * @param format the source's format
     * @throws IllegalArgumentException for any other text
     */
    public static IndexFunction parse(String text, PayloadFormat format) {
        String[] parts = text.split(":", PARTS);
        if (parts.length < PARTS || !(parts[0].equals(FIELD) || parts[0].equals(LAMBDA))) {
            throw new IllegalArgumentException(
                    "unknown index function: text=" + text + ", known=field:TYPE:UNIT:NAME lambda:TYPE:UNIT:NAME");
        }
        ValueType type = ValueType.parse(parts[1]);
        ValueUnit unit = ValueUnit.parse(parts[2]);
        if (parts[0].equals(FIELD) && format.field(parts[3]) != null) {
            return field(format, parts[3], type, unit);
        }
        return new IndexFunction(parts[0], parts[3], type, unit, null, null, false);
    }

    /** The text form, kept in the schema. */
    public String text() {
        return String.join(":", origin, type.text(), unit.text(), name);
    }

    /** The name of the field, or of the lambda. */
    public String name() {
        return name;
    }

    /** Whether it is a function of the program's own, as opposed to a field. */
    public boolean isLambda() {
        return origin.equals(LAMBDA);
    }

    /** Whether it can read values; otherwise it only identifies the function of an index. */
    public boolean isReadable() {
        return reader != null;
    }

    public ValueType type() {
        return type;
    }

    public ValueUnit unit() {
        return unit;
    }

    /**
     * Whether integers that no double represents keep the part that rounding would lose: true for a field that the
     * format does not declare, read as {@link ValueType#F64}.
     */
    public boolean isExact() {
        return exact;
    }

    /** Reads the value; null if not readable. */
    public @Nullable FieldReader reader() {
        return reader;
    }

    /** Where the value is, if it has the same offset in all payloads and needs no conversion; else null. */
    public PayloadFormat.@Nullable FixedField fixedField() {
        return fixed;
    }

    /** Two functions are equal if their texts are equal. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof IndexFunction that && text().equals(that.text());
    }

    @Override
    public int hashCode() {
        return text().hashCode();
    }

    @Override
    public String toString() {
        return text();
    }
}
