package dev.loom.query.plan;

import dev.loom.api.Index;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.format.PayloadFormat;
import dev.loom.query.model.TimeRange;
import dev.loom.query.where.Where;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What an operator asks of one source. Immutable.
 *
 * @param conditions joined by and
 * @param range of arrival times
 * @param fromAddress records at lower addresses are skipped
 * @param eventRange of the records' own times; null for all
 * @param timeIndex whether to find the time range through the timestamp index
 * @param chunkIndex whether to use what indexes hold about chunks
 * @param textIndex whether to use what the text index holds
 * @param rollups whether to use what runs of chunks hold, summed up
 */
public record QueryTerms(
        Snapshot snapshot,
        int sourceId,
        List<Where> conditions,
        TimeRange range,
        long fromAddress,
        @Nullable EventRange eventRange,
        RunLimits limits,
        boolean timeIndex,
        boolean chunkIndex,
        boolean textIndex,
        boolean rollups) {
    public QueryTerms {
        conditions = List.copyOf(conditions);
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

    /** The source's indexes that may be used, but for those by keys. */
    public List<Index> indexes() {
        return usable(index -> index.key() == null);
    }

    /** The source's indexes by these fields that may be used, the newest first. */
    public List<Index> indexesBy(List<String> fields) {
        List<Index> found = new ArrayList<>(
                usable(index -> index.key() != null && index.key().fields().equals(fields)));
        Collections.reverse(found);
        return found;
    }

    private List<Index> usable(Predicate<Index> wanted) {
        return chunkIndex ? snapshot.indexes(sourceId).stream().filter(wanted).toList() : List.of();
    }
}
