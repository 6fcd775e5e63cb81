package dev.loom.record;

import dev.loom.rollup.RunFiles;
import dev.loom.rollup.RunReader;
import dev.loom.rollup.RunShape;
import java.util.Arrays;

/**
 * Offers a walk the longest run of chunks at its place that has not been declined. A run that was declined is not offered again, but
 * the shorter ones in it are. For one thread.
 */
final class ChunkRuns implements AutoCloseable {
    private static final long NONE = -1;

    private final SnapshotView snapshot;
    private final RunReader reader;
    /** By level: the number of the run that is not to be offered, since it was declined, is not there, or does not fit. */
    private final long[] declined = new long[RunShape.LEVELS + 1];

    ChunkRuns(SnapshotView snapshot) {
        this.snapshot = snapshot;
        this.reader = new RunReader(
                RunFiles.beside(
                        snapshot.records().storage(),
                        snapshot.records().segments().folder()),
                snapshot.records().storeId());
        Arrays.fill(declined, NONE);
    }

    /** Moves to the longest run that begins with the chunk at an address. */
    boolean beginningAt(long chunkAddress) {
        return choose(chunkAddress, chunkAddress, snapshot.recordTail());
    }

    /** Moves to the longest run that has the chunk at an address, and ends at another at the latest. */
    boolean endingBy(long end, long chunkAddress) {
        return choose(chunkAddress, snapshot.retainedBegin(), Math.min(end, snapshot.recordTail()));
    }

    private boolean choose(long chunkAddress, long startMin, long endMax) {
        for (int level = RunShape.LEVELS; level > 0; level--) {
            long number = RunShape.number(level, chunkAddress);
            if (number != declined[level]) {
                boolean fits = reader.read(level, number)
                        && reader.start() >= startMin
                        && reader.start() <= chunkAddress
                        && reader.end() > chunkAddress
                        && reader.end() <= endMax;
                if (fits) {
                    return true;
                }
                declined[level] = number;
            }
        }
        return false;
    }

    /** Declines the run that was chosen. */
    void decline() {
        declined[reader.level()] = reader.number();
    }

    RunReader reader() {
        return reader;
    }

    @Override
    public void close() {
        reader.close();
    }
}
