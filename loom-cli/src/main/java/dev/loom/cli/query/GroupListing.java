package dev.loom.cli.query;

import dev.loom.api.ValueUnit;
import dev.loom.cli.chart.ValueText;
import dev.loom.cli.output.KeyText;
import dev.loom.cli.output.Listing;
import dev.loom.query.service.GroupRequest;
import dev.loom.server.table.GroupColumns;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Groups as rows of a table: columns for the fields of the key, then for what is known of each group. */
final class GroupListing {
    private static final List<String> VALUES = List.of("sum", "min", "max", "mean");

    private final GroupRequest request;
    private final GroupColumns table;

    GroupListing(GroupRequest request) {
        this.request = request;
        table = new GroupColumns(request);
    }

    /** A listing with these columns, without rows. */
    Listing begin() {
        List<String> columns = new ArrayList<>(table.keys());
        // a narrow terminal leaves out the last ones
        columns.addAll(List.of("count", "rate"));
        columns.addAll(table.percentiles());
        columns.addAll(request.distinct() == null ? List.of() : List.of("distinct"));
        columns.addAll(request.field() == null ? List.of() : List.of("mean", "min", "max", "sum"));
        ValueUnit unit = request.records().function(request.field()).unit();
        List<String> united = new ArrayList<>(VALUES);
        united.addAll(table.percentiles());
        return new Listing(columns.toArray(String[]::new)).unit(unit, united).numbers("rate");
    }

    /** A row of JSON as a row of this listing. */
    Map<String, @Nullable Object> flat(Map<String, @Nullable Object> row) {
        Map<String, @Nullable Object> flat = table.flat(row);
        if (row.get("rate") instanceof Double rate) {
            flat.put("rate", ValueText.compact(rate, ValueUnit.NONE) + "/s");
        }
        if (row.containsKey("other") && !table.keys().isEmpty()) {
            flat.put(table.keys().get(0), new Listing.Note(KeyText.OTHER));
        }
        return flat;
    }
}
