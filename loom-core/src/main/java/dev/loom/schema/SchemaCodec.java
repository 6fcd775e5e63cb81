package dev.loom.schema;

import dev.loom.schema.SchemaEntry.IndexClosed;
import dev.loom.schema.SchemaEntry.IndexDefined;
import dev.loom.schema.SchemaEntry.RetentionSet;
import dev.loom.schema.SchemaEntry.SourceChanged;
import dev.loom.schema.SchemaEntry.SourceClosed;
import dev.loom.schema.SchemaEntry.SourceDefined;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Layout of an entry of {@code schema.log}, padded to 8 bytes. Little-endian header, then a body of big-endian integers
 * and UTF-8 strings, each after its length (4).
 * <pre>
 *   0 | magic          | body length     |
 *   8 | type           | CRC32C          |
 *  16 | body: source defined: id (4), name, format, number of attributes (4), each key and value
 *     |       source closed:  id (4)
 *     |       index defined:  id (4), source id (4), name, kind, function, bins, address from which on it is (8)
 *     |       index closed:   id (4)
 *     |       source changed: id (4), number of attributes (4), each key and value
 *     |       retention set:  bytes (8), age in ns (8), free bytes (8)
 * </pre>
 *
 * <p>The checksum is seeded with the store's id and the entry's offset in the file, and covers magic, length, type and
 * body. Entries of an unknown type are skipped.
 */
final class SchemaCodec {
    static final int MAGIC = 0x6863_534c;
    static final int LENGTH_OFFSET = Integer.BYTES;
    static final int TYPE_OFFSET = LENGTH_OFFSET + Integer.BYTES;
    static final int CRC_OFFSET = TYPE_OFFSET + Integer.BYTES;
    static final int HEADER_LENGTH = CRC_OFFSET + Integer.BYTES;
    static final int ALIGNMENT = 8;
    static final int BODY_LENGTH_MAX = 1 << 20;
    private static final int SOURCE_ID_MAX = 65_535;

    /** The highest id of an index. */
    static final int INDEX_ID_MAX = 1 << 30;

    private SchemaCodec() {}

    static ByteBuffer encode(SchemaEntry entry, long storeId, long offset) {
        byte[] body = body(entry);
        if (body.length > BODY_LENGTH_MAX) {
            throw new IllegalArgumentException(
                    "definition too long: bytes=" + body.length + ", max=" + BODY_LENGTH_MAX);
        }
        int length = (HEADER_LENGTH + body.length + ALIGNMENT - 1) & -ALIGNMENT;
        ByteBuffer buffer = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        buffer.putInt(MAGIC).putInt(body.length).putInt(entry.type()).putInt(0).put(body);
        buffer.clear();
        buffer.putInt(CRC_OFFSET, crc(buffer, 0, body.length, storeId, offset));
        return buffer;
    }

