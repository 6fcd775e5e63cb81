package dev.loom.server.table;

import dev.loom.api.IndexFunction;
import dev.loom.api.ValueType;
import dev.loom.api.ValueUnit;
import dev.loom.format.Field;
import dev.loom.format.PayloadFormat;
import dev.loom.query.column.Column;
import dev.loom.query.service.RecordSelection;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Columns of what is computed from a field's numbers. */
final class ValueColumns {
    private final List<Column> columns = new ArrayList<>();
    private final IndexFunction function;
    private final boolean time;

    /** @param field null if records are counted */
    ValueColumns(RecordSelection records, @Nullable String field) {
        function = records.function(field);
        time = field != null
                && function.type() == ValueType.I64
                && records.source().format().isTime(field);
    }

    /** Columns of whole numbers. */
    ValueColumns integers(String... names) {
        Arrays.stream(names).map(name -> new Column(name, Field.Type.I64)).forEach(columns::add);
        return this;
    }

    ValueColumns texts(String... names) {
        Arrays.stream(names).map(name -> new Column(name, Field.Type.UTF8)).forEach(columns::add);
        return this;
    }

    ValueColumns booleans(String... names) {
        Arrays.stream(names).map(name -> new Column(name, Field.Type.BOOL)).forEach(columns::add);
        return this;
    }

    /** Columns of numbers that are none of the field's. */
    ValueColumns doubles(String... names) {
        Arrays.stream(names).map(name -> new Column(name, Field.Type.F64)).forEach(columns::add);
        return this;
    }

    /** Columns of moments in epoch nanoseconds. */
    ValueColumns times(String... names) {
        Arrays.stream(names).map(Column::time).forEach(columns::add);
        return this;
    }

    /** Columns of values that the field may have. */
    ValueColumns values(String... names) {
        ValueUnit unit = time ? ValueUnit.NONE : function.unit();
        Arrays.stream(names).map(name -> new Column(name, type(), time, unit)).forEach(columns::add);
        return this;
    }

    /** Columns of sums of values. */
    ValueColumns sums(String... names) {
        Arrays.stream(names)
                .map(name -> new Column(name, type(), false, function.unit()))
                .forEach(columns::add);
        return this;
    }

    /** Columns of what lies between values. */
    ValueColumns means(String... names) {
        Arrays.stream(names)
                .map(name -> new Column(name, Field.Type.F64, false, function.unit()))
                .forEach(columns::add);
        return this;
    }

    /** A column of the values of any field. */
    ValueColumns key(PayloadFormat format, String field, String name) {
        Field.Type declared = format.declaredType(field);
        Field.Type type = declared == null ? Field.Type.ANY : declared;
        boolean moments = type.isInteger() && format.isTime(field);
        ValueUnit unit = type.isNumber() && !moments ? IndexFunction.unit(format, field) : ValueUnit.NONE;
        columns.add(new Column(name, type, moments, unit));
        return this;
    }

    private Field.Type type() {
        return switch (function.type()) {
            case I64 -> Field.Type.I64;
            case U64 -> Field.Type.U64;
            case F64 -> Field.Type.F64;
        };
    }

    List<Column> list() {
        return List.copyOf(columns);
    }
}
