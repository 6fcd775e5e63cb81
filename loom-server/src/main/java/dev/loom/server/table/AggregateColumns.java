package dev.loom.server.table;

import dev.loom.query.column.Column;
import dev.loom.query.service.AggregateRequest;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Aggregates in columns, one for each percentile, and two for its bounds if they are asked for. */
public final class AggregateColumns {
    private AggregateColumns() {}

    /** The columns of an answer. */
    public static List<Column> columns(AggregateRequest request) {
        ValueColumns columns = new ValueColumns(request.records(), request.field());
        if (request.field() == null) {
            return columns.integers("count").list();
        }
        columns.texts("field")
                .integers("count")
                .sums("sum")
                .values("min", "max")
                .means("mean");
        for (BigDecimal percentile : request.percentiles()) {
            String name = "p" + percentile.toPlainString();
            if (request.within() > 0) {
                columns.means(name).values(name + ".lower", name + ".upper");
            } else {
                columns.values(name);
            }
        }
        return columns.list();
    }

    /** A row of JSON as a row of these columns. */
    public static Map<String, @Nullable Object> flat(Map<String, @Nullable Object> row) {
        Map<String, @Nullable Object> flat = new LinkedHashMap<>(row);
        putPercentiles(row, flat);
        return flat;
    }

    /** Puts each percentile of a row of JSON into a row of columns. */
    static void putPercentiles(Map<String, @Nullable Object> row, Map<String, @Nullable Object> flat) {
        if (row.get("percentiles") instanceof Map<?, ?> percentiles) {
            percentiles.forEach((percentile, value) -> putPercentile("p" + percentile, value, flat));
        }
    }

    private static void putPercentile(String name, @Nullable Object value, Map<String, @Nullable Object> flat) {
        if (value instanceof Map<?, ?> bounds) {
            flat.put(name, bounds.get("estimate"));
            flat.put(name + ".lower", bounds.get("lower"));
            flat.put(name + ".upper", bounds.get("upper"));
        } else {
            flat.put(name, value);
        }
    }
}
