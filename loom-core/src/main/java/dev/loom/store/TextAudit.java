package dev.loom.store;

import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.filter.RowTokens;
import dev.loom.filter.UnitAudit;
import dev.loom.filter.UnitFiles;
import dev.loom.format.IndexedText;
import dev.loom.format.RecordLookup;
import dev.loom.read.ChunkCursor;
import dev.loom.read.SnapshotReader;
import dev.loom.read.SourceRecords;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/** Compares the units of the text index with the records that they describe, as {@link TextFollower} has built them. For one thread. */
final class TextAudit {
    private final UnitFiles files;
    private final long storeId;
    private final Snapshot snapshot;
    private final UnitAudit.Faults faults;
    private final LongPredicate stopped;

    /**
     * @param snapshot open while the audit runs
     * @param stopped asked before each page of records, with the bytes of the source's records so far; true ends the audit
     */
    TextAudit(UnitFiles files, long storeId, Snapshot snapshot, UnitAudit.Faults faults, LongPredicate stopped) {
        this.files = files;
        this.storeId = storeId;
        this.snapshot = snapshot;
        this.faults = faults;
        this.stopped = stopped;
    }

    /** Reads the records of a source that units describe; returns their bytes. Its format must be known. */
    long run(Source source) {
        try (UnitAudit units = new UnitAudit(files, storeId, source.id(), faults)) {
            if (units.isEmpty()) {
                return 0;
            }
            try (SnapshotReader reader = SnapshotReader.of(snapshot)) {
                ChunkCursor chunks =
                        reader.oldestFirst(source.id(), Long.MIN_VALUE, Long.MAX_VALUE, reader.beginAddress());
                Walk walk = new Walk(units, source, reader.lookup());
                try (SourceRecords records = reader.forward(chunks, walk)) {
                    walk.run(records);
                    return walk.bytes;
                }
            }
        }
    }

    /** One walk over the chunks of a source. */
    private final class Walk implements SourceRecords.ChunkGuide {
        private final UnitAudit units;
        private final Source source;
        private final RecordLookup lookup;
        private @Nullable RowTokens tokens;
        private IndexedText indexed = IndexedText.NONE;
        private boolean inChunk;
        private long bytes;

        private long rowsLeft;
        private long failuresBefore;

        Walk(UnitAudit units, Source source, RecordLookup lookup) {
            this.units = units;
            this.source = source;
            this.lookup = lookup;
        }

        void run(SourceRecords walk) {
            while (walk.next()) {
                RowTokens reader = tokens;
                rowsLeft--;
                bytes += walk.length();
                if (reader != null && rowsLeft >= 0) {
                    units.nextRow();
                    reader.read(walk.address(), walk.buffer(), walk.offset(), walk.length(), units);
                }
            }
            endChunk();
            units.finish();
        }

        @Override
        public Step decide(ChunkCursor chunk) {
            endChunk();
            inChunk = chunk.listed() && units.beginChunk(chunk.start(), chunk.records());
            if (!inChunk) {
                return Step.PASS_OVER;
            }
            if (tokens == null || !units.indexed().equals(indexed)) {
                indexed = units.indexed();
                tokens = new RowTokens(indexed, source.format(), lookup);
            }
            rowsLeft = chunk.records();
            failuresBefore = failures();
            return Step.READ;
        }

        /** Ends the chunk, if one is being read; records that are damaged, or were deleted meanwhile, are missing in it. */
        private void endChunk() {
            if (inChunk) {
                inChunk = false;
                if (rowsLeft == 0 && failures() == failuresBefore) {
                    units.endChunk();
                } else {
                    units.leaveOut();
                }
            }
        }

        /** How often a part of a record was not read: a record that it refers to was not found, or memory was short. */
        private long failures() {
            return lookup.failures() + (tokens == null ? 0 : tokens.exhausted());
        }

        @Override
        public boolean mayGoOn(long bytesRead) {
            return !stopped.test(bytes);
        }
    }
}
