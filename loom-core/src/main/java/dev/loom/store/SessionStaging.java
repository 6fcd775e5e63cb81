package dev.loom.store;

import dev.loom.filter.UnitFiles;
import dev.loom.io.Storage;
import dev.loom.log.HybridLog;
import dev.loom.log.LogKind;
import dev.loom.record.LossCounts;
import dev.loom.record.LossSlots;
import dev.loom.record.PressureGauge;
import dev.loom.record.SourceSlots;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The staging of a session. It may be deleted during the session, by logind at logout or by a cleaner of temporary
 * folders. The mappings then survive, but nobody can attach to them, and a kill would lose them. So new staging is
 * made, and the writer moves there on its own thread, before its next record, while the evictor is paused. Until then
 * the evictor's thread keeps a copy there, which is exact if the writer writes nothing meanwhile.
 */
final class SessionStaging implements AutoCloseable {
    private final StoreFiles files;
    private final Storage storage;
    private final Mark mark;
    private final UnitFiles text;
    private final StagingPlaces places;
    private final List<HybridLog> logs;
    private final SourceSlots slots;
    private final LossSlots losses;
    private final LossCounts lossCounts;
    private final PressureGauge gauge;

    private volatile View current;
    private volatile @Nullable Staging next;
    private final AtomicInteger moves = new AtomicInteger();
    private long[] copied = {};

    /** Staging and the readers' views of its logs. */
    record View(Staging staging, StoreLogs logs) {}

    SessionStaging(StoreFiles files, Settings settings, Mark mark, Staging staging, UnitFiles text) {
        this.files = files;
        this.storage = settings.storage();
        this.mark = mark;
        this.text = text;
        this.places = new StagingPlaces(storage, settings.staging(), files.staging());
        this.current = view(staging);
        this.logs = Stream.of(LogKind.values()).map(this::hybridLog).toList();
        this.slots = staging.live().slots();
        this.losses = staging.live().losses();
        this.lossCounts = staging.live().lossCounts();
        this.gauge = staging.live().gauge();
    }

    private View view(Staging staging) {
        return new View(staging, StoreLogs.live(files, storage, mark, staging).with(text));
    }

    private HybridLog hybridLog(LogKind kind) {
        return new HybridLog(
                kind,
                mark.storeId(),
                mark.epoch(),
                staging().ring(kind).bytes(),
                live().watermarks(kind),
                mark.begin(kind),
                mark.durable(kind));
    }

    View view() {
        return current;
    }

    Staging staging() {
        return current.staging();
    }

    LiveFile live() {
        return staging().live();
    }

    /** Frees what readers used, once there are none. */
    void unmap() {
        staging().unmap();
    }

    StoreLogs logs() {
        return current.logs();
    }

    /** The writer's log. */
    HybridLog log(LogKind kind) {
        return logs.get(kind.index());
    }

    /** The writer's source slots. */
    SourceSlots slots() {
        return slots;
    }

    /** The writer's loss slots. */
    LossSlots losses() {
        return losses;
    }

    /** The writer's counts of losses. */
    LossCounts lossCounts() {
        return lossCounts;
    }

    /** The writer's gauge. */
    PressureGauge gauge() {
        return gauge;
    }

    /** How often the writer has moved to other staging. */
    int moves() {
        return moves.get();
    }

    /**
     * Makes new staging if the current one, or its prepared replacement, was deleted. For the evictor's thread.
     *
     * @return the staging that the writer has yet to move to, made now or before, or null
     * @throws dev.loom.error.StoreIoException when that fails for now
     */
    @Nullable
    Staging replaceIfDeleted(Mark.Owner owner) {
        Staging prepared = next;
        Staging last = prepared == null ? staging() : prepared;
        if (last.inPlace()) {
            return prepared;
        }
        next = null;
        if (prepared != null) {
            prepared.release();
        }
        Staging.delete(storage, last.directory());
        copied = new long[0];
        Staging made = places.create(
                new Staging.Request(mark.storeId(), mark.sessionNonce(), mark.epoch(), owner, StoreHome.of(files)),
                List.of(last.lengths()));
        next = made;
        return made;
    }

    /** Throws if there is no room for the next session's staging beside this one. */
    void checkRoomForNext() {
        places.checkRoomForNext(staging().lengths());
    }

    /** Copies everything to the prepared staging that the writer has not moved to yet. For the evictor's thread. */
    void copy() {
        Staging prepared = next;
        long[] tails = logs().tails();
        if (prepared != null && !Arrays.equals(tails, copied)) {
            prepared.live().stateRelease(0);
            prepared.copyFrom(staging());
            if (Arrays.equals(tails, logs().tails())) {
                copied = tails;
                prepared.live().stateRelease(LiveFile.OPEN);
            }
        }
    }

    /** Keeps the copy exact where only the evictor's side has moved. For the evictor's thread, or while it is paused. */
    void follow() {
        Staging prepared = next;
        if (prepared != null && copied.length > 0 && Arrays.equals(logs().tails(), copied)) {
            prepared.live().follow(live());
        }
    }

    /** Moves to the prepared staging. For the writer's thread, while the evictor is paused. */
    void move() {
        Staging to = next;
        if (to == null) {
            return;
        }
        Staging from = staging();
        to.copyFrom(from);
        View after = view(to);
        for (LogKind kind : LogKind.values()) {
            log(kind).moveTo(to.ring(kind).bytes(), to.live().file().bytes());
        }
        slots.moveTo(to.live().file().bytes());
        losses.moveTo(to.live().file().bytes());
        lossCounts.moveTo(to.live().file().bytes());
        gauge.moveTo(to.live().file().bytes());
        to.live().stateRelease(LiveFile.OPEN);
        current = after;
        next = null;
        moves.incrementAndGet();
        // readers of the old staging have everything up to here; its memory is unmapped once unreferenced
        from.live().stateRelease(LiveFile.MOVED);
        from.release();
    }

    /** Releases the claims; the rest, if it was not deleted, is the next opening's. Idempotent. */
    @Override
    public void close() {
        Staging prepared = next;
        if (prepared != null) {
            prepared.release();
        }
        staging().release();
    }

    /** Deletes the staging and any prepared replacement. */
    void delete() {
        Staging prepared = next;
        if (prepared != null) {
            prepared.delete(storage);
        }
        staging().delete(storage);
    }
}
