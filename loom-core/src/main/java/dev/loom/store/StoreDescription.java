package dev.loom.store;

import dev.loom.api.Eviction;
import dev.loom.api.StoreInfo;
import dev.loom.api.StoreInfo.LogInfo;
import dev.loom.log.LogKind;
import dev.loom.log.LogView;
import dev.loom.log.Watermarks;
import dev.loom.record.PressureGauge;
import dev.loom.schema.Schema;
import dev.loom.schema.SchemaEntry.RetentionSet;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Describes a store. */
final class StoreDescription {
    /** The evictor is heard of once a second. Silence of this length means that the disk holds it up. */
    private static final Duration STALL = Duration.ofSeconds(10);

    private StoreDescription() {}

    /**
     * @param staging the rings of a session that writes the store, or was killed
     * @param state {@link StoreInfo.State#WRITER} exactly if there is a writer
     * @param writer what the session itself knows
     * @param failure why it can't write, beside what its live file shows
     */
    static StoreInfo of(
            StoreFiles files,
            Mark mark,
            StoreLogs logs,
            @Nullable Staging staging,
            Schema schema,
            StoreInfo.State state,
            StoreInfo.@Nullable Writer writer,
            @Nullable String failure) {
        return new StoreInfo(
                files.directory(),
                MarkFile.version(mark),
                mark.storeId(),
                mark.epoch(),
                state,
                schema.sources().size(),
                mark.segmentLength(),
                retention(schema),
                owner(mark),
                log(mark, logs.records(), Savings.now(mark, logs.records())),
                log(mark, logs.times(), 0),
                log(mark, logs.chunks(), 0),
                mark.indexState(),
                rebuild(logs.times().watermarks()),
                Duration.ofNanos(clockAheadNs(mark, staging)),
                failure(staging, failure).or(() -> stall(logs, staging, state)),
                Optional.ofNullable(staging).map(shown -> session(shown, isWritten(state))),
                Optional.ofNullable(writer));
    }

    private static StoreInfo.Retention retention(Schema schema) {
        RetentionSet set = schema.retention();
        if (set == null) {
            return new StoreInfo.Retention(Long.MAX_VALUE, Optional.empty(), 0);
        }
        Optional<Duration> maxAge =
                set.maxAgeNs() == Long.MAX_VALUE ? Optional.empty() : Optional.of(Duration.ofNanos(set.maxAgeNs()));
        return new StoreInfo.Retention(set.maxBytes(), maxAge, set.minFreeBytes());
    }

    private static Optional<StoreInfo.Owner> owner(Mark mark) {
        return mark.closed() ? Optional.empty() : Optional.of(owner(mark.owner(), mark.staging()));
    }

    static StoreInfo.Owner owner(Mark.Owner owner, Path staging) {
        return new StoreInfo.Owner(owner.process().pid(), owner.process().isNear(), owner.host(), staging);
    }

    private static LogInfo log(Mark mark, LogView view, long savedBytes) {
        Watermarks watermarks = view.watermarks();
        return new LogInfo(
                mark.ringLength(view.kind()),
                watermarks.beginAcquire(),
                watermarks.keptAcquire(),
                watermarks.evictedAcquire(),
                watermarks.sealedAcquire(),
                watermarks.tailAcquire(),
                watermarks.lengthTo(watermarks.tailAcquire()),
                savedBytes);
    }

    private static Optional<StoreInfo.RebuildProgress> rebuild(Watermarks index) {
        StoreInfo.RebuildProgress progress = new StoreInfo.RebuildProgress(index.rebuiltAcquire(), index.rebuildTo());
        return progress.done() < progress.to() ? Optional.of(progress) : Optional.empty();
    }

    private static long clockAheadNs(Mark mark, @Nullable Staging staging) {
        if (staging != null) {
            return Math.max(0, staging.live().clockAhead());
        }
        return mark.closed() ? aheadWhenClosed(mark) : 0;
    }

    /** How far the next record's time will lead the wall clock. */
    private static long aheadWhenClosed(Mark mark) {
        long wallNs = SystemClock.wallNs();
        return mark.lastTimeNs() > wallNs + SystemClock.LEAD_MAX_NS ? mark.lastTimeNs() - wallNs : 0;
    }

    private static Optional<String> failure(@Nullable Staging staging, @Nullable String failure) {
        return failure != null || staging == null
                ? Optional.ofNullable(failure)
                : Optional.of(staging.live().error()).filter(error -> !error.isEmpty());
    }

    /** That its evictor does not come back from the disk. */
    private static Optional<String> stall(StoreLogs logs, @Nullable Staging staging, StoreInfo.State state) {
        long silenceNs = staging != null && isWritten(state) ? staging.live().silenceNs() : 0;
        if (silenceNs < STALL.toNanos()) {
            return Optional.empty();
        }
        long waiting = 0;
        for (LogKind kind : LogKind.values()) {
            Watermarks watermarks = logs.of(kind).watermarks();
            waiting += watermarks.sealedAcquire() - watermarks.evictedAcquire();
        }
        return Optional.of("the disk does not answer, or the writer is stopped: s="
                + Duration.ofNanos(silenceNs).toSeconds() + ", bytes waiting=" + Math.max(0, waiting));
    }

    private static boolean isWritten(StoreInfo.State state) {
        return state == StoreInfo.State.WRITER || state == StoreInfo.State.LIVE;
    }

    private static StoreInfo.Session session(Staging staging, boolean written) {
        LiveFile live = staging.live();
        PressureGauge gauge = live.gauge();
        return new StoreInfo.Session(
                live.direct() ? Eviction.DIRECT : Eviction.PAGE_CACHE,
                live.pressure(),
                Optional.ofNullable(staging.note()),
                gauge.waits(),
                Duration.ofNanos(gauge.waitedNs()),
                gauge.refused(),
                live.writeFailures(),
                live.syncFailed(),
                written ? live.openUnits() : 0,
                live.lossCounts().all());
    }
}
