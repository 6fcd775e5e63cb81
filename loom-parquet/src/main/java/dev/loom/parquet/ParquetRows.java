package dev.loom.parquet;

import dev.loom.api.RecordCursor;
import dev.loom.format.FieldValue;
import dev.loom.query.column.Column;
import dev.loom.query.column.ColumnValues;
import dev.loom.query.column.RecordColumns;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.parquet.bytes.HeapByteBufferAllocator;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ColumnWriteStore;
import org.apache.parquet.column.ParquetProperties;
import org.apache.parquet.hadoop.ColumnChunkPageWriteStore;
import org.apache.parquet.hadoop.ParquetFileWriter;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Type;
import org.apache.parquet.schema.Types;

/** The rows of a file, in row groups that are bounded by bytes and by rows. For one thread. */
final class ParquetRows implements AutoCloseable {
    /** Bytes of a row group, as compressed, above which it is written. */
    static final int GROUP_BYTES = 32 << 20;

    /** Rows of a row group. Readers share out row groups among threads. */
    static final int GROUP_ROWS = 1 << 20;

    private static final int CHECK_BYTES = 1 << 20;
    private static final String SCHEMA_NAME = "loom";

    /** The columns of every record: time and address. */
    private static final int OWN = 2;

    private final RecordColumns columns;
    private final List<Column> fields;
    private final ColumnValues values;
    private final MessageType schema;
    private final ParquetProperties properties;
    private final ZstdPages compressor = new ZstdPages();
    private final ParquetFileWriter file;
    private final ParquetCell[] writers;
    private ColumnChunkPageWriteStore pages;
    private ColumnWriteStore store;
    private int rows;
    private long written;
    private long checkAt = CHECK_BYTES;

    /**
     * Begins a file.
     *
     * @param time the name of the column of arrival times
     * @param address the name of the column of addresses
     */
    ParquetRows(OutputStream out, String time, String address, RecordColumns columns, ColumnValues values)
            throws IOException {
        this.columns = columns;
        fields = columns.columns();
        this.values = values;
        List<Type> types = new ArrayList<>();
        types.add(Types.required(PrimitiveTypeName.INT64)
                .as(ParquetType.TIMESTAMP)
                .named(time));
        types.add(Types.required(PrimitiveTypeName.INT64)
                .as(LogicalTypeAnnotation.intType(Long.SIZE, true))
                .named(address));
        fields.forEach(column -> types.add(ParquetType.of(column)));
        schema = new MessageType(SCHEMA_NAME, types);
        properties = ParquetProperties.builder()
                .withAllocator(new HeapByteBufferAllocator())
                .withPageRowCountLimit(GROUP_ROWS) // the footer keeps the bounds of each page
                .withWriterVersion(ParquetProperties.WriterVersion.PARQUET_2_0)
                .build();
        file = ParquetFiles.begin(out, schema, properties);
        writers = new ParquetCell[types.size()];
        for (int i = 0; i < writers.length; i++) {
            writers[i] = new ParquetCell(i < OWN ? null : fields.get(i - OWN));
        }
        pages = pages();
        store = begin();
    }

    private ColumnChunkPageWriteStore pages() {
        return ColumnChunkPageWriteStore.builder()
                .withCompressorProvider(column -> compressor)
                .withSchema(schema)
                .withAllocator(properties.getAllocator())
                .withColumnIndexTruncateLength(properties.getColumnIndexTruncateLength())
                .withPageWriteChecksumEnabled(true)
                .build();
    }

    private ColumnWriteStore begin() {
        ColumnWriteStore begun = properties.newColumnWriteStore(schema, pages, pages);
        List<ColumnDescriptor> descriptors = schema.getColumns();
        for (int i = 0; i < writers.length; i++) {
            writers[i].to(begun.getColumnWriter(descriptors.get(i)));
        }
        return begun;
    }

    /** Writes the record at the cursor. */
    void write(RecordCursor record, FieldValue value) throws IOException {
        writers[0].require(record.timeNs());
        writers[1].require(record.address());
        for (int i = 0; i < fields.size(); i++) {
            columns.reader(i).read(record.buffer(), record.offset(), record.length(), value);
            values.put(value, fields.get(i), writers[OWN + i]);
        }
        store.endRecord();
        written++;
        rows++;
        if (rows == GROUP_ROWS) {
            next();
        } else if (values.bytes() >= checkAt) {
            checkAt = values.bytes() + CHECK_BYTES;
            if (store.getBufferedSize() >= GROUP_BYTES) {
                next();
            }
        }
    }

    private void next() throws IOException {
        endGroup();
        pages = pages();
        store = begin();
    }

    private void endGroup() throws IOException {
        if (rows > 0) {
            file.startBlock(rows);
            store.flush();
            pages.flushToFileWriter(file);
            file.endBlock();
            rows = 0;
        }
        store.close();
        pages.close();
    }

    /** Rows written. */
    long written() {
        return written;
    }

    /** Writes the last row group and the footer. */
    void end(Map<String, String> metadata) throws IOException {
        endGroup();
        file.end(metadata);
    }

    /** Releases memory; the file is whole only after {@link #end}. */
    @Override
    public void close() throws IOException {
        store.close();
        pages.close();
    }
}
