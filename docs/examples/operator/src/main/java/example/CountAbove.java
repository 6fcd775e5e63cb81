package example;

import dev.loom.api.Index;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.read.ChunkCursor;
import dev.loom.read.ChunkSummary;
import dev.loom.read.SnapshotReader;
import dev.loom.read.SourceRecords;
import dev.loom.value.KeyReader;

/**
 * An operator: counts the records whose indexed value is above a limit, and reads only the chunks that their totals do
 * not decide.
 */
final class CountAbove implements SourceRecords.ChunkGuide {
    /** @param complete whether no record is expired, damaged or lost */
    record Result(long count, long recordsRead, boolean complete) {}

    private final ChunkSummary totals;
    private final Index index;
    private final long limit;
    private long count;

    private CountAbove(ChunkSummary totals, Index index, long limit) {
        this.totals = totals;
        this.index = index;
        this.limit = limit;
    }

    /** Runs the query; the index is of 64-bit integers, and of this source. */
    static Result run(Snapshot snapshot, Source source, Index index, long limit) {
        try (SnapshotReader reader = SnapshotReader.of(snapshot)) {
            CountAbove above = new CountAbove(reader.summary(), index, limit);
            KeyReader value = new KeyReader(index.function(), reader.lookup());
            ChunkCursor chunks = reader.oldestFirst(source.id(), Long.MIN_VALUE, Long.MAX_VALUE, 0);
            long read = 0;
            try (SourceRecords record = reader.forward(chunks, above)) {
                while (record.next()) {
                    read++;
                    reader.lookup().from(record.address());
                    if (value.read(record.buffer(), record.offset(), record.length()) && value.key() > limit) {
                        above.count++;
                    }
                }
                boolean complete = record.damaged() == 0
                        && !record.expired()
                        && !reader.hasDeleted(source.id(), Long.MIN_VALUE)
                        && reader.lost(source.id(), Long.MIN_VALUE, Long.MAX_VALUE) == 0;
                return new Result(above.count, read, complete);
            }
        }
    }

    @Override
    public Step decide(ChunkCursor chunk) {
        if (!totals.read(chunk, index)) {
            return Step.READ; // such as the newest chunk, which has no directory yet
        } else if (totals.maxKey() <= limit) {
            return Step.PASS_OVER;
        } else if (totals.minKey() > limit) {
            count += totals.count();
            return Step.PASS_OVER;
        }
        return Step.READ;
    }

    @Override
    public boolean mayGoOn(long bytesRead) {
        return true;
    }
}
