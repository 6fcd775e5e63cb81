package dev.loom.store;

import dev.loom.error.CorruptStoreException;
import dev.loom.io.LoomFile;
import dev.loom.io.Storage;
import dev.loom.log.CompressedSegmentCheck;
import dev.loom.log.LogView;
import dev.loom.log.MissingSegments;
import dev.loom.log.PageDescriptor;
import dev.loom.log.PageReader;
import dev.loom.log.PageState;
import dev.loom.log.Segments;
import dev.loom.record.DirectoryReader;
import dev.loom.record.PageRecords;
import dev.loom.schema.SchemaLog;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** One run over all files of a store. For one thread. */
public final class StoreVerification {
    /** Receives problems one by one. */
    public interface ProblemHandler {
        void onProblem(Path file, long offset, String message);
    }

    /** The counts of what was checked. */
    public record Counts(long files, long pages, long entries, long bytes, long problems, boolean complete) {}

    private final Storage storage;
    private final ProblemHandler handler;
    private final BooleanSupplier cancelled;
    private final AttachedStore store;
    private final StoreFiles files;

    private long filesChecked;
    private long pages;
    private long entries;
    private long bytes;
    private long problems;
    private boolean stopped;

    public StoreVerification(Storage storage, Path directory, ProblemHandler handler, BooleanSupplier cancelled) {
        this.storage = storage;
        this.handler = handler;
        this.cancelled = cancelled;
        this.store = AttachedStore.attach(directory, storage);
        this.files = store.files();
    }

    public Counts run() {
        try (store) {
            checkMark();
            checkSchema();
            StoreLogs logs = store.logs();
            checkLog(logs.records());
            checkLog(logs.times());
            checkLog(logs.chunks());
            checkRecords(logs.records());
            checkDirectories(logs);
            return new Counts(filesChecked, pages, entries, bytes, problems, !stopped);
        }
    }

    private void problem(Path file, long offset, String message) {
        problems++;
        handler.onProblem(file, offset, message);
    }

    private void checkMark() {
        filesChecked++;
        for (long offset : new MarkFile(storage, files.mark()).damagedSlots()) {
            problem(files.mark(), offset, "slot of the mark is invalid");
        }
    }

    private void checkSchema() {
        filesChecked++;
        SchemaLog.Content content =
                SchemaLog.read(storage, files.schema(), store.mark().storeId());
        entries += content.entries().size();
        for (long offset : content.damaged()) {
            problem(files.schema(), offset, "no complete entry starts here");
        }
        if (content.damaged().isEmpty() && content.end() < store.mark().schemaDurable()) {
            problem(
                    files.schema(),
                    content.end(),
                    "file ends early: bytes=" + content.end() + ", expected="
                            + store.mark().schemaDurable());
        }
    }

    /** Checks every page that should be in segment files, and that the files end at the log's end. */
    private void checkLog(LogView view) {
        long end = view.watermarks().evictedAcquire();
        long begin = view.watermarks().beginAcquire();
        checkFiles(view, begin, end);
        // no ring, so that pages are read from the files
        LogView onDisk =
                new LogView(view.kind(), view.storeId(), view.storage(), view.segments(), view.watermarks(), null);
        try (PageReader reader = new PageReader(onDisk)) {
            long gapEnd = view.watermarks().gapEnd();
            checkPages(
                    view, reader, begin, gapEnd == 0 ? begin : view.watermarks().gapBeginAcquire());
            checkPages(view, reader, Math.max(begin, gapEnd), end);
        }
    }

    private void checkPages(LogView view, PageReader reader, long begin, long end) {
        MissingSegments missing = new MissingSegments(view);
        long pageAddress = begin;
        while (pageAddress < end && !stopped()) {
            if (missing.touch(pageAddress, pageAddress + 1)) {
                long next = missing.behind(pageAddress, end);
                problem(
                        view.segments().file(pageAddress),
                        0,
                        "segment is missing: address=" + pageAddress + ", bytes up to the next="
                                + (next - pageAddress));
                pageAddress = next;
                continue;
            }
            pages++;
            bytes += PageDescriptor.PAGE_LENGTH;
            if (reader.read(pageAddress, end) == PageState.DAMAGED) {
                problem(
                        view.segments().file(pageAddress),
                        offsetInFile(view, pageAddress),
                        "page is damaged: address=" + pageAddress);
            }
            pageAddress += PageDescriptor.PAGE_LENGTH;
        }
    }

