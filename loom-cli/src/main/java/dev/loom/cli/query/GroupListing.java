package dev.loom.cli.query;

import dev.loom.api.ValueUnit;
import dev.loom.cli.chart.ValueText;
import dev.loom.cli.output.KeyText;
import dev.loom.cli.output.Listing;
import dev.loom.cli.output.OutputFormat;
import dev.loom.query.service.GroupRequest;
import dev.loom.server.json.FieldCell;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Groups as rows of a table or of CSV: columns for the fields of the key, then for what is known of each group. */
final class GroupListing {
    private static final List<String> VALUES = List.of("sum", "min", "max", "mean");

    private final GroupRequest request;
    private final OutputFormat form;
    /** The columns of the key's fields. */
    private final List<String> keys = new ArrayList<>();

    private final List<String> others = new ArrayList<>();
    private final List<String> percentiles;

    GroupListing(GroupRequest request, OutputFormat form) {
        this.request = request;
        this.form = form;
        boolean values = request.field() != null;
        percentiles = values
                ? request.percentiles().stream()
                        .map(each -> "p" + each.toPlainString())
                        .distinct()
                        .toList()
                : List.of();
        if (form == OutputFormat.TABLE) {
            // a narrow terminal leaves out the last ones
            others.addAll(List.of("count", "rate"));
            others.addAll(percentiles);
            addDistinct("distinct");
            others.addAll(values ? List.of("mean", "min", "max", "sum") : List.of());
        } else {
            others.add("other");
            others.addAll(request.keys().steps() == null ? List.of() : List.of("from", "to"));
            others.add("count");
            others.addAll(values ? VALUES : List.of());
            others.add("rate");
            others.addAll(percentiles);
            addDistinct("distinct", "distinct_exact");
        }
        request.keys().fields().forEach(field -> keys.add(unlike(field)));
    }

    private void addDistinct(String... columns) {
        others.addAll(request.distinct() == null ? List.of() : List.of(columns));
    }

    /** The name of a field's column, which no other column has. */
    private String unlike(String field) {
        String column = field;
        while (others.contains(column) || keys.contains(column)) {
            column = "by." + column;
        }
        return column;
    }

    /** A listing with these columns, without rows. */
    Listing begin() {
        List<String> columns = new ArrayList<>(keys);
        columns.addAll(others);
        ValueUnit unit = request.records().function(request.field()).unit();
        List<String> united = new ArrayList<>(VALUES);
        united.addAll(percentiles);
        return new Listing(columns.toArray(String[]::new)).unit(unit, united).numbers("rate");
    }

    /** A row of JSON as a row of this listing. */
    Map<String, @Nullable Object> flat(Map<String, @Nullable Object> row) {
        Map<String, @Nullable Object> flat = new LinkedHashMap<>(row);
        boolean table = form == OutputFormat.TABLE;
        boolean other = row.containsKey("other");
        flat.put("other", other);
        if (row.get("percentiles") instanceof Map<?, ?> found) {
            found.forEach((percentile, value) -> flat.put("p" + percentile, value));
        }
        if (table && row.get("rate") instanceof Double rate) {
            flat.put("rate", ValueText.compact(rate, ValueUnit.NONE) + "/s");
        }
        Object[] values = row.get("by") instanceof Map<?, ?> by ? by.values().toArray() : new Object[keys.size()];
        for (int i = 0; i < values.length; i++) {
            flat.put(keys.get(i), table ? tableCell(values[i], i, other) : values[i]);
        }
        return flat;
    }

    private static @Nullable Object tableCell(@Nullable Object value, int place, boolean other) {
        if (value instanceof FieldCell cell) {
            return cell;
        }
        return other && place == 0 ? new Listing.Note(KeyText.OTHER) : null;
    }
}
