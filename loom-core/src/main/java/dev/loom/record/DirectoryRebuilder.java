package dev.loom.record;

import dev.loom.log.LogView;
import dev.loom.log.PageDescriptor;
import dev.loom.log.PageReader;
import dev.loom.log.PageState;
import java.util.function.LongConsumer;

/** Rebuilds missing chunk directories from the chunks' records. For one thread. */
final class DirectoryRebuilder {
    private final ChunkDirectory directory;
    private final WriterSources sources;

    DirectoryRebuilder(ChunkDirectory directory, WriterSources sources) {
        this.directory = directory;
        this.sources = sources;
    }

    /**
     * Rebuilds the directories between two page addresses. Damaged pages get no directory. Throws for pages that the
     * disk can't deliver now: without a directory their records would not be found later.
     *
     * @param before receives the address of each chunk before its directory is written, and waits until that is
     *     possible
     */
    void rebuild(LogView records, long from, long to, LongConsumer before) {
        try (PageReader pages = new PageReader(records);
                PageRecords reader = new PageRecords(records, to, -1)) {
            long chunkAddress = from;
            while (chunkAddress < to) {
                long end = chunkAddress + PageDescriptor.PAGE_LENGTH;
                while (end < to
                        && pages.readOrFail(end, to) == PageState.PRESENT
                        && PageDescriptor.continues(pages.buffer(), pages.pageOffset())) {
                    end += PageDescriptor.PAGE_LENGTH;
                }
                rebuildChunk(reader, chunkAddress, end, before);
                chunkAddress = end;
            }
        }
    }

    private void rebuildChunk(PageRecords reader, long chunkAddress, long end, LongConsumer before) {
        long first = Long.MAX_VALUE;
        long last = Long.MIN_VALUE;
        for (long pageAddress = chunkAddress; pageAddress < end; pageAddress += PageDescriptor.PAGE_LENGTH) {
            if (reader.read(pageAddress) != PageState.PRESENT) {
                reader.checkReadable();
                directory.forget();
                return;
            }
            first = Math.min(first, reader.baseTimeNs());
            last = Math.max(last, reader.baseTimeNs());
            while (reader.next()) {
                directory.count(sources.getOrAdd(reader.sourceId()), chunkAddress, reader);
                countLost(reader);
                last = Math.max(last, reader.timeNs());
            }
        }
        before.accept(chunkAddress);
        directory.write(chunkAddress, (int) ((end - chunkAddress) >> PageDescriptor.PAGE_SHIFT), first, last);
    }

    private void countLost(PageRecords record) {
        long lost = OwnRecord.lost(record);
        if (lost > 0) {
            sources.getOrAdd(OwnRecord.source(record.buffer(), record.offset())).lost += lost;
        }
    }
}
