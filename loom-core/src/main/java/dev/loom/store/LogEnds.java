package dev.loom.store;

import dev.loom.error.CorruptStoreException;
import dev.loom.error.StoreIoException;
import dev.loom.io.LenientStorage;
import dev.loom.io.LenientStorage.Unread;
import dev.loom.io.Storage;
import dev.loom.log.LogKind;
import dev.loom.log.LogView;
import dev.loom.log.PageDescriptor;
import dev.loom.log.PageReader;
import dev.loom.log.PageState;
import dev.loom.log.Segments;
import dev.loom.record.DirectoryReader;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the ends of the logs of a store whose staging is lost, as after a power cut: each log ends at its first damaged
 * page from {@code durable} on. Changes nothing.
 *
 * @param openPage the copy of the page at the end of the record log, or null
 * @param lastTimeNs the time of the last record below, or later
 */
record LogEnds(
        long recordEnd,
        long timeEnd,
        long chunkEnd,
        @Nullable OpenPage openPage,
        long lastTimeNs) {
    /** The end of the last record. */
    long recordTail() {
        return openPage == null ? recordEnd : openPage.end();
    }

    /**
     * What may have followed in the record log, but was not delivered: parts of its next page, and of the copies of that.
     *
     * @param storage with which the ends were found
     */
    List<Unread> unread(StoreFiles files, LenientStorage storage, Mark mark) {
        Segments segments = files.segments(LogKind.RECORD, mark.segmentLength());
        List<Unread> parts = new ArrayList<>(storage.unread(
                segments.file(recordEnd), recordEnd - segments.first(recordEnd), PageDescriptor.PAGE_LENGTH));
        parts.addAll(storage.unread(files.openPage(), 0, OpenPageFile.LENGTH));
        return parts;
    }

    /** By {@link LogKind#index()}. */
    long[] byKind() {
        return new long[] {recordEnd, timeEnd, chunkEnd};
    }

    /** The ends of a closed store. */
    static LogEnds of(Mark closed) {
        return new LogEnds(
                closed.durable(LogKind.RECORD),
                closed.durable(LogKind.TIME),
                closed.durable(LogKind.CHUNK),
                null,
                closed.lastTimeNs());
    }

    /**
     * Refuses a mark of an earlier session, such as a copy that was put back: pages of a later one lie behind its end, or in a
     * later segment. Their records would be passed over by readers, and overwritten by a writer.
     *
     * @throws CorruptStoreException with both places
     */
    static void refuseEarlier(StoreFiles files, Storage storage, Mark mark) {
        LogView records = StoreLogs.files(files, storage, mark, UNBOUNDED).records();
        long end = mark.durable(LogKind.RECORD);
        long last = records.segments().first(StoreLogs.filesEnd(storage, records) - 1);
        try (PageReader pages = new PageReader(records, 1)) {
            for (long address : new long[] {end, Math.max(end, last)}) {
                if (pages.read(address, Long.MAX_VALUE) == PageState.PRESENT) {
                    int epoch = PageDescriptor.epoch(pages.buffer(), pages.pageOffset());
                    // what an unclosed session wrote behind its mark is its own; only recoveries begin another epoch
                    if (epoch > mark.epoch() || (mark.closed() && epoch == mark.epoch())) {
                        throw new CorruptStoreException(
                                "the mark is of an earlier session than records behind its end: file="
                                        + files.mark() + ", end=" + end + ", epoch=" + mark.epoch() + ", records at="
                                        + address
                                        + ", their epoch=" + epoch);
                    }
                }
            }
        }
    }

    private static final long[] UNBOUNDED = {Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE};

    /**
     * Finds the ends. A page that the disk can't deliver now is not the end: that would cut off what follows. With {@link LenientStorage}
     * a page with a bad block is.
     *
     * @throws StoreIoException when a page that may be the last can't be read
     */
    static LogEnds find(StoreFiles files, Storage storage, Mark mark) {
        try {
            return search(files, storage, mark);
        } catch (StoreIoException e) {
            throw new StoreIoException(
                    "the logs may end where the disk can't be read, and what follows would be cut off; if that lasts, loom verify"
                            + " --repair, or StoreVerifier.repair, goes on without it: directory=" + files.directory()
                            + ", reason=" + e.getMessage(),
                    e);
        }
    }

    private static LogEnds search(StoreFiles files, Storage storage, Mark mark) {
        StoreLogs all = StoreLogs.files(files, storage, mark, UNBOUNDED);
        long lastTimeNs = mark.lastTimeNs();
        long recordEnd = mark.durable(LogKind.RECORD);
        long recordFiles = StoreLogs.filesEnd(storage, all.records());
        try (PageReader pages = new PageReader(all.records())) {
            long last = recordEnd - PageDescriptor.PAGE_LENGTH;
            if (last >= mark.begin(LogKind.RECORD) && whole(pages, last, mark)) {
                lastTimeNs = Math.max(lastTimeNs, PageDescriptor.lastTimeNs(pages.buffer(), pages.pageOffset()));
            }
            while (recordEnd + PageDescriptor.PAGE_LENGTH <= recordFiles && whole(pages, recordEnd, mark)) {
                lastTimeNs = Math.max(lastTimeNs, PageDescriptor.lastTimeNs(pages.buffer(), pages.pageOffset()));
                recordEnd += PageDescriptor.PAGE_LENGTH;
            }
        }
        if (recordEnd < mark.begin(LogKind.RECORD)) {
            throw new CorruptStoreException("the mark's watermarks are out of order: begin="
                    + mark.begin(LogKind.RECORD) + ", durable=" + mark.durable(LogKind.RECORD));
        }
        long chunkEnd = pagesEnd(storage, all.chunks(), mark.durable(LogKind.CHUNK), mark);
        OpenPage openPage = OpenPageFile.find(files, storage, mark, recordEnd);
        return new LogEnds(
                recordEnd,
                timeEnd(storage, all.times(), mark, recordEnd, chunkEnd),
                chunkEnd,
                openPage,
                openPage == null ? lastTimeNs : Math.max(lastTimeNs, openPage.lastTimeNs()));
    }

    /** The end of the intact pages from an address on. */
    private static long pagesEnd(Storage storage, LogView view, long from, Mark mark) {
        long files = StoreLogs.filesEnd(storage, view);
        // shorter than the mark says if a recovery cut the log and was itself interrupted before it wrote a mark
        long end = Math.min(from, PageDescriptor.pageAddress(files));
        try (PageReader pages = new PageReader(view)) {
            while (end + PageDescriptor.PAGE_LENGTH <= files && whole(pages, end, mark)) {
                end += PageDescriptor.PAGE_LENGTH;
            }
        }
        return end;
    }

    private static boolean whole(PageReader pages, long address, Mark mark) {
        return pages.readOrFail(address, Long.MAX_VALUE) == PageState.PRESENT
                && PageDescriptor.epoch(pages.buffer(), pages.pageOffset()) <= mark.epoch();
    }

    /** The end of the timestamp index's pages whose entries all end within the record log and the chunk index. */
    private static long timeEnd(Storage storage, LogView times, Mark mark, long recordEnd, long chunkEnd) {
        long end = pagesEnd(storage, times, mark.durable(LogKind.TIME), mark);
        try (DirectoryReader reader = new DirectoryReader(times, end)) {
            reader.toEnd();
            boolean more = true;
            while (more && reader.previous()) {
                boolean above = (reader.isDirectory() ? reader.chunkEnd() : reader.chunkAddress()) > recordEnd
                        || (reader.isDirectory() && reader.binsEnd() > chunkEnd);
                if (above) {
                    end = PageDescriptor.pageAddress(reader.address());
                }
                // a checkpoint does not say where the bins end
                more = above || reader.isCheckpoint();
            }
        }
        return end;
    }
}
