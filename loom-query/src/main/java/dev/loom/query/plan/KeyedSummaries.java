package dev.loom.query.plan;

import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.error.CorruptStoreException;
import dev.loom.read.ChunkCursor;
import dev.loom.read.KeyedSummary;
import dev.loom.read.SnapshotReader;
import dev.loom.value.BinScale;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What indexes by the same keys hold of the chunks of a walk, chunk by chunk; the first one that has a chunk answers for it. For one
 * thread.
 */
public final class KeyedSummaries {
    private final List<KeyedSummary> summaries;
    private long covered;
    private long uncovered;
    private long damaged;

    private KeyedSummaries(List<KeyedSummary> summaries) {
        this.summaries = summaries;
    }

    /**
     * What there is for some fields; null if there is nothing.
     *
     * @param function of the values; null if records are counted alone
     */
    public static @Nullable KeyedSummaries of(
            WherePlan plan, SnapshotReader reader, List<String> fields, @Nullable IndexFunction function) {
        KeyedSummaries all = of(plan.terms(), reader, fields, function);
        if (all != null) {
            plan.explain(() -> "by " + String.join(",", fields) + ": " + all);
        }
        return all;
    }

    static @Nullable KeyedSummaries of(
            QueryTerms terms, SnapshotReader reader, List<String> fields, @Nullable IndexFunction function) {
        List<Index> found = terms.indexesBy(fields).stream()
                .filter(index -> function == null || index.function().equals(function))
                .toList();
        return found.isEmpty()
                ? null
                : new KeyedSummaries(found.stream().map(reader::keyedSummary).toList());
    }

    /** Moves before the first key of a chunk; null if its records must be read. */
    public @Nullable KeyedSummary read(ChunkCursor chunk) {
        KeyedSummary found = read(chunk, null);
        covered += found == null ? 0 : chunk.count();
        uncovered += found != null || chunk.isRun() ? 0 : 1;
        return found;
    }

    /** As {@link #read(ChunkCursor)}, but only of indexes over a function, unless it is null; doesn't count the chunk. */
    @Nullable
    KeyedSummary read(ChunkCursor chunk, @Nullable IndexFunction function) {
        for (int i = 0; i < summaries.size(); i++) {
            KeyedSummary summary = summaries.get(i);
            try {
                if ((function == null || summary.index().function().equals(function)) && summary.read(chunk)) {
                    return summary;
                }
            } catch (CorruptStoreException e) {
                damaged++;
            }
        }
        return null;
    }

    /** The bins of the first index over a function; null if there is none. */
    public @Nullable BinScale scale(IndexFunction function) {
        return summaries.stream()
                .map(KeyedSummary::index)
                .filter(index -> index.function().equals(function))
                .findFirst()
                .map(index -> BinScale.of(index.bins(), function.type()))
                .orElse(null);
    }

    /** Notes that the bins of the chunk read are corrupt. */
    public void noteDamaged() {
        damaged++;
    }

    @Override
    public String toString() {
        return summaries.stream()
                .map(summary -> "index " + summary.index().name() + " #"
                        + summary.index().id() + (summary.index().closed() ? " (closed)" : ""))
                .collect(Collectors.joining(
                        ", ",
                        "",
                        ", chunks covered=" + covered + ", not covered=" + uncovered
                                + (damaged == 0 ? "" : ", damaged=" + damaged)));
    }
}
