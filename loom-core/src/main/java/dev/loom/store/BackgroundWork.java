package dev.loom.store;

import dev.loom.api.ProgressHandler;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.error.StoreReopenedException;
import dev.loom.filter.UnitFiles;
import dev.loom.format.PayloadFormat;
import dev.loom.log.Evictor;
import dev.loom.log.LogKind;
import dev.loom.record.WriterOwnership;
import dev.loom.rollup.RunFiles;
import dev.loom.rollup.RunShape;
import dev.loom.schema.Schema;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a session does beside writing: it completes and checks its indexes, compresses old segments, builds the text index, and sums up
 * runs of chunks.
 */
final class BackgroundWork implements AutoCloseable {
    /** A rebuild publishes what it has at the latest after this number of bytes, so that one which is ended has not worked in vain. */
    private static final long PUBLISHED_BYTES_MAX = 256L << 20;

    private final Parts parts;
    private final Tenure.Guard indexGuard;
    private final Tenure.Guard textGuard;
    private final Tenure.Guard rollupGuard;
    private @Nullable IndexThread indexThread;
    private volatile @Nullable Compression compression;
    private volatile @Nullable TextIndexing textIndexing;
    private volatile @Nullable Rollups rollups;
    /** The schema that was searched for sources with a text index. */
    private @Nullable Schema searched;
    /** Why a thread could not be started when more was durable, or null. */
    private volatile @Nullable Throwable unstarted;

    private boolean closed;

    /** What it needs of its session. */
    record Parts(
            Settings settings,
            StoreFiles files,
            SessionMark mark,
            SessionStaging staging,
            SessionSchema schema,
            Evictor evictor,
            Tenure tenure,
            WriterOwnership ownership,
            LongSupplier clock,
            Savings savings,
            UnitFiles text,
            RunFiles runs,
            LongPredicate room,
            BooleanSupplier withinLimit,
            Supplier<Snapshot> snapshot) {}

    BackgroundWork(Parts parts) {
        this.parts = parts;
        this.indexGuard = parts.tenure().guard();
        this.textGuard = parts.tenure().guard(); // here, as a thread that can't be started is tried again and again
        this.rollupGuard = parts.tenure().guard();
    }

    /** Starts what there is to do. Of the indexes a little is completed before it returns. */
    void start(@Nullable IndexCheck unchecked) {
        SessionMark mark = parts.mark();
        Rebuild rebuild = mark.rebuild();
        if (rebuild.pending()
                && rebuild.to() - rebuild.done() <= parts.settings().backgroundRebuildBytes()) {
            long from = rebuild.done();
            ProgressHandler progress = parts.settings().progress();
            gapRebuild().run(() -> !progress.onProgress(mark.rebuild().done() - from, rebuild.to() - from));
        }
        if (unchecked != null) {
            unchecked.follow(
                    kind -> parts.staging().logs().of(kind).watermarks().beginAcquire());
        }
        if (mark.rebuild().pending() || unchecked != null) {
            IndexThread indexing =
                    new IndexThread(() -> mark.rebuild().pending() ? gapRebuild() : null, unchecked, mark::indexState);
            parts.ownership().bar(indexing.thread());
            indexing.start();
            indexThread = indexing;
        }
        Duration compressAfter = parts.settings().compressAfter();
        if (compressAfter != null) {
            compress(compressAfter);
        }
        indexText();
        sumUp(false);
    }

    /** Starts what summing up takes once there is a run of chunks. */
    private synchronized void sumUp(boolean wanted) {
        SessionMark mark = parts.mark();
        double share = parts.settings().rollupShare();
        boolean enough =
                mark.written().durable(LogKind.RECORD) - mark.written().begin(LogKind.RECORD) >= RunShape.begin(1, 1);
        if (closed || rollups != null || share == 0 || !(enough || wanted)) {
            return;
        }
        Rollups summing = new Rollups(new Rollups.Parts(
                parts.runs(),
                mark.written().storeId(),
                parts.snapshot(),
                id -> parts.schema().current().index(id),
                () -> !mark.rebuild().pending(),
                () -> mark.written().durable(LogKind.RECORD),
                rollupGuard::check,
                parts.room(),
                share));
        parts.ownership().bar(summing.thread());
        summing.start();
        rollups = summing;
    }

    /** The evictor must go on whatever keeps another thread from starting, such as a lack of memory: its pages are durable all the same. */
    private void startMore() {
        try {
            indexText();
            sumUp(false);
            unstarted = null;
        } catch (StoreReopenedException e) {
            throw e;
        } catch (Throwable e) {
            unstarted = e; // tried again when more is durable
        }
    }

    /** Starts the thread for the text index once a source has one. */
    private synchronized void indexText() {
        Schema schema = parts.schema().current();
        if (closed
                || textIndexing != null
                || schema == searched
                || parts.settings().textIndex().share() == 0) {
            return;
        }
        if (schema.sources().stream().noneMatch(TextIndexing::mayHaveText)) {
            searched = schema;
            return;
        }
        SessionMark mark = parts.mark();
        TextIndexing indexing = new TextIndexing(new TextIndexing.Parts(
                parts.text(),
                mark.written().storeId(),
                parts.snapshot(),
                () -> parts.schema().current().sources(),
                () -> !mark.rebuild().pending(),
                () -> mark.written().durable(LogKind.RECORD),
                textGuard::check,
                parts.room(),
                units -> parts.staging().live().openUnits(units),
                parts.settings().textIndex()));
        parts.ownership().bar(indexing.thread());
        indexing.start();
        textIndexing = indexing;
    }

