package dev.loom.store;

import dev.loom.error.LoomException;
import dev.loom.error.StoreIoException;
import dev.loom.error.StoreReopenedException;
import dev.loom.filter.UnitFiles;
import dev.loom.io.Storage;
import dev.loom.io.StoreThread;
import dev.loom.log.LogKind;
import dev.loom.log.LogView;
import dev.loom.log.PageDescriptor;
import dev.loom.log.PageReader;
import dev.loom.log.PageState;
import dev.loom.log.SegmentBudget;
import dev.loom.log.Segments;
import dev.loom.record.DirectoryReader;
import dev.loom.rollup.RunFiles;
import dev.loom.schema.SchemaEntry.RetentionSet;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Deletes the oldest segments of a store, whole and of all logs together, as its limits demand. The store then begins at a
 * checkpoint, which has the totals of what is gone. Needs no room on the disk. For the evictor's thread.
 *
 * <p>First the mark tells where the logs begin, then the watermarks do, and only then are files deleted; so a crash leaves
 * at most {@linkplain UnreferencedFiles files that nothing refers to}, which the next opening deletes. While the indexes are being rebuilt they keep their
 * segments, which are few.
 */
final class Retention implements SegmentBudget {
    /** At most this many bytes of records are passed over at once, so that the evictor soon writes again. */
    private static final long STEP_LENGTH = 8L << 30;

    /**
     * While the disk does not deliver pages of the timestamp index, at most this many segments are deleted beyond what is to be freed: one of
     * these pages may have a checkpoint that frees enough. They are not waited for for ever, as a bad sector stays one.
     */
    private static final int UNREAD_SEGMENTS_MAX = 2;

    private static final long UNREAD_WAIT_NS = TimeUnit.MINUTES.toNanos(1);

    /** What the files beside segments and schema take at most: the mark, the owner's note, the copies of the open page. */
    private static final long OTHERS_LENGTH = 3 * MarkFile.SLOT_LENGTH + OpenPageFile.LENGTH;

    private static final long SETTLING_NS = TimeUnit.SECONDS.toNanos(1);

    /** Segments are deleted for files that can be built again, if one takes no more than this part of the limit, or a segment. */
    private static final int WANTED_PART = 16;

    private static final LogKind[] KINDS = LogKind.values();

    private final RetentionSet limits;
    private final Storage storage;
    private final Path directory;
    private final Supplier<Mark> mark;
    private final Supplier<StoreLogs> logs;
    private final LongSupplier clock;
    private final Beginning beginning;
    private final Savings savings;
    private final UnitFiles text;
    private final RunFiles runs;

    /** The bytes for which a file that can be built again found no room below the limit; 0 once one as large has. */
    private final AtomicLong wanted = new AtomicLong();

    /** Since when there have been pages that are not delivered; 0 if there are none. */
    private long waitingNs;

    /** How much was durable when a search found nothing, so that it is not repeated before there is more. */
    private long searchedTo = -1;

    /** As of the last enforcement, as asking the mark takes memory. */
    private volatile long schemaLength;

    /** Reported when memory was short, which must not be mistaken for a failure of the disk. */
    private final StoreIoException noMemory = new StoreIoException("segments can't be deleted: reason=out of memory");

    private volatile @Nullable LoomException failure;

    /** Until when space that was freed may not be there yet: file systems free it later, and readers hold open files. */
    private long settledAtNs;

    private boolean settling;

    /** That the file system has too little free space although nothing is left to delete, or null. */
    private volatile @Nullable String missed;

    private final FreedSpace freed;
    private final UnreferencedFiles unreferenced;

    /** The time of the oldest segment's last record; {@code Long.MIN_VALUE} if unknown. */
    private long oldestNs = Long.MIN_VALUE;

    /** Durably records where the logs begin, and publishes it. */
    @FunctionalInterface
    interface Beginning {
        /**
         * Called before files below are deleted.
         *
         * @param begins by {@link LogKind#index()}
         */
        void beginAt(long[] begins);
    }

