package dev.loom.parquet;

import dev.loom.query.column.Column;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeUnit;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Type;
import org.apache.parquet.schema.Types;

/** The types of Parquet for those of columns. */
final class ParquetType {
    /** Epoch nanoseconds, UTC. */
    static final LogicalTypeAnnotation TIMESTAMP = LogicalTypeAnnotation.timestampType(true, TimeUnit.NANOS);

    private ParquetType() {}

    static PrimitiveType of(Column column) {
        if (column.time()) {
            return of(column, PrimitiveTypeName.INT64, TIMESTAMP);
        }
        return switch (column.type()) {
            case I8, I16, I32, U8, U16, U32 -> of(column, PrimitiveTypeName.INT32, integer(column));
            case I64, U64 -> of(column, PrimitiveTypeName.INT64, integer(column));
            case F32 -> Types.optional(PrimitiveTypeName.FLOAT).named(column.name());
            case F64 -> Types.optional(PrimitiveTypeName.DOUBLE).named(column.name());
            case BOOL -> Types.optional(PrimitiveTypeName.BOOLEAN).named(column.name());
            case UTF8, ANY, JSON -> of(column, PrimitiveTypeName.BINARY, LogicalTypeAnnotation.stringType());
            case BYTES -> Types.optional(PrimitiveTypeName.BINARY).named(column.name());
        };
    }

    private static LogicalTypeAnnotation integer(Column column) {
        return LogicalTypeAnnotation.intType(
                column.type().fixedLength() * Byte.SIZE, !column.type().isUnsigned());
    }

    private static PrimitiveType of(Column column, PrimitiveTypeName stored, LogicalTypeAnnotation meaning) {
        return Types.primitive(stored, Type.Repetition.OPTIONAL).as(meaning).named(column.name());
    }
}
