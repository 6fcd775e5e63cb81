package dev.loom.server.json;

import dev.loom.api.Index;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.Store;
import dev.loom.api.StoreInfo;
import dev.loom.api.TextIndexInfo;
import dev.loom.api.ValueUnit;
import dev.loom.server.request.SeenFields;
import dev.loom.server.request.SourceLookup;
import dev.loom.server.time.EventTime;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What a store has besides records, as rows of named values. */
public final class StoreRows {
    private StoreRows() {}

    /** A source. */
    public static Map<String, @Nullable Object> source(Source source, Source.Statistics statistics) {
        boolean empty = statistics.records() == 0;
        Map<String, @Nullable Object> row = new LinkedHashMap<>();
        row.put("name", source.name());
        row.put("id", source.id());
        row.put("format", source.format().text());
        if (source.format().failure() != null) {
            row.put("format_failure", source.format().failure());
        }
        row.put("records", statistics.records());
        row.put("bytes", statistics.bytes());
        row.put("first", empty ? null : statistics.firstTimeNs());
        row.put("last", empty ? null : statistics.lastTimeNs());
        row.put("lost", statistics.lost());
        if (statistics.deletedRecords() > 0) {
            row.put("deleted", statistics.deletedRecords());
        }
        if (source.closed()) {
            row.put("closed", true);
        }
        EventTime eventTime = EventTime.of(source);
        if (eventTime != null && eventTime.start()) {
            row.put("event_at", "start");
        }
        return row;
    }

    /**
     * The indexes of a source, or of all if none is named.
     *
     * @throws dev.loom.server.request.RefusedException if there is no such source
     */
    public static void indexes(
            Snapshot snapshot, @Nullable String sourceName, Consumer<Map<String, @Nullable Object>> rows) {
        List<Source> sources =
                sourceName == null ? snapshot.sources() : List.of(SourceLookup.find(snapshot, sourceName));
        for (Source source : sources) {
            snapshot.indexes(source.id()).forEach(index -> rows.accept(index(source, index)));
        }
    }

    /**
     * The fields of a source: those declared, then those that its newest records name.
     *
     * @throws dev.loom.server.request.RefusedException if there is no such source
     */
    public static void fields(Snapshot snapshot, String sourceName, Consumer<Map<String, @Nullable Object>> rows) {
        Source source = SourceLookup.find(snapshot, sourceName);
        List<Index> indexes = snapshot.indexes(source.id()).stream()
                .filter(index -> !index.closed())
                .toList();
        source.format()
                .fields()
                .forEach(field ->
                        rows.accept(field(source, field.name(), field.type().text(), true, indexes)));
        SeenFields.of(snapshot, source)
                .seen()
                .forEach((name, type) -> rows.accept(field(source, name, type, false, indexes)));
    }

    private static Map<String, @Nullable Object> field(
            Source source, String name, String type, boolean declared, List<Index> indexes) {
        Map<String, @Nullable Object> row = new LinkedHashMap<>();
        row.put("name", name);
        row.put("type", type);
        ValueUnit unit = ValueUnit.ofName(name);
        String declaredUnit = source.format().unit(name);
        row.put("unit", declaredUnit != null ? declaredUnit : unit == ValueUnit.NONE ? null : unit.text());
        row.put("declared", declared);
        row.put(
                "indexes",
                indexes.stream()
                        .filter(index -> index.function().name().equals(name))
                        .map(Index::name)
                        .toList());
        return row;
    }

    private static Map<String, @Nullable Object> index(Source source, Index index) {
        Map<String, @Nullable Object> row = new LinkedHashMap<>();
        row.put("source", source.name());
        row.put("source_id", source.id());
        row.put("name", index.name());
        row.put("id", index.id());
        row.put("kind", index.kind().text());
        row.put("field", index.function().name());
        row.put("type", index.function().type().text());
        row.put("unit", index.function().unit().text());
        row.put("bins", index.kind() == Index.Kind.VALUE ? index.bins().text() : null);
        if (index.key() != null) {
            row.put("by", index.key().fields());
        }
        row.put("from_address", index.fromAddress());
        if (index.closed()) {
            row.put("closed", true);
        }
        return row;
    }

    /** The settings and the state of a store. */
    public static Map<String, Object> info(Store store, Path directory) throws IOException {
        StoreInfo info = store.info();
        Map<String, Object> values = InfoValues.of(info);
        try (Snapshot snapshot = store.snapshot()) {
            addTotals(snapshot, values);
            addTextIndexes(snapshot, info.session(), values);
        }
        values.put("disk_bytes", diskBytes(directory));
        return values;
    }

    private static void addTotals(Snapshot snapshot, Map<String, Object> values) {
        long records = 0;
        long bytes = 0;
        long lost = 0;
        long deleted = 0;
        for (Source source : snapshot.sources()) {
            Source.Statistics statistics = snapshot.statistics(source.id());
            records += statistics.records();
            bytes += statistics.bytes();
            lost += statistics.lost();
            deleted += statistics.deletedRecords();
        }
        values.put("records", records);
        values.put("payload_bytes", bytes);
        values.put("lost", lost);
        if (deleted > 0) {
            values.put("deleted_records", deleted);
        }
    }

    /** The text indexes of all sources, where there is one with records. */
    private static void addTextIndexes(
            Snapshot snapshot, Optional<StoreInfo.Session> session, Map<String, Object> values) {
        long rowUnits = 0;
        long columnUnits = 0;
        long bytes = 0;
        long records = 0;
        long words = 0;
        long recordsLeft = 0;
        long bytesLeft = 0;
        for (Source source : snapshot.sources()) {
            TextIndexInfo index = snapshot.textIndex(source.id()).orElse(null);
            if (index != null) {
                rowUnits += index.rowUnits();
                columnUnits += index.columnUnits();
                bytes += index.bytes();
                records += index.records();
                words += index.words();
                recordsLeft += index.recordsLeft();
                bytesLeft += index.bytesLeft();
            }
        }
        if (bytes > 0 || recordsLeft > 0) {
            session.ifPresent(live -> values.put("text_open_units", live.textOpenUnits()));
            values.put("text_row_units", rowUnits);
            values.put("text_column_units", columnUnits);
            values.put("text_bytes", bytes);
            if (records > 0 && words > 0) {
                values.put("text_bytes_per_record", tenths(bytes, records));
                values.put("text_bytes_per_word", tenths(bytes, words));
            }
            values.put("text_records_left", recordsLeft);
            values.put("text_bytes_left", bytesLeft);
        }
    }

    /** A ratio with one digit behind the point. */
    private static double tenths(long bytes, long things) {
        return Math.round(10.0 * bytes / things) / 10.0;
    }

    /** What the files of a store take together; those that go meanwhile count nothing. */
    public static long diskBytes(Path directory) throws IOException {
        long[] bytes = {0};
        Files.walkFileTree(directory, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                bytes[0] += attributes.size();
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) {
                return FileVisitResult.CONTINUE;
            }
        });
        return bytes[0];
    }
}
