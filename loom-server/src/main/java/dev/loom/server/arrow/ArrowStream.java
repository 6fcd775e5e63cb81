package dev.loom.server.arrow;

import com.google.flatbuffers.FlatBufferBuilder;
import dev.loom.format.FieldValue;
import dev.loom.query.column.Column;
import dev.loom.query.column.ColumnValues;
import dev.loom.query.model.QueryMemory;
import dev.loom.server.text.DataOutput;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.arrow.flatbuf.Buffer;
import org.apache.arrow.flatbuf.FieldNode;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.apache.arrow.flatbuf.RecordBatch;

/**
 * Writes rows as a stream of Arrow's IPC format, version 5, little-endian, without compression and dictionaries.
 *
 * <pre>
 *  message      0        4         8                         8 + length, a multiple of 8
 *               ┌────────┬─────────┬──────────────────┬──────┬────────────────────────────────┐
 *               │ FFFF   │ length  │ what it is, as a │ zero │ body: the buffers of a batch,  │
 *               │   FFFF │         │ FlatBuffer       │      │ each padded to 64 bytes        │
 *               └────────┴─────────┴──────────────────┴──────┴────────────────────────────────┘
 *  stream       schema, batch, .., batch, an empty batch with the outcome, a message of length 0
 * </pre>
 *
 * A batch ends after {@link #BATCH_BYTES}, so memory is constant, except for single values that are longer. For one thread.
 */
final class ArrowStream {
    /** Bytes of a batch, about, above which it is written. */
    static final int BATCH_BYTES = 1 << 19;

    private static final int ROWS_MAX = 1 << 16;
    private static final int CONTINUATION = -1;
    private static final int PREFIX_LENGTH = 2 * Integer.BYTES;
    private static final int MESSAGE_LENGTH = 4096;

    private final DataOutput out;
    private final List<Column> columns;
    private final ArrowColumn[] cells;
    private final ColumnValues values;
    private final FlatBufferBuilder builder = new FlatBufferBuilder(MESSAGE_LENGTH);
    private final ByteBuffer prefix = ByteBuffer.allocate(PREFIX_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    private final int rowsMax;
    private int rows;

    /**
     * Begins a stream.
     *
     * @param required how many of the columns, the first ones, lack no value
     * @param memory from which the batch is reserved
     */
    ArrowStream(
            DataOutput out,
            List<Column> columns,
            int required,
            Map<String, String> metadata,
            ColumnValues values,
            QueryMemory memory) {
        this.out = out;
        this.columns = columns;
        this.values = values;
        int rowBytes = 1 + columns.stream().mapToInt(ArrowColumn::rowBytes).sum();
        rowsMax = Math.max(1, Math.min(ROWS_MAX, BATCH_BYTES / rowBytes));
        // what is of variable length doubles as it grows
        memory.reserve((long) rowsMax * rowBytes + 2 * BATCH_BYTES + 1024L * columns.size());
        cells = columns.stream().map(column -> new ArrowColumn(column, rowsMax)).toArray(ArrowColumn[]::new);
        write(MessageHeader.Schema, ArrowSchema.put(builder, columns, required, metadata), 0, Map.of());
    }

    /** Puts the next value of a column. */
    void put(int column, FieldValue value) {
        values.put(value, columns.get(column), cells[column]);
    }

    /** Puts the next value of a column that lacks none. */
    void put(int column, long value) {
        cells[column].putInteger(value);
    }

    /** Ends a row, of which every column has got its value. */
    void endRow() {
        rows++;
        long bytes = 0;
        for (ArrowColumn column : cells) {
            bytes += column.bytes();
        }
        if (rows == rowsMax || bytes >= BATCH_BYTES) {
            writeBatch(Map.of());
        }
    }

    /** Writes the rows so far. */
    void flush() {
        if (rows > 0) {
            writeBatch(Map.of());
        }
        out.flush();
    }

    /** Writes the rows so far, and ends the stream with an empty batch that says how it ended. */
    void end(Map<String, String> outcome) {
        if (rows > 0) {
            writeBatch(Map.of());
        }
        writeBatch(outcome);
        prefix(0);
        out.flush();
    }

    private void writeBatch(Map<String, String> metadata) {
        RecordBatch.startNodesVector(builder, cells.length);
        for (int i = cells.length - 1; i >= 0; i--) {
            FieldNode.createFieldNode(builder, rows, cells[i].nulls());
        }
        int nodes = builder.endVector();
        BufferPlaces places = new BufferPlaces();
        for (ArrowColumn column : cells) {
            column.forEachBuffer(places::add);
        }
        int buffers = places.put(builder);
        RecordBatch.startRecordBatch(builder);
        RecordBatch.addLength(builder, rows);
        RecordBatch.addNodes(builder, nodes);
        RecordBatch.addBuffers(builder, buffers);
        write(MessageHeader.RecordBatch, RecordBatch.endRecordBatch(builder), places.end, metadata);
        for (ArrowColumn column : cells) {
            column.forEachBuffer((buffer, length) -> ArrowColumn.write(out, buffer, length));
            column.clear();
        }
        rows = 0;
    }

    /** Where the buffers of a batch are in its body. */
    private static final class BufferPlaces {
        private final List<Long> lengths = new ArrayList<>();
        private long end;

        void add(byte[] buffer, int length) {
            lengths.add((long) length);
            end += ArrowColumn.padded(length);
        }

        /** Puts the places, the last one first; returns the offset of the vector. */
        int put(FlatBufferBuilder into) {
            RecordBatch.startBuffersVector(into, lengths.size());
            long at = end;
            for (int i = lengths.size() - 1; i >= 0; i--) {
                long length = lengths.get(i);
                at -= ArrowColumn.padded(length);
                Buffer.createBuffer(into, at, length);
            }
            return into.endVector();
        }
    }

    private void write(byte kind, int header, long bodyLength, Map<String, String> metadata) {
        int said = Message.createCustomMetadataVector(builder, ArrowSchema.putAll(builder, metadata));
        Message.startMessage(builder);
        Message.addVersion(builder, MetadataVersion.V5);
        Message.addHeaderType(builder, kind);
        Message.addHeader(builder, header);
        Message.addBodyLength(builder, bodyLength);
        Message.addCustomMetadata(builder, said);
        builder.finish(Message.endMessage(builder));
        ByteBuffer message = builder.dataBuffer();
        int padding = -message.remaining() & (Long.BYTES - 1);
        prefix(message.remaining() + padding);
        out.write(message.array(), message.arrayOffset() + message.position(), message.remaining());
        out.write(new byte[padding], 0, padding);
        builder.clear();
    }

    private void prefix(int length) {
        prefix.clear().putInt(CONTINUATION).putInt(length);
        out.write(prefix.array(), 0, PREFIX_LENGTH);
    }
}