    /**
     * @param clock gives arrival times, epoch nanoseconds
     * @param freed what deleting has freed before
     */
    Retention(
            RetentionSet limits,
            Storage storage,
            Path directory,
            Supplier<Mark> mark,
            Supplier<StoreLogs> logs,
            LongSupplier clock,
            Beginning beginning,
            Savings savings,
            UnitFiles text,
            RunFiles runs,
            FreedSpace freed) {
        this.limits = limits;
        this.storage = storage;
        this.directory = directory;
        this.mark = mark;
        this.logs = logs;
        this.clock = clock;
        this.beginning = beginning;
        this.savings = savings;
        this.text = text;
        this.runs = runs;
        this.freed = freed;
        this.unreferenced = new UnreferencedFiles(storage, mark, logs, savings, text, runs);
    }

    /** Enforces the limits, as far as one step reaches. If that fails it is tried again in a second. */
    void enforce() {
        LoomException clockFailure = null;
        long expiredNs = Long.MIN_VALUE;
        String nothing = null;
        try {
            expiredNs = limits.maxAgeNs() == Long.MAX_VALUE ? Long.MIN_VALUE : clock.getAsLong() - limits.maxAgeNs();
        } catch (LoomException e) {
            clockFailure = e; // the other limits hold all the same
        }
        try {
            schemaLength = mark.get().schemaDurable();
            unreferenced.delete();
            delete(used() + wanted.get() - limits.maxBytes(), expiredNs);
            boolean relieved = relieve();
            nothing = relieved || freed.isDoubtful() || missing() <= 0 ? null : nothingLeft();
            failure =
                    clockFailure != null ? clockFailure : freed.isDoubtful() ? nothingFreed() : unreferenced.failure();
        } catch (StoreReopenedException e) {
            throw e;
        } catch (LoomException e) {
            failure = e;
        } catch (OutOfMemoryError e) {
            failure = noMemory;
        } finally {
            missed = nothing;
        }
    }

    /**
     * Whether files that can be built again may take this number of bytes more. If the limit alone is in the way, segments are deleted for them
     * soon: records that come all the time would leave none otherwise. Any thread.
     */
    boolean hasRoom(long bytes) {
        long segmentLength = logs.get().records().segments().segmentLength();
        long free = storage.usableSpace(directory) - bytes;
        if (free < limits.minFreeBytes() + segmentLength) {
            return false;
        }
        if (used() + bytes <= limits.maxBytes()) {
            // a smaller file takes no larger one's room: files that are put together ask for theirs only now and then
            wanted.updateAndGet(most -> bytes >= most ? 0 : most);
            return true;
        }
        if (bytes <= Math.max(limits.maxBytes() / WANTED_PART, segmentLength)) {
            wanted.accumulateAndGet(bytes, Math::max);
        }
        return false;
    }

    /** Whether the store's files take no more than they may. Any thread. */
    boolean isWithinLimit() {
        return used() <= limits.maxBytes();
    }

    /** Why the limits can't be enforced now, or null. */
    @Nullable
    LoomException failure() {
        return failure;
    }

    /** Why the free space that is to be kept can't be, although nothing fails, or null. Any thread. */
    @Nullable
    String missed() {
        return missed;
    }

    @Override
    public boolean makeRoom(long bytes) {
        long excess = used() + bytes - limits.maxBytes();
        if (excess + wanted.get() <= 0) {
            return true;
        }
        try {
            while (excess + wanted.get() > 0 && delete(excess + wanted.get(), Long.MIN_VALUE)) {
                excess = used() + bytes - limits.maxBytes();
            }
        } catch (StoreReopenedException e) {
            throw e;
        } catch (LoomException e) {
            // a store that is too large is better than records that are lost
            failure = e;
            return true;
        } catch (OutOfMemoryError e) {
            failure = noMemory;
            return true;
        }
        Mark last = mark.get();
        Segments segments = logs.get().records().segments();
        long evicted = logs.get().records().watermarks().evictedAcquire();
        // another segment might be deleted if it were durable
        return excess <= 0 || segments.first(evicted) == segments.first(last.durable(LogKind.RECORD));
    }

