package dev.loom.filter;

import dev.loom.error.CorruptStoreException;
import dev.loom.error.LoomException;
import dev.loom.error.StoreIoException;
import dev.loom.error.UnsupportedStoreException;
import dev.loom.filter.UnitFiles.UnitFile;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Finds the group of units that has an address of the record log. Has one open at a time, as searches go through the log in one
 * direction. A file that can't be used is as one that is not there. For one thread.
 */
public final class GroupCursor implements AutoCloseable {
    /** How often files may be listed again because one was put together with others meanwhile. */
    private static final int LISTINGS_MAX = 4;

    private final UnitFiles files;
    private final long storeId;
    private final int sourceId;
    private final ByteBuffer memory = BlockReader.newBlocks();
    private List<UnitFile> there;
    private int listings = 1;

    private @Nullable UnitFile current;
    private @Nullable UnitGroup group;
    private long bytesRead;
    private long blocksCached;
    private int unusable;

    public GroupCursor(UnitFiles files, long storeId, int sourceId) {
        this.files = files;
        this.storeId = storeId;
        this.sourceId = sourceId;
        this.there = list();
    }

    private List<UnitFile> list() {
        try {
            return files.ofSource(sourceId);
        } catch (StoreIoException e) {
            unusable++;
            return List.of();
        }
    }

    /** Whether there are any units. */
    public boolean isEmpty() {
        return there.isEmpty();
    }

    /** The group that has an address; null if there is none that can be read. */
    @Nullable
    UnitGroup groupAt(long address) {
        if (!holds(address)) {
            move(address);
        }
        return group;
    }

    /** Whether one file has all of a range; it may turn out to be of no use. */
    boolean spans(long start, long end) {
        UnitFile file = holds(start) ? current : find(start);
        return file != null && end <= file.end();
    }

    /** Whether the file that is open has an address. */
    boolean holds(long address) {
        UnitFile open = current;
        return open != null && address >= open.start() && address < open.end();
    }

    /** The file of the group that is open. */
    UnitFile file() {
        return Objects.requireNonNull(current);
    }

    private void move(long address) {
        UnitFile file = find(address);
        closeGroup();
        if (file == null) {
            return;
        }
        current = file;
        try {
            group = UnitGroup.open(files, file, storeId, memory);
        } catch (StoreIoException e) {
            current = null;
            if (listings++ < LISTINGS_MAX) {
                there = list();
                move(address);
            } else {
                unusable++;
                current = file;
            }
        } catch (CorruptStoreException | UnsupportedStoreException e) {
            unusable++;
        }
    }

    private @Nullable UnitFile find(long address) {
        int low = 0;
        int high = there.size() - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            UnitFile file = there.get(middle);
            if (address < file.start()) {
                high = middle - 1;
            } else if (address >= file.end()) {
                low = middle + 1;
            } else {
                return file;
            }
        }
        return null;
    }

    /**
     * Gives up the group that is open, as a part of it can't be read or is damaged. One that can't be read may be gone: its beginning was in
     * the cache, and the file is needed only now.
     */
    void abandon(LoomException cause) {
        UnitFile file = current;
        closeGroup();
        if (cause instanceof StoreIoException && listings++ < LISTINGS_MAX) {
            there = list();
        } else {
            unusable++;
            current = file; // not opened again while the search stays within it
        }
    }

    private void closeGroup() {
        UnitGroup open = group;
        group = null;
        current = null;
        if (open != null) {
            bytesRead += open.bytesRead();
            blocksCached += open.blocksCached();
            open.close();
        }
    }

    /** The bytes read of files so far. */
    public long bytesRead() {
        UnitGroup open = group;
        return bytesRead + (open == null ? 0 : open.bytesRead());
    }

    /** The blocks of files read so far. */
    public long blocksRead() {
        return bytesRead() / BlockWriter.BLOCK_LENGTH;
    }

    /** The blocks of files so far that were in the cache. */
    public long blocksCached() {
        UnitGroup open = group;
        return blocksCached + (open == null ? 0 : open.blocksCached());
    }

    /** The bytes that the cache takes now. */
    public long cacheBytes() {
        return files.cache().bytes();
    }

    /** How often a file could not be used. */
    public int unusable() {
        return unusable;
    }

    @Override
    public void close() {
        closeGroup();
    }
}
