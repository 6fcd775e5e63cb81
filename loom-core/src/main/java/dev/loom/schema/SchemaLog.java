package dev.loom.schema;

import dev.loom.error.CorruptStoreException;
import dev.loom.io.LoomFile;
import dev.loom.io.Storage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The file {@code schema.log}: entries one after the other, each made durable before records that need it are. A damaged
 * entry is stepped over to the next whole one; what it defined has no name then.
 */
public final class SchemaLog {
    /** The highest id of an index. */
    public static final int INDEX_ID_MAX = SchemaCodec.INDEX_ID_MAX;

    private static final int FILE_LENGTH_MAX = 1 << 30;

    /** How many bytes are gone over, beside some for each of the file, to find where damage ends. */
    private static final long SEARCH_MAX = 16 << 20;

    private final Storage storage;
    private final Path path;
    private final long storeId;
    private long end;
    private long synced;
    private boolean syncFailed;
    /** The entries from {@link #synced} on, for the case that their sync fails. */
    private final List<ByteBuffer> unsynced = new ArrayList<>();

    private SchemaLog(Storage storage, Path path, long storeId, long end) {
        this.storage = storage;
        this.path = path;
        this.storeId = storeId;
        this.end = end;
        this.synced = end;
    }

    /**
     * What a file holds.
     *
     * @param damaged offsets at which no whole entry begins though one should
     * @param end offset behind the last whole entry
     */
    public record Content(List<SchemaEntry> entries, List<Long> damaged, long end) {}

    /** Reads the whole file; one that is not there is empty. */
    public static Content read(Storage storage, Path path, long storeId) {
        if (!storage.exists(path)) {
            return new Content(List.of(), List.of(), 0);
        }
        ByteBuffer bytes = content(storage, path);
        List<SchemaEntry> entries = new ArrayList<>();
        List<Long> damaged = new ArrayList<>();
        int end = 0;
        int offset = 0;
        boolean whole = true;
        long sought = 0;
        while (offset + SchemaCodec.HEADER_LENGTH <= bytes.capacity()) {
            sought += whole ? 0 : SchemaCodec.checked(bytes, offset);
            if (sought > SEARCH_MAX + 2L * bytes.capacity()) {
                throw new CorruptStoreException("too much damage in the schema: file=" + path + ", offset=" + offset
                        + ", bytes searched=" + sought);
            }
            if (SchemaCodec.valid(bytes, offset, storeId)) {
                try {
                    SchemaEntry entry = SchemaCodec.decode(bytes, offset);
                    if (entry != null) {
                        entries.add(entry);
                    }
                } catch (IOException e) {
                    // whole, and says what can't be
                    damaged.add((long) offset);
                }
                offset += SchemaCodec.length(bytes, offset);
                end = offset;
                whole = true;
            } else {
                if (whole) {
                    damaged.add((long) offset);
                }
                whole = false;
                offset += SchemaCodec.ALIGNMENT;
            }
        }
        return new Content(entries, damaged, end);
    }

    private static ByteBuffer content(Storage storage, Path path) {
        try (LoomFile file = storage.openToRead(path)) {
            long size = file.size();
            if (size > FILE_LENGTH_MAX) {
                throw new CorruptStoreException(
                        "schema too long: file=" + path + ", bytes=" + size + ", max=" + FILE_LENGTH_MAX);
            }
            ByteBuffer bytes = ByteBuffer.allocate((int) size).order(ByteOrder.LITTLE_ENDIAN);
            int read = file.read(bytes, 0);
            return bytes.clear().limit(read).slice().order(ByteOrder.LITTLE_ENDIAN);
        }
    }

    /**
     * Turns what a crash has left into what was surely written, and makes it durable.
     *
     * @param durable offset from which an entry that is not whole is the end, rather than damage
     * @return the file's length
     */
    public static long recover(Storage storage, Path path, long storeId, long durable) {
        if (!storage.exists(path)) {
            return 0;
        }
        Content content = read(storage, path, storeId);
        long end = content.damaged().stream()
                .filter(offset -> offset >= durable)
                .findFirst()
                .orElse(content.end());
        try (LoomFile file = storage.openToWrite(path, false)) {
            if (file.size() > end) {
                file.truncate(end);
            }
            // written again, for a sync of it may have failed
            file.write(content(storage, path).limit((int) end), 0);
            file.force();
        }
        return end;
    }

    /** Opens for appending behind the last whole entry; what a killed writer left after it is cut off. */
    public static SchemaLog open(Storage storage, Path path, long storeId, Content content) {
        try (LoomFile file = storage.openToWrite(path, false)) {
            if (file.size() > content.end()) {
                file.truncate(content.end());
            }
        }
        return new SchemaLog(storage, path, storeId, content.end());
    }

    /** Appends an entry; any process can read it then. When it fails, for want of memory too, the log is as it was. */
    public synchronized void append(SchemaEntry entry) {
        ByteBuffer bytes = SchemaCodec.encode(entry, storeId, end);
        int length = bytes.remaining();
        unsynced.add(bytes);
        boolean written = false;
        try (LoomFile file = storage.openToWrite(path, false)) {
            file.write(bytes, end);
            written = true;
        } finally {
            if (written) {
                end += length;
            } else {
                unsynced.remove(unsynced.size() - 1);
            }
        }
    }

    /** Makes what was appended durable; after a failure by writing it again, as a sync alone may pass without the data. */
    public synchronized void sync() {
        if (synced == end) {
            return;
        }
        try (LoomFile file = storage.openToWrite(path, false)) {
            long position = synced;
            for (ByteBuffer entry : syncFailed ? unsynced : List.<ByteBuffer>of()) {
                file.write(entry.rewind(), position);
                position += entry.limit();
            }
            syncFailed = true;
            file.force();
        }
        syncFailed = false;
        synced = end;
        unsynced.clear();
    }

    /** The length that survives a power cut. */
    public synchronized long synced() {
        return synced;
    }
}
