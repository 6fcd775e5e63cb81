package dev.loom.query.plan;

import dev.loom.api.Index;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.format.PayloadFormat;
import dev.loom.query.model.TimeRange;
import dev.loom.query.where.Where;
import java.util.List;
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

    /** The source's indexes that may be used. */
    public List<Index> indexes() {
        return chunkIndex ? snapshot.indexes(sourceId) : List.of();
    }
}
