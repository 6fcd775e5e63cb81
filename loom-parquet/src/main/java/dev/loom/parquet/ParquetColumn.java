package dev.loom.parquet;

import dev.loom.format.Field;
import dev.loom.format.FieldReader;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeUnit;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Type;
import org.apache.parquet.schema.Types;

/**
 * A column with the values of one field.
 *
 * @param name in the file
 * @param time whether its integers are epoch nanoseconds
 */
record ParquetColumn(String name, Field.Type type, boolean time, FieldReader reader) {
    /** Epoch nanoseconds, UTC. */
    static final LogicalTypeAnnotation TIMESTAMP = LogicalTypeAnnotation.timestampType(true, TimeUnit.NANOS);

    /** The type of Parquet. */
    PrimitiveType primitive() {
        if (time) {
            return of(PrimitiveTypeName.INT64, TIMESTAMP);
        }
        return switch (type) {
            case I8, I16, I32, U8, U16, U32 ->
                of(
                        PrimitiveTypeName.INT32,
                        LogicalTypeAnnotation.intType(type.fixedLength() * Byte.SIZE, !type.isUnsigned()));
            case I64, U64 -> of(PrimitiveTypeName.INT64, LogicalTypeAnnotation.intType(Long.SIZE, !type.isUnsigned()));
            case F32 -> Types.optional(PrimitiveTypeName.FLOAT).named(name);
            case F64 -> Types.optional(PrimitiveTypeName.DOUBLE).named(name);
            case BOOL -> Types.optional(PrimitiveTypeName.BOOLEAN).named(name);
            case UTF8, ANY, JSON -> of(PrimitiveTypeName.BINARY, LogicalTypeAnnotation.stringType());
            case BYTES -> Types.optional(PrimitiveTypeName.BINARY).named(name);
        };
    }

    private PrimitiveType of(PrimitiveTypeName stored, LogicalTypeAnnotation meaning) {
        return Types.primitive(stored, Type.Repetition.OPTIONAL).as(meaning).named(name);
    }

    /** The least integer that the column holds. */
    long least() {
        return type.isUnsigned() && !time ? 0 : time ? Long.MIN_VALUE : Long.MIN_VALUE >> (Long.SIZE - bits());
    }

    /** The greatest integer of a signed long that the column holds. */
    long greatest() {
        if (time || type.fixedLength() == Long.BYTES) {
            return Long.MAX_VALUE;
        }
        return type.isUnsigned() ? (1L << bits()) - 1 : Long.MAX_VALUE >> (Long.SIZE - bits());
    }

    /** Whether its integers are stored in 4 bytes. */
    boolean isShort() {
        return !time && type.fixedLength() < Long.BYTES;
    }

    /** Whether it holds integers beyond {@code Long.MAX_VALUE}. */
    boolean isUnsignedLong() {
        return !time && type == Field.Type.U64;
    }

    private int bits() {
        return type.fixedLength() * Byte.SIZE;
    }
}
