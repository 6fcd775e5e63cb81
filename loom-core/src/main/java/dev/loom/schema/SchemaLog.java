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
 * The file {@code schema.log}: consecutive entries, each made durable before the records that need it. Reading skips
 * from a damaged entry to the next intact one; what the damaged one defined has lost its name.
 */
public final class SchemaLog {
    /** The highest id of an index. */
    public static final int INDEX_ID_MAX = SchemaCodec.INDEX_ID_MAX;

    /** Definitions and changes are taken while the file is shorter; closings always, as each thing is closed once. */
    static final long LENGTH_MAX = 64 << 20;

    private static final int FILE_LENGTH_MAX = 1 << 30;

    /** The bytes searched for the end of damage, in addition to an amount in proportion to the file. */
    private static final long SEARCH_MAX = 16 << 20;

    private final Storage storage;
    private final Path path;
    private final long storeId;
    private long end;
    private long synced;
    private final Object syncing = new Object();
    /** Guarded by {@link #syncing}. */
    private boolean syncFailed;
    /** The entries from {@link #synced} on, kept in case their sync fails. */
    private final List<ByteBuffer> unsynced = new ArrayList<>();

    private SchemaLog(Storage storage, Path path, long storeId, long end) {
        this.storage = storage;
        this.path = path;
        this.storeId = storeId;
        this.end = end;
        this.synced = end;
    }

    /**
     * The contents of a file.
     *
     * @param damaged the offsets where an intact entry should begin, but none does
     * @param end the offset after the last intact entry
     */
    public record Content(List<SchemaEntry> entries, List<Long> damaged, long end) {}

    /** Reads the whole file; a missing file is empty. */
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
                    // intact, but with impossible contents
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
     * Cuts the file that a crash left at its first broken entry from {@code durable} on, and makes it durable.
     *
     * @param durable the offset from which on a broken entry is the end, rather than damage
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
            // rewritten, because its sync may have failed; the last entry's padding may be missing, and stays so
            ByteBuffer bytes = content(storage, path);
            file.write(bytes.limit((int) Math.min(end, bytes.capacity())), 0);
            file.force();
        }
        return end;
    }

    /** Opens for appending after the last intact entry, and cuts off what a killed writer left after it. */
    public static SchemaLog open(Storage storage, Path path, long storeId, Content content) {
        try (LoomFile file = storage.openToWrite(path, false)) {
            if (file.size() > content.end()) {
                file.truncate(content.end());
            }
        }
        return new SchemaLog(storage, path, storeId, content.end());
    }

    /**
     * Refuses definitions and changes beyond what the next opening can read in a small heap.
     *
     * @throws IllegalArgumentException if the file is full
     */
    public synchronized void requireRoom() {
        if (end >= LENGTH_MAX) {
            throw new IllegalArgumentException(
                    "too many definitions and changes of sources and indexes: file=" + path + ", bytes=" + end
                            + ", max=" + LENGTH_MAX + "; an export to a new store has the last definitions alone");
        }
    }

    /**
     * Appends an entry, which any process can then read. If that fails, even for lack of memory, the log is unchanged.
     */
    public synchronized void append(SchemaEntry entry) {
        ByteBuffer bytes = SchemaCodec.encode(entry, storeId, end);
        int length = bytes.remaining();
        unsynced.add(bytes);
        boolean written = false;
        try (LoomFile file = storage.openToRewrite(path)) {
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

    /**
     * Makes the entries durable that were appended before. After a failure it rewrites them, because a sync alone may succeed without the data.
     * Keeps nobody from appending meanwhile.
     */
    public void sync() {
        synchronized (syncing) {
            long from;
            long to;
            List<ByteBuffer> entries;
            synchronized (this) {
                if (isSynced()) {
                    return;
                }
                from = synced;
                to = end;
                entries = List.copyOf(unsynced);
            }
            write(entries, from); // while others append, however long the disk takes
            synchronized (this) {
                synced = to;
                unsynced.subList(0, entries.size()).clear();
            }
        }
    }

    private void write(List<ByteBuffer> entries, long from) {
        try (LoomFile file = storage.openToRewrite(path)) {
            long position = from;
            for (ByteBuffer entry : syncFailed ? entries : List.<ByteBuffer>of()) {
                file.write(entry.rewind(), position);
                position += entry.limit();
            }
            syncFailed = true;
            file.force();
        }
        syncFailed = false;
    }

    /** Whether all entries survive a power cut. */
    public synchronized boolean isSynced() {
        return synced == end;
    }

    /** The length that survives a power cut. */
    public synchronized long synced() {
        return synced;
    }
}