    private void checkFiles(LogView view, long begin, long end) {
        for (Path path : storage.list(view.segments().folder())) {
            if (Segments.isTemporary(path)) {
                continue; // a copy that is being made, or that a crash has left
            }
            filesChecked++;
            long first = Segments.firstOf(path);
            if (first < 0 || first % view.segments().segmentLength() != 0) {
                problem(path, 0, "not a segment of this log");
                continue;
            }
            try (LoomFile file = storage.openToRead(path)) {
                if (CompressedSegmentCheck.isCompressed(view, file, first)) {
                    CompressedSegmentCheck.check(
                            view, file, first, (offset, message) -> problem(path, offset, message));
                    continue;
                }
                boolean beforeGap = first < view.watermarks().gapEnd();
                long logEnd = beforeGap ? view.watermarks().gapBeginAcquire() : end;
                long expected = Math.min(logEnd - first, view.segments().segmentLength());
                // a rebuild may be further than it has published
                boolean atRest = view.ring() == null && !beforeGap;
                if (first + view.segments().segmentLength() > begin && file.size() < expected) {
                    problem(path, file.size(), "file ends early: bytes=" + file.size() + ", expected=" + expected);
                } else if (atRest && file.size() > Math.max(expected, 0)) {
                    problem(path, Math.max(expected, 0), "bytes after the end: bytes=" + file.size());
                }
            }
        }
    }

    private static long offsetInFile(LogView view, long address) {
        return address - view.segments().first(address);
    }

    private boolean stopped() {
        stopped |= cancelled.getAsBoolean();
        return stopped;
    }

    private void checkRecords(LogView records) {
        long end = records.watermarks().evictedAcquire();
        try (PageRecords reader = new PageRecords(records, end, -1)) {
            long damaged = 0;
            long pageAddress = records.watermarks().beginAcquire();
            while (pageAddress < end && !stopped()) {
                if (reader.read(pageAddress) == PageState.PRESENT) {
                    long last = reader.baseTimeNs();
                    while (reader.next()) {
                        entries++;
                        if (reader.timeNs() < last) {
                            problem(
                                    records.segments().file(pageAddress),
                                    offsetInFile(records, reader.address()),
                                    "time decreases: time=" + reader.timeNs() + ", previous=" + last);
                        }
                        last = reader.timeNs();
                    }
                    if (reader.damagedRecords() != damaged) {
                        damaged = reader.damagedRecords();
                        problem(
                                records.segments().file(pageAddress),
                                offsetInFile(records, pageAddress),
                                "record spanning pages is incomplete: page address=" + pageAddress);
                    }
                }
                pageAddress += PageDescriptor.PAGE_LENGTH;
            }
        }
    }

    /** Compares each directory with the records of its chunk. */
    private void checkDirectories(StoreLogs logs) {
        LogView times = logs.times();
        long recordEnd = logs.records().watermarks().evictedAcquire();
        Map<Integer, Long> expected = new HashMap<>();
        try (DirectoryReader reader =
                        new DirectoryReader(times, times.watermarks().evictedAcquire());
                PageRecords records = new PageRecords(logs.records(), recordEnd, -1)) {
            reader.toBegin();
            while (reader.next() && !stopped()) {
                entries++;
                if (!reader.isDirectory() || reader.chunkEnd() > recordEnd) {
                    continue;
                }
                if (reader.isFirstPart()) {
                    expected.clear();
                }
                // a source whose indexes span several parts is listed in each
                try {
                    reader.forEachListed(
                            (id, count, listedBytes, firstTimeNs) -> expected.merge(id, (long) count, Long::sum));
                } catch (CorruptStoreException e) {
                    problem(
                            times.segments().file(reader.address()),
                            offsetInFile(times, reader.address()),
                            String.valueOf(e.getMessage()));
                    continue;
                }
                if (reader.isLastPart() && !matches(records, reader.chunkAddress(), reader.chunkEnd(), expected)) {
                    problem(
                            times.segments().file(reader.address()),
                            offsetInFile(times, reader.address()),
                            "directory differs from its chunk: chunk address=" + reader.chunkAddress());
                }
            }
        }
    }

    /** A damaged page was reported already, and is not a second problem. */
    private static boolean matches(PageRecords records, long chunkAddress, long end, Map<Integer, Long> expected) {
        Map<Integer, Long> found = new HashMap<>();
        for (long pageAddress = chunkAddress; pageAddress < end; pageAddress += PageDescriptor.PAGE_LENGTH) {
            if (records.read(pageAddress) != PageState.PRESENT) {
                return true;
            }
            long damaged = records.damagedRecords();
            while (records.next()) {
                found.merge(records.sourceId(), 1L, Long::sum);
            }
            if (records.damagedRecords() != damaged) {
                return true;
            }
        }
        return found.equals(expected);
    }
}