    @Override
    public boolean relieve() {
        long missing = missing();
        if (missing <= 0) {
            if (!settling) {
                freed.noteEnough();
            }
            return false;
        }
        long free = storage.usableSpace(directory);
        long used = used();
        if (!freed.allowsMore(free, used, System.nanoTime())) {
            return false;
        }
        boolean deleted = delete(freed.isDoubtful() ? 1 : missing, Long.MIN_VALUE);
        long freeNow = storage.usableSpace(directory);
        long nowNs = System.nanoTime();
        settling = deleted && freeNow <= free;
        settledAtNs = nowNs + SETTLING_NS;
        if (deleted) {
            long usedNow = used();
            freed.noteDeletion(used - usedNow, free, freeNow, usedNow, nowNs);
        }
        return deleted;
    }

    /** Waits until what deleting frees a moment later is free; false if nothing is awaited. For the thread that enforces the limits. */
    boolean awaitSettled() {
        long leftNs = settling ? settledAtNs - System.nanoTime() : 0;
        if (leftNs > 0) {
            StoreThread.pause(leftNs);
        }
        return leftNs > 0;
    }

    private String nothingLeft() {
        return "less free than min_free, and nothing left to delete: free=" + storage.usableSpace(directory)
                + ", min_free=" + limits.minFreeBytes();
    }

    private StoreIoException nothingFreed() {
        return new StoreIoException("deleting segments frees no space: free=" + storage.usableSpace(directory)
                + ", wanted=" + limits.minFreeBytes()
                + ", reason=a snapshot or a copy shares their blocks, or readers hold them open");
    }

    @Override
    public boolean isShort() {
        return missing() > 0;
    }

    /** The bytes by which the file system's free space is too small; 0 while what was freed may still come. */
    private long missing() {
        settling = settling && System.nanoTime() - settledAtNs < 0;
        return settling || limits.minFreeBytes() == 0 ? 0 : limits.minFreeBytes() - storage.usableSpace(directory);
    }

    /** The bytes that the store's files take. */
    private long used() {
        long used = OTHERS_LENGTH + schemaLength - savings.bytes() + text.bytes() + runs.bytes();
        StoreLogs now = logs.get();
        for (LogKind kind : KINDS) {
            LogView view = now.of(kind);
            long begin = view.watermarks().beginAcquire();
            long contents = begin
                    - view.segments().first(begin)
                    + view.watermarks().lengthTo(view.watermarks().evictedAcquire());
            // the last file and, where there is a gap, the last one before it are not full
            long files = contents / view.segments().segmentLength() + 2;
            used += contents + files * Storage.FILE_EXCESS_LENGTH;
        }
        return used;
    }

    /**
     * Deletes the oldest segments.
     *
     * @param bytes how much is to be freed
     * @param expiredNs segments whose records are all older are deleted too
     * @return whether something was deleted
     */
    private boolean delete(long bytes, long expiredNs) {
        boolean expired = expiredNs != Long.MIN_VALUE && (oldestNs == Long.MIN_VALUE || oldestNs < expiredNs);
        Mark last = mark.get();
        if ((bytes <= 0 && !expired) || durable(last) == searchedTo) {
            return false;
        }
        oldestNs = Long.MIN_VALUE;
        boolean pending = last.rebuild().pending();
        long[] begins = pending ? withoutIndex(last, bytes) : find(last, bytes, expiredNs);
        if (begins == null) {
            // once the indexes are there, more may be found at the same place
            searchedTo = !pending && oldestNs == Long.MIN_VALUE && waitingNs == 0 ? durable(last) : -1;
            return false;
        }
        oldestNs = Long.MIN_VALUE;
        searchedTo = -1;
        beginning.beginAt(begins);
        unreferenced.onBegin();
        unreferenced.delete();
        return true;
    }

