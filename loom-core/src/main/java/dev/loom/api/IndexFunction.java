package dev.loom.api;

import dev.loom.format.Field;
import dev.loom.format.FieldReader;
import dev.loom.format.FieldType;
import dev.loom.format.FieldValue;
import dev.loom.format.FixedField;
import dev.loom.format.PayloadFormat;
import dev.loom.format.UnknownFieldException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A function from a record's payload to a number, or to none: what an index is over. Immutable.
 *
 * <p>It runs within pushes, rebuilds and queries, and may not write to the store that calls it.
 *
 * <p>That of a format's field is made again from its {@link #text()} whenever a store is opened. One of the program's own
 * has a name, and has to be supplied again ({@link dev.loom.LoomConfig.Builder#indexFunction}); until then it {@linkplain
 * #isReadable() can't be read}.
 *
 * <p>A value counts as what its {@link #type()} says: an integer given to a function of doubles as the double nearest to it, or
 * where the format does not declare the field {@linkplain #isExact() exactly}; a boolean as 0 or 1. A record whose value can't be one of the type, such as 0.5 for one of integers, is not left out of
 * answers: its chunk is not summarised by the index, and is scanned. Absent values, NaN, texts and bytes are no value.
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
    private final @Nullable FixedField fixed;
    private final boolean exact;

    private IndexFunction(
            String origin,
            String name,
            ValueType type,
            ValueUnit unit,
            @Nullable FieldReader reader,
            @Nullable FixedField fixed,
            boolean exact) {
        if (name.length() > NAME_LENGTH_MAX) {
            throw new IllegalArgumentException(
                    "index function's name is too long: characters=" + name.length() + ", max=" + NAME_LENGTH_MAX);
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
     * A field of a format, as the type that suits it: integers and booleans {@link ValueType#I64}, {@code u64} {@link
     * ValueType#U64}, floating-point numbers and what the format does not declare {@link ValueType#F64}; and with its {@link
     * #unit}.
     *
     * @throws IllegalArgumentException when the format has no such field, or it is no number
     */
    public static IndexFunction field(PayloadFormat format, String fieldName) {
        FieldType declared = format.declaredType(fieldName);
        return field(format, fieldName, declared == null ? ValueType.F64 : natural(declared), unit(format, fieldName));
    }

    /** The unit that a format says a field has, else that which its name ends with. */
    public static ValueUnit unit(PayloadFormat format, String fieldName) {
        String unit = format.unit(fieldName);
        return unit == null ? ValueUnit.ofName(fieldName) : ValueUnit.parse(unit);
    }

    /**
     * A field of a format, as a type of one's choice.
     *
     * @throws IllegalArgumentException as of {@link #field(PayloadFormat, String)}
     */
    public static IndexFunction field(PayloadFormat format, String fieldName, ValueType type, ValueUnit unit) {
        FieldReader reader = format.field(fieldName);
        if (reader == null) {
            throw new UnknownFieldException(fieldName, format);
        }
        FieldType declared = format.declaredType(fieldName);
        if (declared != null && !declared.isNumber() && declared != FieldType.BOOL) {
            throw new IllegalArgumentException("field is no number: name=" + fieldName + ", type=" + declared.text()
                    + ", numbers=" + numbers(format));
        }
        boolean asItIs = declared != null && natural(declared) == type;
        boolean exact = declared == null && type == ValueType.F64;
        return new IndexFunction(
                FIELD, fieldName, type, unit, reader, asItIs ? format.fixedField(fieldName) : null, exact);
    }

    private static List<String> numbers(PayloadFormat format) {
        return format.fields().stream()
                .filter(field -> field.type().isNumber() || field.type() == FieldType.ANY)
                .map(Field::name)
                .toList();
    }

    /**
     * A function of one's own, called by the writer's thread for each record of the source, and by those of queries. It
     * leaves a record without a value by setting none. If it throws, the record has no value, and that is counted.
     *
     * @param name by which it is supplied again
     * @param reader sets the value, which is {@link FieldValue.Kind#ABSENT} before the call; keeps nothing of its arguments
     */
    public static IndexFunction of(String name, ValueType type, ValueUnit unit, FieldReader reader) {
        return new IndexFunction(LAMBDA, name, type, unit, reader, null, false);
    }

    private static ValueType natural(FieldType type) {
        return type == FieldType.U64
                ? ValueType.U64
                : type.isInteger() || type == FieldType.BOOL ? ValueType.I64 : ValueType.F64;
    }

    /**
     * Makes the function of a text form, {@code field:i64:ns:latency_ns} or {@code lambda:f64:1:score}. A lambda can't be
     * read then, nor a field that the format does not have.
     *
     * @param format the source's
     * @throws IllegalArgumentException for another text
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

    /** The form kept in the schema. */
    public String text() {
        return String.join(":", origin, type.text(), unit.text(), name);
    }

    /** The name of the field, or of the lambda. */
    public String name() {
        return name;
    }

    /** Whether it is a function of the program's own. */
    public boolean isLambda() {
        return origin.equals(LAMBDA);
    }

    /** Whether it gives values, rather than only saying what function an index is over. */
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
     * Whether integers that are no doubles keep what they have more than the double below them: those of a field that the
     * format does not declare, read as {@link ValueType#F64}.
     */
    public boolean isExact() {
        return exact;
    }

    /** What reads the value; null if it can't be read. */
    public @Nullable FieldReader reader() {
        return reader;
    }

    /** Where the value is, if it is at one place in all payloads and of a type that needs no conversion; else null. */
    public @Nullable FixedField fixedField() {
        return fixed;
    }

    /** Two functions are equal when their texts are. */
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
