package dev.loom.store;

import dev.loom.api.Index;
import dev.loom.api.ProgressHandler;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.error.LoomException;
import dev.loom.error.StoreIoException;
import dev.loom.error.StoreReopenedException;
import dev.loom.filter.UnitFiles;
import dev.loom.filter.UnitFiles.UnitFile;
import dev.loom.index.ChunkIndexReader;
import dev.loom.io.LenientStorage;
import dev.loom.io.LenientStorage.Unread;
import dev.loom.io.LoomFile;
import dev.loom.io.Storage;
import dev.loom.log.CompressedSegmentCheck;
import dev.loom.log.FilePart;
import dev.loom.log.LogView;
import dev.loom.log.MissingSegments;
import dev.loom.log.PageDescriptor;
import dev.loom.log.PagePlace;
import dev.loom.log.PageReader;
import dev.loom.log.PageState;
import dev.loom.log.Segments;
import dev.loom.record.FaultHandler;
import dev.loom.record.IndexAudit;
import dev.loom.record.ReferencedRecords;
import dev.loom.schema.Schema;
import dev.loom.schema.SchemaEntry;
import dev.loom.schema.SchemaLog;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/** One run over all files of a store. For one thread. */
public final class StoreVerification {
    /** Receives problems one by one. */
    public interface ProblemHandler {
        /**
         * Called once per problem.
         *
         * @param known whether an earlier repair set it aside, and it is as it was
         */
        void onProblem(Path file, long offset, String message, boolean known);
    }

    /**
     * The counts of what was checked.
     *
     * @param known the problems that an earlier repair set aside, and that are as they were; not among the problems
     * @param uncompared the indexes whose values could not be compared with the records
     */
    public record Counts(
            long files,
            long pages,
            long entries,
            long bytes,
            long problems,
            long known,
            List<Index> uncompared,
            boolean complete) {}

    private static final List<FilePart> WHOLE = List.of(new FilePart(0, FilePart.TO_END));

    private final Storage storage;
    private final Damage.Handler handler;
    private final ProgressHandler progress;
    private final AttachedStore store;
    private final StoreFiles files;
    private final KnownDamage knownDamage;

    private long filesChecked;
    private long pages;
    private long entries;
    private long bytes;
    private long problems;
    private long known;
    private final List<Index> uncompared = new ArrayList<>();
    private boolean stopped;

    /** The bytes that all passes read, as far as is known beforehand. */
    private long total;

    /** The bytes of the passes that have ended. */
    private long passed;

    /** Verifies a store. */
    public static Counts run(Storage storage, Path directory, ProblemHandler problems, ProgressHandler progress) {
        Damage.Handler handler = new Damage.Handler() {
            @Override
            public void onDamage(Damage kind, Path file, long offset, List<FilePart> parts, String message) {
                problems.onProblem(file, offset, message, false);
            }

            @Override
            public void onKnown(Path file, long offset, String message) {
                problems.onProblem(file, offset, message, true);
            }
        };
        return new StoreVerification(storage, directory, handler, progress).run();
    }

    StoreVerification(Storage storage, Path directory, Damage.Handler handler, ProgressHandler progress) {
        // a bad block is damage like any other
        this.storage = LenientStorage.of(storage, new StoreFiles(directory).mark());
        this.handler = handler;
        this.progress = progress;
        this.store = AttachedStore.attach(directory, this.storage);
        this.files = store.files();
        this.knownDamage = new KnownDamage(this.storage, files.directory());
    }

    Counts run() {
        try (store) {
            checkMark();
            checkSchema();
            checkOpenPage();
            checkEnd();
            StoreLogs logs = store.logs();
            long recordsLength = length(logs.records());
            long chunksLength = length(logs.chunks());
            long logsLength = recordsLength + length(logs.times()) + chunksLength;
            total = logsLength + chunksLength + recordsLength + textLength();
            checkLog(logs.records());
            checkLog(logs.times());
            checkLog(logs.chunks());
            passed += logsLength;
            checkBins(logs.chunks());
            passed += chunksLength;
            checkContents(logs);
            passed += recordsLength;
            checkText();
            checkRuns();
            return new Counts(filesChecked, pages, entries, bytes, problems, known, uncompared, !stopped);
        }
    }

