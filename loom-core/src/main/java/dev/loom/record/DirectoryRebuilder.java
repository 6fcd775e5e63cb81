package dev.loom.record;

import dev.loom.log.LogView;
import dev.loom.log.PageDescriptor;
import dev.loom.log.PageState;
import java.util.HashMap;
import java.util.Map;

/** Rebuilds missing chunk directories from the chunks' records. For one thread. */
final class DirectoryRebuilder {
    private final ChunkDirectory directory;
    private final WriterSources sources;
    private final Handler handler;

    /** Whether the page read last is there. */
    private boolean present;

    private long first;
    private long last;
    /** Whether all pages of the chunk are there. */
    private boolean whole;
    /** Whether the disk has not delivered some of it. */
    private boolean undelivered;
    /** The records lost by its markers, by source: no checkpoint before it counts them. */
    private final Map<Integer, Long> lost = new HashMap<>();

    /** What a rebuild asks for on its way. */
    interface Handler {
        /** Called for each chunk; throws to end the rebuild. */
        void onChunk(long chunkAddress);

        /** Called before a chunk's directory is written; waits until that is possible. */
        void beforeDirectory(long chunkAddress);

        /**
         * Writes a checkpoint, since chunks were left out: it tells those sources too that no later directory lists.
         *
         * @param timeNs the time of the last record below, or later
         */
        void onLeftOut(long recordEnd, long timeNs);
    }

    DirectoryRebuilder(ChunkDirectory directory, WriterSources sources, Handler handler) {
        this.directory = directory;
        this.sources = sources;
        this.handler = handler;
    }

    /**
     * Rebuilds the directories between two page addresses. Chunks with damaged pages get no directory, and are passed over. So do chunks
     * with pages that the disk does not deliver, but they are left out of all chains: queries read them.
     *
     * @param lastTimeNs the time of the last record below {@code to}, or later
     * @throws dev.loom.error.StoreIoException when the disk delivers nothing
     */
    void rebuild(LogView records, long from, long to, long lastTimeNs) {
        try (PageRecords page = new PageRecords(records, to, -1)) {
            page.insist();
            boolean leftOut = false;
            long chunkAddress = from;
            present = from < to && page.read(from) == PageState.PRESENT;
            while (chunkAddress < to) {
                handler.onChunk(chunkAddress);
                long end = readChunk(page, chunkAddress, to);
                if (undelivered) {
                    directory.leaveOut(sources.states());
                    leftOut = true;
                } else if (!whole) {
                    directory.forget();
                } else {
                    if (leftOut) {
                        handler.onLeftOut(chunkAddress, first);
                        leftOut = false;
                    }
                    handler.beforeDirectory(chunkAddress);
                    directory.write(
                            chunkAddress, (int) ((end - chunkAddress) >> PageDescriptor.PAGE_SHIFT), first, last);
                }
                lost.forEach((id, count) -> sources.getOrAdd(id).lost += count);
                lost.clear();
                chunkAddress = end;
            }
            if (leftOut) {
                handler.onLeftOut(to, lastTimeNs);
            }
        }
    }

    /** Counts a chunk's records, from its first page, which was read, to the first one behind it. Returns where that begins. */
    private long readChunk(PageRecords page, long chunkAddress, long to) {
        first = Long.MAX_VALUE;
        last = Long.MIN_VALUE;
        whole = true;
        undelivered = false;
        long end = chunkAddress;
        do {
            if (present) {
                count(chunkAddress, page);
            }
            whole &= present;
            undelivered |= page.undelivered();
            end += PageDescriptor.PAGE_LENGTH;
            present = end < to && page.read(end) == PageState.PRESENT;
        } while (present && page.continues());
        return end;
    }

    private void count(long chunkAddress, PageRecords page) {
        first = Math.min(first, page.baseTimeNs());
        last = Math.max(last, page.baseTimeNs());
        while (page.next()) {
            directory.count(sources.getOrAdd(page.sourceId()), chunkAddress, page);
            countLost(page);
            last = Math.max(last, page.timeNs());
        }
    }

    private void countLost(PageRecords record) {
        long records = OwnRecord.lost(record);
        if (records > 0) {
            lost.merge(OwnRecord.source(record.buffer(), record.offset()), records, Long::sum);
        }
    }
}
