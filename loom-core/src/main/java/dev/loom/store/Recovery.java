package dev.loom.store;

import dev.loom.api.ProgressHandler;
import dev.loom.io.FileId;
import dev.loom.io.LoomFile;
import dev.loom.io.Storage;
import dev.loom.log.LogKind;
import dev.loom.log.LogView;
import dev.loom.log.PageChecksum;
import dev.loom.log.PageDescriptor;
import dev.loom.log.PageReader;
import dev.loom.log.PageState;
import dev.loom.log.SegmentWriter;
import dev.loom.log.Segments;
import dev.loom.log.UnsharedLog;
import dev.loom.record.LossMarkers;
import dev.loom.record.LossSlots;
import dev.loom.record.PageRecords;
import dev.loom.schema.SchemaLog;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Turns a store that was not closed into a closed one. Every step is repeatable, so a crash in between does no harm;
 * the mark is written last.
 * <ul>
 * <li>After a kill in the same boot, the staging is trusted, and what only the rings hold is written to the segment
 * files. Nothing is lost, and drops are marked there too.
 * <li>Otherwise, as after a power cut, each log ends at its first damaged page. The timestamp index is cut to the
 * entries that end there and synced, then the chunk index, then the record log, which gets the copy of its open page. Schema entries that were not durable
 * end at the first damaged one; no page that needs one was written before that entry was synced.
 * </ul>
 *
 * @param mark the closed mark, as now on disk
 * @param powerCut whether this was the second case
 * @param durableBefore the durable end of the record log before the recovery
 */
record Recovery(Mark mark, boolean powerCut, long durableBefore) {
    static Recovery run(Settings settings, StoreFiles files, Mark mark, @Nullable Staging staging) {
        return staging == null
                ? cut(files, settings.storage(), mark, LogEnds.find(files, settings.storage(), mark))
                : rescue(files, settings.storage(), mark, staging, settings.progress());
    }

    private static Recovery rescue(
            StoreFiles files, Storage storage, Mark mark, Staging staging, ProgressHandler progress) {
        StoreLogs logs = StoreLogs.live(files, storage, mark, staging);
        long lastTimeNs = Math.max(mark.lastTimeNs(), lastTimeNs(logs.records()));
        // a volume may have been detached before all was written to it
        boolean cameBack = FileId.of(files.mark()).device() != mark.file().device();
        boolean again = staging.live().syncFailed() || cameBack;
        long recordEnd = flush(storage, logs.records(), lastTimeNs, again, progress);
        long timeEnd = flush(storage, logs.times(), lastTimeNs, again, progress);
        long chunkEnd = flush(storage, logs.chunks(), lastTimeNs, again, progress);
        long schemaEnd = SchemaLog.recover(storage, files.schema(), mark.storeId(), Long.MAX_VALUE);
        long[] unmarked =
                staging.live().losses().unmarked(logs.records().watermarks().tailAcquire());
        for (int i = 0; i < unmarked.length; i += LossSlots.UNMARKED_FIELDS) {
            lastTimeNs = Math.max(lastTimeNs, unmarked[i + LossSlots.UNMARKED_FIELDS - 1]);
        }
        if (unmarked.length > 0) {
            recordEnd = mark(files, storage, mark, recordEnd, unmarked, lastTimeNs);
        }
        Mark closed = new MarkFile(storage, files.mark())
                .writeTwice(mark.ended(
                        mark.epoch() + 1,
                        new long[] {recordEnd, timeEnd, chunkEnd},
                        schemaEnd,
                        mark.checkpoint(),
                        lastTimeNs,
                        FileId.of(files.mark())));
        staging.delete(storage);
        return new Recovery(closed, false, mark.durable(LogKind.RECORD));
    }

