package dev.loom.server.table;

import dev.loom.format.PayloadFormat;
import dev.loom.query.column.Column;
import dev.loom.query.service.SeriesRequest;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What series say in columns: the fields that they are grouped by, then the step, then what was asked for. */
public final class SeriesColumns {
    private static final List<String> OTHERS = List.of("from", "to", "series", "points", "last", "increase", "rate");

    private SeriesColumns() {}

    /** The columns of an answer. */
    public static List<Column> columns(SeriesRequest request) {
        PayloadFormat format = request.records().source().format();
        ValueColumns columns = new ValueColumns(request.records(), null);
        request.by().forEach(field -> columns.key(format, field, column(field)));
        columns.times("from", "to").integers("series", "points");
        if (request.functions().last()) {
            columns.doubles("last");
        }
        if (request.functions().increase()) {
            columns.doubles("increase");
        }
        if (request.functions().rate()) {
            columns.doubles("rate");
        }
        for (BigDecimal percentile : request.functions().percentiles()) {
            String name = "p" + percentile.toPlainString();
            columns.doubles(name, name + ".lower", name + ".upper");
        }
        return columns.list();
    }

    /** The name of a field's column, which is none of the others. */
    private static String column(String field) {
        return OTHERS.contains(field) || field.matches("p\\d.*") ? "by." + field : field;
    }

    /** A row of JSON as a row of these columns. */
    public static Map<String, @Nullable Object> flat(Map<String, @Nullable Object> row) {
        Map<String, @Nullable Object> flat = new LinkedHashMap<>(row);
        ((Map<?, ?>) Objects.requireNonNull(row.get("by")))
                .forEach((field, value) -> flat.put(column(String.valueOf(field)), value));
        AggregateColumns.putPercentiles(row, flat);
        return flat;
    }
}