    /** The bytes of a log's pages that are in files. */
    private static long length(LogView view) {
        return view.watermarks().lengthTo(view.watermarks().evictedAcquire());
    }

    /** The bytes of the records of sources that have a text index. */
    private long textLength() {
        Set<Integer> ids =
                files.text(storage).all().stream().map(UnitFile::sourceId).collect(Collectors.toSet());
        try (Snapshot snapshot = store.snapshot()) {
            return snapshot.sources().stream()
                    .filter(source -> ids.contains(source.id()))
                    .mapToLong(source -> snapshot.statistics(source.id()).bytes())
                    .sum();
        } catch (LoomException e) {
            return 0; // what is wrong is found where it is checked
        }
    }

    private void problem(Damage kind, Path file, long offset, String message) {
        problem(kind, file, offset, List.of(), message);
    }

    private void problem(Damage kind, Path file, long offset, List<FilePart> parts, String message) {
        if (knownDamage.contains(kind, file, offset, parts)) {
            known++;
            handler.onKnown(file, offset, message);
            return;
        }
        problems++;
        handler.onDamage(kind, file, offset, parts, message);
    }

    /** Checks the blocks of the text index, and that its units have all words of their records. */
    private void checkText() {
        UnitFiles text = files.text(storage);
        for (UnitFile file : text.all()) {
            if (stoppedAt(0)) {
                return;
            }
            filesChecked++;
            entries += file.units();
            text.damage(file, store.mark().storeId())
                    .ifPresent(message -> problem(Damage.CONTENTS, file.path(), 0, message));
        }
        Map<Integer, String> formats = new HashMap<>();
        for (SchemaEntry entry :
                SchemaLog.read(storage, files.schema(), store.mark().storeId()).entries()) {
            if (entry instanceof SchemaEntry.SourceDefined defined) {
                formats.put(defined.id(), defined.format());
            }
        }
        try (Snapshot snapshot = store.snapshot()) {
            TextAudit audit = new TextAudit(
                    text,
                    store.mark().storeId(),
                    snapshot,
                    (file, message) -> problem(Damage.CONTENTS, file.path(), 0, message),
                    this::stoppedAt);
            for (Source source : snapshot.sources()) {
                // else its format is not known here, and its fields can't be read
                if (source.format().text().equals(formats.get(source.id()))) {
                    passed += audit.run(source);
                }
            }
        } catch (StoreReopenedException e) {
            // another session writes it by now
        }
    }

    private void checkRuns() {
        if (!store.mark().closed() && !store.live()) {
            return; // what a power cut left of them is deleted by the next opening
        }
        Schema schema = store.schema(
                SchemaLog.read(storage, files.schema(), store.mark().storeId()).entries());
        try (Snapshot snapshot = store.snapshot();
                RunAudit audit = new RunAudit(
                        files.runs(storage),
                        snapshot,
                        schema::index,
                        (file, message) -> problem(Damage.CONTENTS, file, 0, message))) {
            audit.run(() -> stoppedAt(0));
            filesChecked += audit.files();
            entries += audit.runs();
        } catch (StoreReopenedException e) {
            // the runs are another session's by now
        }
    }

    private void checkMark() {
        filesChecked++;
        for (long offset : new MarkFile(storage, files.mark()).damagedSlots()) {
            problem(Damage.MARK, files.mark(), offset, "slot of the mark is invalid");
        }
    }

    private void checkSchema() {
        filesChecked++;
        SchemaLog.Content content =
                SchemaLog.read(storage, files.schema(), store.mark().storeId());
        entries += content.entries().size();
        for (long offset : content.damaged()) {
            problem(Damage.SCHEMA, files.schema(), offset, WHOLE, "no complete entry starts here");
        }
        if (content.damaged().isEmpty() && !isWhole(content)) {
            problem(
                    Damage.SCHEMA,
                    files.schema(),
                    content.end(),
                    WHOLE,
                    "file ends early: bytes=" + content.end() + ", expected="
                            + store.mark().schemaDurable());
        }
    }

