package dev.loom.store;

import dev.loom.api.Source;
import dev.loom.api.TextIndexInfo;
import dev.loom.filter.UnitFiles;
import dev.loom.filter.UnitFiles.UnitFile;
import dev.loom.format.IndexedText;
import dev.loom.read.ChunkCursor;
import dev.loom.read.SnapshotReader;
import dev.loom.read.SourceRecords;
import dev.loom.record.SnapshotView;

/**
 * Counts the records of a source that its text index does not hold yet: chunk by chunk, and one by one only where there is no
 * directory. For one thread.
 */
final class UnindexedTexts implements SourceRecords.ChunkGuide {
    private final long from;
    private long records;
    private long bytes;

    private UnindexedTexts(long from) {
        this.from = from;
    }

    /**
     * How far the text index of a source has come.
     *
     * @param view the snapshot that the reader reads
     * @param all the source's totals, which are all there is to know where it has no unit
     */
    static TextIndexInfo info(
            SnapshotReader reader, SnapshotView view, Source source, IndexedText fields, Source.Statistics all) {
        UnitFiles files = view.text();
        int rowUnits = 0;
        int columnUnits = 0;
        long bytes = 0;
        UnitFiles.Contents contents = UnitFiles.Contents.NONE;
        long indexedTo = reader.beginAddress();
        for (UnitFile file : files.ofSourceOrNone(source.id())) {
            rowUnits += file.units() == 1 ? 1 : 0;
            columnUnits += file.units() == 1 ? 0 : file.units();
            bytes += files.length(file);
            contents = contents.plus(files.contents(file, view.records().storeId()));
            indexedTo = Math.max(indexedTo, file.end());
        }
        if (rowUnits + columnUnits == 0) {
            return new TextIndexInfo(fields, 0, 0, 0, 0, 0, indexedTo, all.records(), all.bytes());
        }
        UnindexedTexts left = new UnindexedTexts(indexedTo);
        ChunkCursor chunks = reader.oldestFirst(source.id(), Long.MIN_VALUE, Long.MAX_VALUE, indexedTo);
        try (SourceRecords each = reader.forward(chunks, left)) {
            while (each.next()) {
                left.records++;
                left.bytes += each.length();
            }
        }
        return new TextIndexInfo(
                fields,
                rowUnits,
                columnUnits,
                bytes,
                contents.rows(),
                contents.words(),
                indexedTo,
                left.records,
                left.bytes);
    }

    @Override
    public Step decide(ChunkCursor chunk) {
        if (chunk.start() < from) {
            return Step.PASS_OVER;
        } else if (!chunk.listed()) {
            return Step.READ;
        }
        records += chunk.records();
        bytes += chunk.payloadBytes();
        return Step.PASS_OVER;
    }

    @Override
    public boolean mayGoOn(long bytesRead) {
        return true;
    }
}
