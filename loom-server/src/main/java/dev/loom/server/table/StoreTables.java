package dev.loom.server.table;

import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.format.Field;
import dev.loom.query.column.Column;
import dev.loom.server.json.StoreRows;
import dev.loom.server.time.EventTime;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What a store has besides records, in columns. */
public final class StoreTables {
    /** The columns of sources. */
    public static final List<Column> SOURCES = List.of(
            new Column("name", Field.Type.UTF8),
            new Column("id", Field.Type.I64),
            new Column("records", Field.Type.I64),
            new Column("bytes", Field.Type.I64),
            Column.time("first"),
            Column.time("last"),
            new Column("lost", Field.Type.I64),
            new Column("closed", Field.Type.BOOL),
            new Column("event_time", Field.Type.UTF8),
            new Column("format", Field.Type.UTF8));

    /** The columns of indexes. */
    public static final List<Column> INDEXES = List.of(
            new Column("source", Field.Type.UTF8),
            new Column("name", Field.Type.UTF8),
            new Column("id", Field.Type.I64),
            new Column("kind", Field.Type.UTF8),
            new Column("field", Field.Type.UTF8),
            new Column("type", Field.Type.UTF8),
            new Column("unit", Field.Type.UTF8),
            new Column("bins", Field.Type.UTF8),
            new Column("from_address", Field.Type.I64),
            new Column("closed", Field.Type.BOOL),
            new Column("source_id", Field.Type.I64));

    /** The columns of fields. */
    public static final List<Column> FIELDS = List.of(
            new Column("name", Field.Type.UTF8),
            new Column("type", Field.Type.UTF8),
            new Column("unit", Field.Type.UTF8),
            new Column("declared", Field.Type.BOOL),
            new Column("indexes", Field.Type.UTF8));

    /** The columns of what is known of the store itself: a row for each value, as its text. */
    public static final List<Column> INFO =
            List.of(new Column("name", Field.Type.UTF8), new Column("value", Field.Type.UTF8));

    private StoreTables() {}

    /** A source as a row. */
    public static Map<String, @Nullable Object> source(Source source, Source.Statistics statistics) {
        Map<String, @Nullable Object> row = StoreRows.source(source, statistics);
        EventTime eventTime = EventTime.of(source);
        if (eventTime != null) {
            row.put("event_time", eventTime.text());
        }
        return row;
    }

    /** Writes the sources. */
    public static void sources(Snapshot snapshot, List<Source> sources, TableForm into) {
        into.begin(SOURCES);
        sources.forEach(source -> into.add(source(source, snapshot.statistics(source.id()))));
    }

    /**
     * Writes the indexes of a source, or of all if none is named.
     *
     * @throws dev.loom.server.request.RefusedException if there is no such source
     */
    public static void indexes(Snapshot snapshot, @Nullable String source, TableForm into) {
        into.begin(INDEXES);
        StoreRows.indexes(snapshot, source, into::add);
    }

    /**
     * Writes the fields of a source; the names of several indexes are separated by commas.
     *
     * @throws dev.loom.server.request.RefusedException if there is no such source
     */
    public static void fields(Snapshot snapshot, String source, TableForm into) {
        into.begin(FIELDS);
        StoreRows.fields(snapshot, source, row -> {
            row.computeIfPresent(
                    "indexes",
                    (name, indexes) ->
                            ((List<?>) indexes).stream().map(String::valueOf).collect(Collectors.joining(",")));
            into.add(row);
        });
    }

    /** Writes named values, a row each. */
    public static void info(Map<String, Object> values, TableForm into) {
        into.begin(INFO);
        values.forEach((name, value) -> into.add(Map.of("name", name, "value", value)));
    }
}