    /**
     * Writes what only the ring holds to the segment files, with its last page sealed, and makes durable what the
     * killed writer had written but not synced. Returns the log's end.
     *
     * @param again whether to rewrite what was written before: a failed sync is reported only once, so that data may
     *     otherwise never reach the disk
     */
    private static long flush(Storage storage, LogView view, long lastTimeNs, boolean again, ProgressHandler progress) {
        long tail = view.watermarks().tailAcquire();
        long evicted = view.watermarks().evictedAcquire();
        long durable = view.watermarks().durableAcquire();
        long from = again ? durable : evicted;
        long address = from;
        PageChecksum checksum = new PageChecksum(view.kind(), view.storeId());
        ByteBuffer bytes = ByteBuffer.allocateDirect(PageDescriptor.PAGE_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
        UnsafeBuffer page = new UnsafeBuffer(bytes);
        try (PageReader reader = new PageReader(view);
                SegmentWriter writer = new SegmentWriter(storage, view.segments())) {
            while (address < tail) {
                progress.onProgress(address - from, tail - from);
                if (reader.readInsistently(address, tail) != PageState.PRESENT) {
                    if (address >= evicted) {
                        break;
                    }
                    address += PageDescriptor.PAGE_LENGTH;
                    continue;
                }
                page.putBytes(0, reader.buffer(), reader.pageOffset(), reader.used());
                long last = PageDescriptor.used(page, 0) != 0 && address + PageDescriptor.PAGE_LENGTH <= tail
                        ? PageDescriptor.lastTimeNs(page, 0)
                        : lastTimeNs;
                PageDescriptor.seal(page, 0, reader.used(), last);
                checksum.fill(bytes, 0, address);
                bytes.clear();
                writer.write(bytes, address);
                address += PageDescriptor.PAGE_LENGTH;
            }
            writer.sync();
        }
        sync(storage, view.segments(), durable);
        return address;
    }

    /** Appends loss markers at the log's end, where a repeated recovery writes them again. Returns the new end. */
    private static long mark(
            StoreFiles files, Storage storage, Mark mark, long recordEnd, long[] unmarked, long timeNs) {
        try (UnsharedLog log = new UnsharedLog(
                LogKind.RECORD,
                mark.storeId(),
                mark.epoch(),
                storage,
                files.segments(LogKind.RECORD, mark.segmentLength()),
                recordEnd,
                2 * PageDescriptor.PAGE_LENGTH)) {
            return LossMarkers.write(log, unmarked, timeNs);
        }
    }

    /** Makes durable the segment files that reach above an address, and the names of all. */
    private static void sync(Storage storage, Segments segments, long from) {
        for (Path path : storage.list(segments.folder())) {
            long first = Segments.firstOf(path);
            if (first >= 0 && first + segments.segmentLength() > from) {
                try (LoomFile file = storage.openToWrite(path, false)) {
                    file.force();
                }
            }
        }
        storage.syncDirectory(segments.folder());
    }

    private static long lastTimeNs(LogView records) {
        long tail = records.watermarks().tailAcquire();
        long last = Long.MIN_VALUE;
        try (PageRecords reader = new PageRecords(records, tail, -1)) {
            if (tail > 0 && reader.read(PageDescriptor.pageAddress(tail - 1)) == PageState.PRESENT) {
                last = reader.baseTimeNs();
                while (reader.next()) {
                    last = reader.timeNs();
                }
            }
        }
        return last;
    }

    /** Recovers after a power cut, with the ends found. */
    static Recovery cut(StoreFiles files, Storage storage, Mark mark, LogEnds ends) {
        long schemaEnd = SchemaLog.recover(storage, files.schema(), mark.storeId(), mark.schemaDurable());
        truncate(files, storage, mark, LogKind.TIME, ends.timeEnd());
        truncate(files, storage, mark, LogKind.CHUNK, ends.chunkEnd());
        truncate(files, storage, mark, LogKind.RECORD, ends.recordEnd());
        // last, since pages behind it might otherwise follow it after a second cut
        long recordEnd = restore(storage, files.segments(LogKind.RECORD, mark.segmentLength()), ends);
        Mark closed = new MarkFile(storage, files.mark())
                .writeTwice(mark.ended(
                        mark.epoch() + 1,
                        new long[] {recordEnd, ends.timeEnd(), ends.chunkEnd()},
                        schemaEnd,
                        mark.checkpoint(),
                        ends.lastTimeNs(),
                        FileId.of(files.mark())));
        return new Recovery(closed, true, mark.durable(LogKind.RECORD));
    }

    /** Puts the copy of the open page in its place. Returns the record log's end. */
    private static long restore(Storage storage, Segments segments, LogEnds ends) {
        OpenPage page = ends.openPage();
        if (page == null) {
            return ends.recordEnd();
        }
        try (SegmentWriter writer = new SegmentWriter(storage, segments)) {
            writer.write(page.bytes().clear(), page.address());
            writer.sync();
        }
        return page.address() + PageDescriptor.PAGE_LENGTH;
    }

    private static void truncate(StoreFiles files, Storage storage, Mark mark, LogKind kind, long end) {
        Segments segments = files.segments(kind, mark.segmentLength());
        for (Path path : storage.list(segments.folder())) {
            long first = Segments.firstOf(path);
            if (first < 0 || first <= mark.begin(kind) - segments.segmentLength()) {
                continue; // what is below the begin may be there because it can't be deleted, nor opened
            }
            if (first >= end) {
                storage.delete(path);
            } else {
                try (LoomFile file = storage.openToWrite(path, false)) {
                    if (first + file.size() > end) {
                        file.truncate(end - first);
                    }
                    file.force();
                }
            }
        }
        storage.syncDirectory(segments.folder());
    }
}
