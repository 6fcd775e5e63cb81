package dev.loom.query.plan;

import dev.loom.api.Index;
import dev.loom.error.CorruptStoreException;
import dev.loom.read.BinListReader;
import dev.loom.read.ChunkCursor;
import dev.loom.read.ChunkSummary;
import dev.loom.value.BinScale;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What the indexes over one function hold of the chunks of a walk, chunk by chunk. The indexes differ in their bins and in
 * the chunks they cover; the first one that lists a chunk answers for it. For one thread.
 */
public final class IndexSummaries {
    private final List<Index> indexes;
    private final ChunkSummary totals;
    private int current;
    private @Nullable BinListReader list;
    private @Nullable BinScale scale;
    private int preparedFor = -1;
    private long covered;
    private long uncovered;
    private long damaged;

    /**
     * @param indexes indexes with equal functions
     * @param totals reads them
     */
    public IndexSummaries(List<Index> indexes, ChunkSummary totals) {
        this.indexes = indexes;
        this.totals = totals;
    }

    /** Reads a chunk's totals; false if no index covers the chunk, so that its records must be read. */
    public boolean read(ChunkCursor chunk) {
        boolean found = readFrom(current, chunk);
        for (int i = 0; !found && i < indexes.size(); i++) {
            found = i != current && readFrom(i, chunk);
        }
        if (!chunk.isRun()) {
            covered += found ? 1 : 0;
            uncovered += found ? 0 : 1;
        }
        return found;
    }

    private boolean readFrom(int i, ChunkCursor chunk) {
        if (i >= indexes.size()) {
            return false;
        }
        boolean found = totals.read(chunk, indexes.get(i));
        current = found ? i : current;
        return found;
    }

    /** The index that covers the chunk read. */
    public Index index() {
        return indexes.get(current);
    }

    /** The totals of the chunk read. */
    public ChunkSummary totals() {
        return totals;
    }

    /** The bins of the chunk read, from the first on; null if there are none, or if they can't be read. */
    @Nullable
    public BinListReader bins() {
        if (!totals.hasBins()) {
            return null;
        }
        prepareBins();
        BinListReader reader = Objects.requireNonNull(list);
        try {
            return totals.readBins(reader) ? reader : null;
        } catch (CorruptStoreException e) {
            damaged++;
            return null;
        }
    }

    /** The bins of {@link #index()}; null if it has none. */
    @Nullable
    public BinScale scale() {
        if (index().kind() != Index.Kind.VALUE) {
            return null;
        }
        prepareBins();
        return scale;
    }

    /** Prepares to read the index's bins; done lazily, as many bins take time and memory. */
    private void prepareBins() {
        if (preparedFor != current) {
            Index index = index();
            BinScale made = BinScale.of(index.bins(), index.function().type());
            scale = made;
            list = new BinListReader(made, index.function().type());
            preparedFor = current;
        }
    }

    /** Notes that the bins of the chunk read are corrupt. */
    public void noteDamaged() {
        damaged++;
    }

    /** The number of chunks whose bins were corrupt and not used. */
    public long damaged() {
        return damaged;
    }

    /** The number of chunks asked for and covered. */
    public long covered() {
        return covered;
    }

    /** The number of chunks asked for and not covered. */
    public long uncovered() {
        return uncovered;
    }
}
