package dev.loom.record;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Chunks collected newest first, to be returned oldest first. For one thread. */
final class CollectedChunks {
    /** As many as a walk may hold; four words each: 32 KiB. */
    static final int CHUNKS_MAX = 1024;

    /** Two runs of the lowest level: more are passed over faster by runs. */
    static final int CHUNKS_BESIDE_RUNS_MAX = 128;

    private static final long UNLISTED = -1;

    private long[] starts = new long[16];
    private long[] ends = new long[16];
    private long[] lastRecords = new long[16];
    private long[] directories = new long[16];
    private int count;

    private CollectedChunks() {}

    /**
     * Collects chunks back to a time or an address.
     *
     * @param bytesMax the most bytes of the index to read
     * @param chunksMax the most chunks
     * @return null if there are too many
     */
    static @Nullable CollectedChunks collect(
            DescendingChunks chunks, long fromNs, long fromAddress, long bytesMax, int chunksMax) {
        CollectedChunks collected = new CollectedChunks();
        boolean more = true;
        while (more && chunks.next()) {
            if (collected.count == chunksMax || chunks.bytesRead() > bytesMax) {
                return null;
            }
            collected.add(chunks);
            boolean reached = chunks.start() <= fromAddress || (chunks.listed() && chunks.chunkFirstTimeNs() < fromNs);
            more = !reached;
        }
        return collected;
    }

    private void add(Chunks chunk) {
        if (count == starts.length) {
            starts = Arrays.copyOf(starts, count * 2);
            ends = Arrays.copyOf(ends, count * 2);
            lastRecords = Arrays.copyOf(lastRecords, count * 2);
            directories = Arrays.copyOf(directories, count * 2);
        }
        starts[count] = chunk.start();
        ends[count] = chunk.end();
        lastRecords[count] = chunk.listed() ? chunk.lastRecord() : UNLISTED;
        directories[count] = chunk.directoryAddress();
        count++;
    }

    /**
     * Lists the oldest remaining chunk; false if there is none.
     *
     * @param reader reads the chunk's directory on demand
     */
    boolean giveOldest(Chunks to, DirectoryReader reader) {
        if (count == 0) {
            return false;
        }
        count--;
        if (lastRecords[count] == UNLISTED) {
            to.unlisted(starts[count], ends[count]);
        } else {
            to.list(starts[count], ends[count], lastRecords[count], reader, directories[count]);
        }
        return true;
    }
}