    private static long durable(Mark mark) {
        return mark.durable(LogKind.RECORD) + mark.durable(LogKind.TIME);
    }

    /** Where the record log can begin while its index is incomplete: at the first chunk that begins in a segment. */
    private long @Nullable [] withoutIndex(Mark last, long bytes) {
        LogView records = logs.get().records();
        Segments segments = records.segments();
        long oldest = segments.first(last.begin(LogKind.RECORD));
        long length = segments.segmentLength();
        long freed = (Math.min(bytes, STEP_LENGTH) + length - 1) / length * length;
        long begin = Math.min(oldest + freed, segments.first(last.durable(LogKind.RECORD)));
        if (bytes <= 0 || begin <= oldest) {
            return null;
        }
        return new long[] {
            chunkFrom(records, begin, last.durable(LogKind.RECORD)), last.begin(LogKind.TIME), last.begin(LogKind.CHUNK)
        };
    }

    /** The first address from a page on at which no chunk goes on. */
    private static long chunkFrom(LogView records, long from, long end) {
        long address = from;
        try (PageReader pages = new PageReader(records)) {
            while (address < end
                    && pages.read(address, end) == PageState.PRESENT
                    && PageDescriptor.continues(pages.buffer(), pages.pageOffset())) {
                address += PageDescriptor.PAGE_LENGTH;
            }
        }
        return address;
    }

    /**
     * Where the logs can begin, by {@link LogKind#index()}: at the first durable checkpoint that frees enough, else at the
     * last one that frees anything; null if none does.
     */
    private long @Nullable [] find(Mark last, long bytes, long expiredNs) {
        StoreLogs now = logs.get();
        Segments segments = now.records().segments();
        long oldest = segments.first(last.begin(LogKind.RECORD));
        long wanted = bytes <= 0 ? oldest : oldest + Math.min(bytes, STEP_LENGTH);
        long[] found = null;
        long freed = oldest;
        long bins = last.begin(LogKind.CHUNK);
        try (DirectoryReader entries = new DirectoryReader(now.times(), last.durable(LogKind.TIME))) {
            entries.toBegin();
            while (entries.next() && entries.chunkAddress() <= last.durable(LogKind.RECORD)) {
                if (entries.isDirectory()) {
                    bins = Math.max(bins, entries.binsEnd());
                } else if (entries.isFirstPart() && segments.first(entries.chunkAddress()) > freed) {
                    if (freed >= wanted && entries.firstTimeNs() >= expiredNs) {
                        oldestNs = entries.firstTimeNs();
                        return found;
                    }
                    long beyond = segments.first(entries.chunkAddress()) - wanted;
                    if (entries.firstTimeNs() >= expiredNs
                            && beyond > UNREAD_SEGMENTS_MAX * segments.segmentLength()
                            && waitsFor(entries.undelivered())) {
                        if (found == null) {
                            throw new StoreIoException(
                                    "segments can't be deleted: reason=pages of the timestamp index can't be read, pages="
                                            + entries.undelivered());
                        }
                        return found; // by what can't be read now, far less might do
                    }
                    found = new long[] {
                        entries.chunkAddress(),
                        PageDescriptor.pageAddress(entries.address()),
                        Math.min(PageDescriptor.pageAddress(bins), last.durable(LogKind.CHUNK))
                    };
                    freed = segments.first(entries.chunkAddress());
                    if (freed - oldest >= STEP_LENGTH) {
                        return found;
                    }
                }
            }
            waitsFor(entries.undelivered());
        }
        return found;
    }

    /** Whether to wait for pages of the timestamp index that the disk does not deliver. */
    private boolean waitsFor(long pages) {
        if (pages == 0) {
            waitingNs = 0;
            return false;
        }
        long nowNs = System.nanoTime();
        waitingNs = waitingNs == 0 ? nowNs | 1 : waitingNs;
        return nowNs - waitingNs < UNREAD_WAIT_NS;
    }
}
