package dev.loom.record;

import dev.loom.api.Index;
import dev.loom.error.CorruptStoreException;
import java.util.Collection;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** The chunks that have a whole directory, oldest first, each with all that its directory lists. For one thread. */
public final class ListedChunks implements AutoCloseable {
    /** The address of a chunk that is not known. */
    public static final long UNKNOWN = -2;

    private final DirectoryReader reader;
    private final DirectoryReader probe;
    private final EntryParts parts = EntryParts.forward();
    private final ListedChunk listed;
    private long lastEntry;
    private boolean faulty;

    /** @param indexes the index by its id; null for one that is not known, which is left out */
    public ListedChunks(SnapshotView snapshot, IntFunction<@Nullable Index> indexes) {
        this.reader = new DirectoryReader(snapshot.times(), snapshot.timeTail());
        this.probe = new DirectoryReader(snapshot.times(), snapshot.timeTail(), 1);
        this.listed = new ListedChunk(indexes, source -> true, (log, address, message) -> faulty = true);
    }

    /** From now on a page that the disk can't deliver is a failure, not damage to skip. */
    public void failUnreadable() {
        reader.failUnreadable();
        probe.failUnreadable();
    }

    /**
     * Moves before the first chunk that begins at an address or behind it.
     *
     * @return where the chunk before ends; the address if that is not known
     */
    public long seek(long address) {
        parts.clear();
        boolean before = reader.seekBelow(address);
        while (before && !reader.isDirectory()) {
            before = reader.previous();
        }
        if (!before) {
            reader.toBegin();
        }
        return before && reader.chunkAddress() < address ? reader.chunkEnd() : address;
    }

    /** Moves to the next chunk; false after the last. */
    public boolean next() {
        while (reader.next()) {
            if (!reader.isDirectory() || !parts.add(reader)) {
                continue;
            }
            if (reader.isFirstPart()) {
                faulty = false;
            }
            try {
                listed.add(reader);
            } catch (CorruptStoreException e) {
                parts.clear();
                continue;
            }
            if (parts.isComplete() && !faulty) {
                lastEntry = reader.address();
                return true;
            }
        }
        return false;
    }

    public long start() {
        return listed.chunkAddress();
    }

    public long end() {
        return listed.chunkEnd();
    }

    /** The address of the last part of the chunk's directory. */
    public long lastEntry() {
        return lastEntry;
    }

    /** The sources that have records in the chunk. */
    public Collection<ListedChunk.ListedSource> sources() {
        return listed.sources();
    }

    /** The address of the chunk whose directory is at an address; -1 if there is none, or {@link #UNKNOWN}. */
    public long chunkOf(long directoryAddress) {
        if (directoryAddress == SourceSlots.NO_DIRECTORY) {
            return -1;
        }
        return probe.seek(directoryAddress) && probe.isDirectory() ? probe.chunkAddress() : UNKNOWN;
    }

    @Override
    public void close() {
        reader.close();
        probe.close();
    }
}