    /** Checks that all was delivered that may have followed in the record log. */
    private void checkEnd() {
        for (Unread part : store.unread()) {
            problem(
                    part.file().equals(files.openPage()) ? Damage.OPEN_PAGE : Damage.PAGE,
                    part.file(),
                    part.from(),
                    "at the record log's end the disk does not deliver bytes=" + part);
        }
    }

    /** The file has a meaning only where the writer died, and its rings with it. */
    private void checkOpenPage() {
        if (store.mark().closed() || store.logs().records().ring() != null || !storage.exists(files.openPage())) {
            return;
        }
        filesChecked++;
        if (OpenPageFile.isDamaged(files, storage, store.mark())) {
            problem(Damage.OPEN_PAGE, files.openPage(), 0, "neither copy of the last page is whole");
        }
    }

    private boolean isWhole(SchemaLog.Content content) {
        return content.damaged().isEmpty() && content.end() >= store.mark().schemaDurable();
    }

    /** Checks every page that should be in segment files, and that the files end at the log's end. */
    private void checkLog(LogView view) {
        long end = view.watermarks().evictedAcquire();
        long begin = view.watermarks().beginAcquire();
        checkFiles(view, begin, end);
        // no ring, so that pages are read from the files
        try (PageReader reader = new PageReader(view.with(null))) {
            long gapEnd = view.watermarks().gapEnd();
            checkPages(
                    view, reader, begin, gapEnd == 0 ? begin : view.watermarks().gapBeginAcquire());
            checkPages(view, reader, Math.max(begin, gapEnd), end);
        }
    }

    private void checkPages(LogView view, PageReader reader, long begin, long end) {
        MissingSegments missing = new MissingSegments(view);
        long pageAddress = begin;
        while (pageAddress < end && !stoppedAt(bytes)) {
            if (missing.touch(pageAddress, pageAddress + 1)) {
                // retention publishes where a log begins before it deletes what is below
                long first = view.segments()
                        .first(Math.max(
                                view.watermarks().beginAcquire(),
                                view.laterBegin().getAsLong()));
                if (pageAddress < first) {
                    pageAddress = first;
                    continue;
                }
                long next = missing.behind(pageAddress, end);
                problem(
                        Damage.MISSING,
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
                damagedPage(view, pageAddress);
            }
            pageAddress += PageDescriptor.PAGE_LENGTH;
        }
    }

    private void damagedPage(LogView view, long pageAddress) {
        Path file = view.segments().file(pageAddress);
        PagePlace place = CompressedSegmentCheck.place(view, pageAddress);
        String message = "page is damaged: address=" + pageAddress;
        if (knownDamage.containsMoved(file, place, offsetInSegment(view, pageAddress))) {
            known++;
            handler.onKnown(file, place.offset(), message);
        } else {
            problem(Damage.PAGE, file, place.offset(), place.parts(), message);
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
                problem(Damage.FOREIGN, path, 0, "not a segment of this log");
                continue;
            }
            if (Files.isDirectory(path)) {
                problem(Damage.FOREIGN, path, 0, "a directory that has the name of a segment");
                continue;
            }
            if (first <= begin - view.segments().segmentLength()) {
                continue; // deleted by retention, even where the file is still there
            }
            try (LoomFile file = storage.openToRead(path)) {
                if (CompressedSegmentCheck.isCompressed(view, file, first)) {
                    CompressedSegmentCheck.check(
                            view,
                            file,
                            first,
                            (offset, part, message) -> problem(Damage.CONTENTS, path, offset, List.of(part), message));
                    continue;
                }
                boolean beforeGap = first < view.watermarks().gapEnd();
                long logEnd = beforeGap ? view.watermarks().gapBeginAcquire() : end;
                long expected = Math.min(logEnd - first, view.segments().segmentLength());
                // a rebuild may be further than it has published
                boolean atRest = view.ring() == null && !beforeGap;
                if (file.size() < expected) {
                    problem(
                            Damage.SHORT,
                            path,
                            file.size(),
                            "file ends early: bytes=" + file.size() + ", expected=" + expected);
                } else if (atRest && file.size() > Math.max(expected, 0) && !store.reopened()) {
                    problem(Damage.AFTER_END, path, Math.max(expected, 0), "bytes after the end: bytes=" + file.size());
                }
            } catch (StoreIoException e) {
                if (storage.exists(path)) {
                    throw e;
                } // else deleted since it was listed: if not by retention, its pages are found missing
            }
        }
    }

