package dev.loom.query.plan;

import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.error.CorruptStoreException;
import dev.loom.read.ChunkCursor;
import dev.loom.read.KeyedSummary;
import dev.loom.read.SnapshotReader;
import dev.loom.value.BinScale;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What indexes by keys hold of the chunks of a walk, chunk by chunk; the first one that has a chunk answers for it. For one
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
     * What indexes hold whose keys have some fields, and maybe others; null if there are none.
     *
     * @param function of the values; null if records are counted alone
     */
    public static @Nullable KeyedSummaries with(
            WherePlan plan, SnapshotReader reader, List<String> fields, @Nullable IndexFunction function) {
        KeyedSummaries all = of(plan.terms().indexesWith(fields), reader, function);
        if (all != null) {
            plan.explain(() -> (fields.isEmpty() ? "by any key" : "by " + String.join(",", fields)) + ": " + all);
        }
        return all;
    }

    /** What indexes by exactly these fields hold; null if there are none. */
    static @Nullable KeyedSummaries by(QueryTerms terms, SnapshotReader reader, List<String> fields) {
        return of(terms.indexesBy(fields), reader, null);
    }

    private static @Nullable KeyedSummaries of(
            List<Index> indexes, SnapshotReader reader, @Nullable IndexFunction function) {
        List<KeyedSummary> found = indexes.stream()
                .filter(index -> function == null || index.function().equals(function))
                .map(reader::keyedSummary)
                .toList();
        return found.isEmpty() ? null : new KeyedSummaries(found);
    }

    /** Moves before the first key of a chunk; null if its records must be read. */
    public @Nullable KeyedSummary read(ChunkCursor chunk) {
        return count(chunk, readAny(chunk, summary -> true));
    }

    /** As {@link #read(ChunkCursor)}, but only of indexes by exactly these fields. */
    public @Nullable KeyedSummary read(ChunkCursor chunk, List<String> fields) {
        return count(chunk, readAny(chunk, summary -> summary.fields().equals(fields)));
    }

    private @Nullable KeyedSummary count(ChunkCursor chunk, @Nullable KeyedSummary found) {
        covered += found == null ? 0 : chunk.count();
        uncovered += found != null || chunk.isRun() ? 0 : 1;
        return found;
    }

    /** As {@link #read(ChunkCursor)}, but only of indexes over a function; doesn't count the chunk. */
    @Nullable
    KeyedSummary read(ChunkCursor chunk, IndexFunction function) {
        return readAny(chunk, summary -> summary.index().function().equals(function));
    }

    private @Nullable KeyedSummary readAny(ChunkCursor chunk, Predicate<KeyedSummary> wanted) {
        for (int i = 0; i < summaries.size(); i++) {
            KeyedSummary summary = summaries.get(i);
            try {
                if (wanted.test(summary) && summary.read(chunk)) {
                    return summary;
                }
            } catch (CorruptStoreException e) {
                damaged++;
            }
        }
        return null;
    }

    /** What the indexes are over, each once. */
    List<IndexFunction> functions() {
        return summaries.stream()
                .map(summary -> summary.index().function())
                .distinct()
                .toList();
    }

    /** The bins of the first index over a function; null if there is none. */
    public @Nullable BinScale scale(IndexFunction function) {
        return summaries.stream()
                .filter(summary -> summary.index().function().equals(function))
                .findFirst()
                .map(KeyedSummary::scale)
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
