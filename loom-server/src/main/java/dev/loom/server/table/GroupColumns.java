package dev.loom.server.table;

import dev.loom.format.PayloadFormat;
import dev.loom.query.column.Column;
import dev.loom.query.service.GroupRequest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Groups in columns: the fields of the key, then what is known of each group. */
public final class GroupColumns {
    private final List<String> percentiles;
    private final List<String> keys = new ArrayList<>();
    private final List<Column> columns;

    public GroupColumns(GroupRequest request) {
        boolean values = request.field() != null;
        percentiles = request.percentiles().stream()
                .map(each -> "p" + each.toPlainString())
                .distinct()
                .toList();
        ValueColumns found = new ValueColumns(request.records(), request.field());
        found.booleans("other").times(request.keys().steps() == null ? new String[0] : new String[] {"from", "to"});
        found.integers("count");
        if (values) {
            found.sums("sum").values("min", "max").means("mean");
        }
        found.doubles("rate").values(percentiles.toArray(String[]::new));
        if (request.distinct() != null) {
            found.integers("distinct").booleans("distinct_exact");
        }
        List<Column> others = found.list();
        PayloadFormat format = request.records().source().format();
        ValueColumns all = new ValueColumns(request.records(), request.field());
        for (String field : request.keys().fields()) {
            String name = unlike(field, others);
            keys.add(name);
            all.key(format, field, name);
        }
        columns = new ArrayList<>(all.list());
        columns.addAll(others);
    }

    /** The name of a field's column, which no other column has. */
    private String unlike(String field, List<Column> others) {
        List<String> taken = others.stream().map(Column::name).toList();
        String name = field;
        while (taken.contains(name) || keys.contains(name)) {
            name = "by." + name;
        }
        return name;
    }

    /** The columns of an answer. */
    public List<Column> columns() {
        return columns;
    }

    /** The names of the columns of the key. */
    public List<String> keys() {
        return keys;
    }

    /** The names of the columns of percentiles. */
    public List<String> percentiles() {
        return percentiles;
    }

    /** A row of JSON as a row of these columns. */
    public Map<String, @Nullable Object> flat(Map<String, @Nullable Object> row) {
        Map<String, @Nullable Object> flat = new LinkedHashMap<>(row);
        flat.put("other", row.containsKey("other"));
        AggregateColumns.putPercentiles(row, flat);
        Object[] values = row.get("by") instanceof Map<?, ?> by ? by.values().toArray() : new Object[keys.size()];
        for (int i = 0; i < values.length; i++) {
            flat.put(keys.get(i), values[i]);
        }
        return flat;
    }
}