    private static long offsetInSegment(LogView view, long address) {
        return address - view.segments().first(address);
    }

    /** Whether to stop, with this many bytes of the current pass read. */
    private boolean stoppedAt(long bytesOfPass) {
        stopped |= !progress.onProgress(Math.min(passed + bytesOfPass, total), total);
        return stopped;
    }

    /** Compares the indexes with the records. Their definitions are read behind what they define. */
    private void checkContents(StoreLogs logs) {
        long begin = logs.records().watermarks().beginAcquire();
        long recordEnd = logs.records().watermarks().evictedAcquire();
        long timeEnd = logs.times().watermarks().evictedAcquire();
        long chunkEnd = logs.chunks().watermarks().tailAcquire();
        SchemaLog.Content content =
                SchemaLog.read(storage, files.schema(), store.mark().storeId());
        Schema schema = store.schema(content.entries());
        FaultHandler faults = (log, address, message) -> {
            LogView view = logs.of(log);
            PagePlace place = CompressedSegmentCheck.place(view, address & -PageDescriptor.PAGE_LENGTH);
            long offset = place.plain() ? place.offset() + (address & PageDescriptor.PAGE_LENGTH - 1) : place.offset();
            problem(Damage.CONTENTS, view.segments().file(address), offset, place.parts(), message);
        };
        try (ReferencedRecords lookup = new ReferencedRecords(logs.records(), () -> recordEnd, id -> {
                    Source source = schema.source(id);
                    return source == null ? null : source.format().text();
                });
                BinsAudit bins = new BinsAudit(logs.chunks(), chunkEnd, faults);
                IndexAudit audit = new IndexAudit(
                        logs.records(),
                        recordEnd,
                        logs.times(),
                        timeEnd,
                        schema::index,
                        source -> !isWhole(content) || schema.isLost(source),
                        lookup,
                        bins,
                        faults,
                        address -> stoppedAt(address - begin))) {
            audit.run();
            entries += audit.entries();
            bins.uncompared().forEach(id -> uncompared.add(Objects.requireNonNull(schema.index(id))));
        }
    }

    /** Reads every entry of the chunk index, whether or not a directory refers to it. */
    private void checkBins(LogView chunks) {
        long begin = chunks.watermarks().beginAcquire();
        long end = chunks.watermarks().evictedAcquire();
        long gapEnd = chunks.watermarks().gapEnd();
        long gapBegin = gapEnd == 0 ? begin : chunks.watermarks().gapBeginAcquire();
        try (ChunkIndexReader reader = new ChunkIndexReader(chunks, end)) {
            checkBins(chunks, reader, begin, gapBegin, 0);
            checkBins(chunks, reader, Math.max(begin, gapEnd), end, Math.max(0, gapBegin - begin));
        }
    }

    private void checkBins(LogView chunks, ChunkIndexReader reader, long begin, long end, long before) {
        long read = before;
        for (long pageAddress = begin;
                pageAddress < end && !stoppedAt(read);
                pageAddress += PageDescriptor.PAGE_LENGTH) {
            read += PageDescriptor.PAGE_LENGTH;
            entries += reader.check(
                    pageAddress,
                    address -> problem(
                            Damage.CONTENTS,
                            chunks.segments().file(address),
                            offsetInSegment(chunks, address),
                            "no bins begin here: address=" + address));
        }
    }
}