    private static byte[] body(SchemaEntry entry) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            if (entry instanceof SourceDefined defined) {
                out.writeInt(defined.id());
                writeText(out, defined.name());
                writeText(out, defined.format());
                writeAttributes(out, defined.attributes());
            } else if (entry instanceof SourceChanged changed) {
                out.writeInt(changed.id());
                writeAttributes(out, changed.attributes());
            } else if (entry instanceof SourceClosed closed) {
                out.writeInt(closed.id());
            } else if (entry instanceof IndexDefined defined) {
                out.writeInt(defined.id());
                out.writeInt(defined.sourceId());
                writeText(out, defined.name());
                writeText(out, defined.kind());
                writeText(out, defined.function());
                writeText(out, defined.bins());
                out.writeLong(defined.fromAddress());
            } else if (entry instanceof IndexClosed closed) {
                out.writeInt(closed.id());
            } else if (entry instanceof RetentionSet set) {
                out.writeLong(set.maxBytes());
                out.writeLong(set.maxAgeNs());
                out.writeLong(set.minFreeBytes());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private static void writeAttributes(DataOutputStream out, Map<String, String> attributes) throws IOException {
        out.writeInt(attributes.size());
        for (Map.Entry<String, String> attribute : attributes.entrySet()) {
            writeText(out, attribute.getKey());
            writeText(out, attribute.getValue());
        }
    }

    private static void writeText(DataOutputStream out, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    /** Whether an intact entry begins at an offset of the file's content. */
    static boolean valid(ByteBuffer file, int offset, long storeId) {
        if (file.capacity() - offset < HEADER_LENGTH || file.getInt(offset) != MAGIC) {
            return false;
        }
        int length = file.getInt(offset + LENGTH_OFFSET);
        return length >= 0
                && length <= BODY_LENGTH_MAX
                && length <= file.capacity() - offset - HEADER_LENGTH
                && file.getInt(offset + CRC_OFFSET) == crc(file, offset, length, storeId, offset);
    }

    /** The number of bytes that {@link #valid} reads. */
    static int checked(ByteBuffer file, int offset) {
        int length = file.getInt(offset + LENGTH_OFFSET);
        return file.getInt(offset) == MAGIC && length >= 0 ? Math.min(length, BODY_LENGTH_MAX) : 0;
    }

    /** The length of a valid entry, with its padding. */
    static int length(ByteBuffer file, int offset) {
        return (HEADER_LENGTH + file.getInt(offset + LENGTH_OFFSET) + ALIGNMENT - 1) & -ALIGNMENT;
    }

    /**
     * Reads a valid entry; null if its type is unknown.
     *
     * @throws IOException when its contents are impossible
     */
    static @Nullable SchemaEntry decode(ByteBuffer file, int offset) throws IOException {
        byte[] body = new byte[file.getInt(offset + LENGTH_OFFSET)];
        file.get(offset + HEADER_LENGTH, body);
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(body))) {
            return switch (file.getInt(offset + TYPE_OFFSET)) {
                case SourceDefined.TYPE ->
                    new SourceDefined(readId(in, SOURCE_ID_MAX), readText(in), readText(in), readAttributes(in));
                case SourceChanged.TYPE -> new SourceChanged(readId(in, SOURCE_ID_MAX), readAttributes(in));
                case SourceClosed.TYPE -> new SourceClosed(readId(in, SOURCE_ID_MAX));
                case IndexDefined.TYPE ->
                    new IndexDefined(
                            readId(in, INDEX_ID_MAX),
                            readId(in, SOURCE_ID_MAX),
                            readText(in),
                            readText(in),
                            readText(in),
                            readText(in),
                            in.readLong());
                case IndexClosed.TYPE -> new IndexClosed(readId(in, INDEX_ID_MAX));
                case RetentionSet.TYPE -> new RetentionSet(readLimit(in), readLimit(in), readLimit(in));
                default -> null;
            };
        }
    }

    private static int readId(DataInputStream in, int max) throws IOException {
        int id = in.readInt();
        if (id < 1 || id > max) {
            throw new IOException("id out of range: id=" + id + ", max=" + max);
        }
        return id;
    }

    private static long readLimit(DataInputStream in) throws IOException {
        long limit = in.readLong();
        if (limit < 0) {
            throw new IOException("limit is negative: limit=" + limit);
        }
        return limit;
    }

    private static Map<String, String> readAttributes(DataInputStream in) throws IOException {
        Map<String, String> attributes = new LinkedHashMap<>();
        for (int i = in.readInt(); i > 0; i--) {
            attributes.put(readText(in), readText(in));
        }
        return Collections.unmodifiableMap(attributes);
    }

    private static String readText(DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > in.available()) {
            throw new IOException("text ends early: bytes=" + length + ", left=" + in.available());
        }
        return new String(in.readNBytes(length), StandardCharsets.UTF_8);
    }

    private static int crc(ByteBuffer file, int start, int bodyLength, long storeId, long offset) {
        CRC32C crc = new CRC32C();
        ByteBuffer seed = ByteBuffer.allocate(2 * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        crc.update(seed.putLong(storeId).putLong(offset).flip());
        ByteBuffer header = file.duplicate();
        crc.update(header.limit(start + CRC_OFFSET).position(start));
        crc.update(header.limit(start + HEADER_LENGTH + bodyLength).position(start + HEADER_LENGTH));
        return (int) crc.getValue();
    }
}