    private void compress(Duration after) {
        SessionMark mark = parts.mark();
        Compression compressing = new Compression(new Compression.Parts(
                parts.settings().storage(),
                mark.written().sessionNonce(),
                parts.staging()::logs,
                () -> mark.written().durable(LogKind.RECORD),
                this::format,
                parts.clock(),
                parts.tenure().guard()::check,
                parts.evictor()::whilePaused,
                parts.savings(),
                parts.withinLimit(),
                after.toNanos(),
                parts.settings().compressionShare()));
        parts.ownership().bar(compressing.thread());
        compressing.start();
        compression = compressing;
    }

    /** The rebuild of the part before the gap, from its current end. */
    private GapRebuild gapRebuild() {
        return new GapRebuild(new GapRebuild.Parts(
                parts.settings().storage(),
                parts.files(),
                parts.mark().now(),
                parts.staging().logs(),
                parts.schema().current(),
                this::formatText,
                indexGuard::check,
                Math.min(parts.settings().backgroundRebuildBytes(), PUBLISHED_BYTES_MAX),
                this::onRebuilt));
    }

    /** The index thread calls it after the part before the gap has grown and is durable. */
    private void onRebuilt(long timeGapBegin, long chunkGapBegin, long done) {
        parts.evictor().whilePaused(() -> publishRebuilt(timeGapBegin, chunkGapBegin, done));
    }

    private void publishRebuilt(long timeGapBegin, long chunkGapBegin, long done) {
        StoreLogs logs = parts.staging().logs();
        // bins first, because directories refer to them
        logs.chunks().watermarks().gapBeginRelease(chunkGapBegin);
        logs.times().watermarks().gapBeginRelease(timeGapBegin);
        logs.times().watermarks().rebuiltRelease(done);
        parts.staging().follow();
        parts.mark().rebuild(parts.mark().rebuild().advanced(timeGapBegin, chunkGapBegin, done));
    }

    private @Nullable PayloadFormat format(int sourceId) {
        Source source = parts.schema().current().source(sourceId);
        return source == null ? null : source.format();
    }

    private @Nullable String formatText(int sourceId) {
        PayloadFormat format = format(sourceId);
        return format == null ? null : format.text();
    }

    /** Called when more is durable. */
    void onDurable() {
        Compression running = compression;
        if (running != null) {
            running.wake();
        }
        TextIndexing indexing = textIndexing;
        if (indexing != null) {
            indexing.wake();
        }
        Rollups summing = rollups;
        if (summing != null) {
            summing.wake();
        }
        if (indexing == null || summing == null) {
            startMore();
        }
    }

    /** Waits until what is durable is summed up; false if that can't be. */
    boolean finishRollups(ProgressHandler progress) {
        sumUp(true);
        Rollups running = rollups;
        return running == null || running.finish(progress);
    }

    /** Waits until all that is durable is in the text index; false if that can't be, or if it is turned off. */
    boolean finishText(ProgressHandler progress) {
        indexText();
        TextIndexing running = textIndexing;
        if (running == null) {
            return parts.settings().textIndex().share() > 0;
        }
        // it waits for the indexes that lead to records
        return running.finish((done, total) ->
                progress.onProgress(done, total) && !(parts.mark().rebuild().pending() && indexFailure() != null));
    }

    /** Why the text index can't be built now, or null. */
    @Nullable
    String textFailure() {
        TextIndexing running = textIndexing;
        if (running != null) {
            return running.failure();
        }
        Throwable failed = unstarted;
        return failed == null ? null : String.valueOf(failed);
    }

    /** Why runs can't be summed up now, or null. */
    @Nullable
    Throwable rollupFailure() {
        Rollups running = rollups;
        return running == null ? unstarted : running.failure();
    }

    /** Why the indexes can't be completed or checked, or null. */
    @Nullable
    Throwable indexFailure() {
        IndexThread running = indexThread;
        return running == null ? null : running.failure();
    }

    /** Why the last segment could not be compressed, or null. */
    @Nullable
    Throwable compressionFailure() {
        Compression running = compression;
        return running == null ? null : running.failure();
    }

    /** Ends the threads, and waits for their end. Takes no memory, so that nothing that is to be done after it is left out. */
    @Override
    public void close() {
        IndexThread indexing = indexThread;
        if (indexing != null) {
            indexing.close();
        }
        Compression compressing = compression;
        if (compressing != null) {
            compressing.close();
        }
        TextIndexing text;
        Rollups summing;
        synchronized (this) {
            closed = true; // the evictor still runs
            text = textIndexing;
            summing = rollups;
        }
        if (text != null) {
            text.close();
        }
        if (summing != null) {
            summing.close();
        }
    }
}
