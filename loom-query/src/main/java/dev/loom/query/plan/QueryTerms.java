package dev.loom.query.plan;

import dev.loom.api.Index;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.format.PayloadFormat;
import dev.loom.query.model.AddressRange;
import dev.loom.query.model.QueryIndex;
import dev.loom.query.model.TimeRange;
import dev.loom.query.where.Where;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What an operator asks of one source. Immutable.
 *
 * @param conditions joined by and
 * @param range of arrival times
 * @param addresses records at others are skipped
 * @param eventRange of the records' own times; null for all
 * @param usable the indexes that may be used
 */
public record QueryTerms(
        Snapshot snapshot,
        int sourceId,
        List<Where> conditions,
        TimeRange range,
        AddressRange addresses,
        @Nullable EventRange eventRange,
        RunLimits limits,
        Set<QueryIndex> usable) {
    public QueryTerms {
        conditions = List.copyOf(conditions);
        usable = Set.copyOf(usable);
    }

    /** Whether an index may be used. */
    public boolean uses(QueryIndex index) {
        return usable.contains(index);
    }

    /**
     * The format of the source's payloads.
     *
     * @throws IllegalArgumentException if there is none
     */
    public PayloadFormat format() {
        return format(snapshot, sourceId);
    }

    /** As {@link #format()}. */
    public static PayloadFormat format(Snapshot snapshot, int sourceId) {
        return snapshot.sources().stream()
                .filter(source -> source.id() == sourceId)
                .map(Source::format)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("source has no format: id=" + sourceId));
    }

    /** The source's indexes that may be used, except those by keys. */
    public List<Index> indexes() {
        return indexesThat(index -> index.key() == null);
    }

    /** The source's indexes by these fields that may be used, the newest first. */
    List<Index> indexesBy(List<String> fields) {
        List<Index> found = new ArrayList<>(
                indexesThat(index -> index.key() != null && index.key().fields().equals(fields)));
        Collections.reverse(found);
        return found;
    }

    /** The source's indexes whose keys have all of these fields, those with the fewest others first, and of these the newest. */
    List<Index> indexesWith(List<String> fields) {
        List<String> names = format().canonicalNames(fields);
        List<Index> found = new ArrayList<>(indexesThat(index -> index.key() != null
                && format().canonicalNames(index.key().fields()).containsAll(names)));
        Collections.reverse(found);
        found.sort(Comparator.comparingInt(QueryTerms::keyWidth));
        return found;
    }

    private static int keyWidth(Index index) {
        return Objects.requireNonNull(index.key()).fields().size();
    }

    /** The fields of the keys of indexes that may be used, each set once. */
    List<List<String>> keyFields() {
        return indexesThat(index -> index.key() != null).stream()
                .map(index -> Objects.requireNonNull(index.key()).fields())
                .distinct()
                .toList();
    }

    private List<Index> indexesThat(Predicate<Index> wanted) {
        return uses(QueryIndex.CHUNK)
                ? snapshot.indexes(sourceId).stream().filter(wanted).toList()
                : List.of();
    }
}
