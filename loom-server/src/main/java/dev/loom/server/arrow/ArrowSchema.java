package dev.loom.server.arrow;

import com.google.flatbuffers.FlatBufferBuilder;
import dev.loom.api.ValueUnit;
import dev.loom.query.column.Column;
import java.util.List;
import java.util.Map;
import org.apache.arrow.flatbuf.Binary;
import org.apache.arrow.flatbuf.Bool;
import org.apache.arrow.flatbuf.Endianness;
import org.apache.arrow.flatbuf.Field;
import org.apache.arrow.flatbuf.FloatingPoint;
import org.apache.arrow.flatbuf.Int;
import org.apache.arrow.flatbuf.KeyValue;
import org.apache.arrow.flatbuf.Precision;
import org.apache.arrow.flatbuf.Schema;
import org.apache.arrow.flatbuf.TimeUnit;
import org.apache.arrow.flatbuf.Timestamp;
import org.apache.arrow.flatbuf.Type;
import org.apache.arrow.flatbuf.Utf8;

/** Columns as a schema of Arrow. */
final class ArrowSchema {
    private static final String UNIT = "loom.unit";

    private ArrowSchema() {}

    /**
     * Puts a schema; returns its offset.
     *
     * @param required how many of the columns, the first ones, lack no value
     */
    static int put(FlatBufferBuilder into, List<Column> columns, int required, Map<String, String> metadata) {
        int[] fields = new int[columns.size()];
        for (int i = 0; i < fields.length; i++) {
            fields[i] = putField(into, columns.get(i), i >= required);
        }
        int vector = Schema.createFieldsVector(into, fields);
        int said = Schema.createCustomMetadataVector(into, putAll(into, metadata));
        Schema.startSchema(into);
        Schema.addEndianness(into, Endianness.Little);
        Schema.addFields(into, vector);
        Schema.addCustomMetadata(into, said);
        return Schema.endSchema(into);
    }

    private static int putField(FlatBufferBuilder into, Column column, boolean nullable) {
        int name = into.createString(column.name());
        int children = Field.createChildrenVector(into, new int[0]);
        Map<String, String> metadata = column.unit() == ValueUnit.NONE
                ? Map.of()
                : Map.of(UNIT, column.unit().text());
        int said = Field.createCustomMetadataVector(into, putAll(into, metadata));
        int type = putType(into, column);
        Field.startField(into);
        Field.addName(into, name);
        Field.addNullable(into, nullable);
        Field.addTypeType(into, typeOf(column));
        Field.addType(into, type);
        Field.addChildren(into, children);
        Field.addCustomMetadata(into, said);
        return Field.endField(into);
    }

    private static byte typeOf(Column column) {
        if (column.time()) {
            return Type.Timestamp;
        }
        return switch (column.type()) {
            case I8, I16, I32, I64, U8, U16, U32, U64 -> Type.Int;
            case F32, F64 -> Type.FloatingPoint;
            case BOOL -> Type.Bool;
            case UTF8, ANY, JSON -> Type.Utf8;
            case BYTES -> Type.Binary;
        };
    }

    private static int putType(FlatBufferBuilder into, Column column) {
        switch (typeOf(column)) {
            case Type.Timestamp -> {
                return Timestamp.createTimestamp(into, TimeUnit.NANOSECOND, into.createString("UTC"));
            }
            case Type.Int -> {
                return Int.createInt(
                        into,
                        column.type().fixedLength() * Byte.SIZE,
                        !column.type().isUnsigned());
            }
            case Type.FloatingPoint -> {
                return FloatingPoint.createFloatingPoint(
                        into, column.type().fixedLength() == Float.BYTES ? Precision.SINGLE : Precision.DOUBLE);
            }
            case Type.Bool -> {
                Bool.startBool(into);
                return Bool.endBool(into);
            }
            case Type.Utf8 -> {
                Utf8.startUtf8(into);
                return Utf8.endUtf8(into);
            }
            default -> {
                Binary.startBinary(into);
                return Binary.endBinary(into);
            }
        }
    }

    /** Puts pairs; returns their offsets. */
    static int[] putAll(FlatBufferBuilder into, Map<String, String> metadata) {
        return metadata.entrySet().stream()
                .mapToInt(entry -> KeyValue.createKeyValue(
                        into, into.createString(entry.getKey()), into.createString(entry.getValue())))
                .toArray();
    }
}
