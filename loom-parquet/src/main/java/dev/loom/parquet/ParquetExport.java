package dev.loom.parquet;

import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.ValueUnit;
import dev.loom.format.Field;
import dev.loom.format.FieldValue;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import dev.loom.query.column.Column;
import dev.loom.query.column.ColumnValues;
import dev.loom.query.column.RecordColumns;
import dev.loom.query.model.Completeness;
import dev.loom.query.model.Order;
import dev.loom.query.model.TimeRange;
import dev.loom.read.SnapshotReader;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;

/**
 * Writes the records of one source in a time range as one Parquet file, oldest first. The columns: {@code time}, the arrival
 * as a timestamp in nanoseconds; {@code addr}, the record's address; and one for each field that the source's format declares,
 * with a type to match. All but the first two may be null. A field with the name of one of them becomes {@code fields.time},
 * {@code fields.addr}. A source whose records name their own fields has a column {@code json} with the text of each record;
 * {@link #column} adds single fields.
 *
 * <p>Takes constant memory: a row group of at most 32 MiB as compressed, four times the longest payload, and 1 MiB a column.
 * The footer is kept as well, which grows by half a KiB to 3 KiB a column with each row group. Pages are compressed by
 * Zstandard. Not thread-safe; the snapshot must stay open.
 */
public final class ParquetExport {
    private static final String TIME = "time";
    private static final String ADDRESS = "addr";

    /** Sets apart the names of columns in the file's metadata. */
    private static final String UNIT_KEY = "loom.unit.";

    private static final int STREAM_BYTES = 1 << 16;
    private static final int NAME_CHARACTERS = 32;
    private static final int LINKS_MAX = 40;

    private final Snapshot snapshot;
    private final Source source;
    private final RecordColumns columns;
    private TimeRange range = TimeRange.ALL;
    private BooleanSupplier cancelled = () -> false;
    private LongConsumer progress = records -> {};

    /**
     * What was written.
     *
     * @param records the rows of the file
     * @param unfitting values that are not of their column's type, which are null in the file
     * @param repaired texts that are not UTF-8, in which U+FFFD replaces what is not
     * @param completeness what the file lacks
     */
    public record Written(long records, long unfitting, long repaired, Completeness completeness) {}

    private ParquetExport(Snapshot snapshot, Source source) {
        this.snapshot = snapshot;
        this.source = source;
        columns = new RecordColumns(source.name(), source.format(), Set.of(TIME, ADDRESS));
    }

    /**
     * Prepares to write a source of the snapshot.
     *
     * @param source its {@link Source#format()} determines the columns
     */
    public static ParquetExport of(Snapshot snapshot, Source source) {
        return new ParquetExport(snapshot, source);
    }

    /** Only records that arrived in this range; default all. */
    public ParquetExport range(TimeRange arrivals) {
        range = Objects.requireNonNull(arrivals);
        return this;
    }

    /**
     * Adds a column for a field that the format does not declare: a key of JSON records as a dotted path, or one of a group
     * such as {@code attr.http.route}. Values that are not of the type are null; as {@link Field.Type#UTF8}, {@link
     * Field.Type#ANY} or {@link Field.Type#JSON} every value has a text, bytes that of Base64.
     *
     * @throws IllegalArgumentException if the format can't have the field, or it has a column already
     */
    public ParquetExport column(String field, Field.Type type) {
        columns.add(field, type);
        return this;
    }

    /**
     * Ends the file early, with what it has by then, once a condition is true; {@link Completeness#limit()} tells. It is asked
     * often, on the writing thread.
     */
    public ParquetExport cancelWhen(BooleanSupplier condition) {
        cancelled = Objects.requireNonNull(condition);
        return this;
    }

    /** Called by the writing thread about once a page of the log, with the number of records so far. */
    public ParquetExport progress(LongConsumer records) {
        progress = Objects.requireNonNull(records);
        return this;
    }

    /** What the file's metadata say. */
    private Map<String, String> metadata() {
        Map<String, String> metadata = new LinkedHashMap<>();
        metadata.put("loom.source", source.name());
        metadata.put("loom.format", source.format().text());
        for (Column column : columns.columns()) {
            if (column.unit() != ValueUnit.NONE) {
                metadata.put(UNIT_KEY + column.name(), column.unit().text());
            }
        }
        return metadata;
    }

    /**
     * Writes the file to a stream, which it flushes but does not close. The file is whole, and can be read, only after that;
     * what follows a failure is no Parquet file.
     *
     * @throws IOException if the stream can't be written
     */
    public Written write(OutputStream out) throws IOException {
        ColumnValues values = new ColumnValues();
        try (ParquetRows rows = new ParquetRows(out, TIME, ADDRESS, columns, values);
                SnapshotReader reader = SnapshotReader.of(snapshot);
                QueryCursor records = RawScan.of(snapshot, source)
                        .order(Order.OLDEST_FIRST)
                        .range(range)
                        .cancelWhen(cancelled)
                        .pulse(() -> progress.accept(rows.written()))
                        .open()) {
            FieldValue value = new FieldValue();
            value.lookup(reader.lookup());
            while (records.next()) {
                value.from(records.address());
                rows.write(records, value);
            }
            rows.end(metadata());
            out.flush();
            Completeness lookedUp =
                    new Completeness(0, reader.lookupPagesDamaged(), false, Completeness.Limit.NONE, false);
            return new Written(
                    rows.written(),
                    values.unfitting(),
                    values.repaired(),
                    records.completeness().and(lookedUp));
        } catch (IOException e) {
            throw rootOf(e);
        }
    }

    /** The failure of the stream, which Parquet may wrap. */
    private static IOException rootOf(IOException failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root instanceof IOException stream ? stream : failure;
    }

    /**
     * Writes the file under another name beside it, makes it durable, and then gives it its name, which may replace a file.
     * After a failure there is neither. A symbolic link stays, and where it leads is written so.
     *
     * @throws IOException if the file can't be written
     */
    public Written write(Path file) throws IOException {
        Path target = followed(file);
        Path partial = target.resolveSibling(partialName(target));
        try (FileChannel channel = FileChannel.open(partial, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW)) {
            Written written = write(new BufferedOutputStream(Channels.newOutputStream(channel), STREAM_BYTES));
            channel.force(true);
            Files.move(partial, target, StandardCopyOption.ATOMIC_MOVE);
            syncDirectory(target);
            return written;
        } finally {
            Files.deleteIfExists(partial);
        }
    }

    /** Where symbolic links lead, which need not exist. */
    private static Path followed(Path file) throws IOException {
        Path at = file;
        for (int links = 0; Files.isSymbolicLink(at); links++) {
            if (links == LINKS_MAX) {
                throw new FileSystemLoopException(file.toString());
            }
            at = at.resolveSibling(Files.readSymbolicLink(at));
        }
        return at;
    }

    /** A name no longer than a file system allows, whatever the file's own is: 32 characters are 128 bytes at most. */
    private static String partialName(Path target) {
        StringBuilder name = new StringBuilder(".");
        String.valueOf(target.getFileName()).codePoints().limit(NAME_CHARACTERS).forEach(name::appendCodePoint);
        return name + "." + UUID.randomUUID() + ".part";
    }

    private static void syncDirectory(Path file) {
        Path directory = file.toAbsolutePath().getParent();
        try (FileChannel opened = FileChannel.open(directory, StandardOpenOption.READ)) {
            opened.force(true);
        } catch (IOException e) {
            // not every file system can; the file itself is durable
        }
    }
}
