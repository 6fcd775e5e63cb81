package dev.loom.store;

import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.filter.RowTokens;
import dev.loom.filter.SourceUnits;
import dev.loom.filter.UnitAssembler;
import dev.loom.read.ChunkCursor;
import dev.loom.read.SnapshotReader;
import dev.loom.read.SourceRecords;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Follows the records of one source, chunk by chunk, and builds its units. It takes only chunks that are durable and have a directory:
 * what a power cut may take is in no unit, as other records will have those addresses. The unit that is being built is in memory alone;
 * the next session builds it again. For the thread of {@link TextIndexing}.
 */
final class TextFollower {
    /** After this number of bytes of records it is another source's turn. */
    private static final long STEP_LENGTH = 16L << 20;

    private final SourceUnits units;
    private final Source source;
    private final Parts parts;

    /** Where the next chunk begins. */
    private long position;

    /** No record behind the position is older, so that a walk need not begin with the oldest. */
    private long fromNs = Long.MIN_VALUE;

    private boolean lacksRoom;
    private long left;

    /**
     * What it needs.
     *
     * @param room whether files may take this number of bytes more
     * @param guard throws once another writer has the store
     * @param rest called often; pauses as the share of a processor demands, and throws when the session ends
     */
    record Parts(LongPredicate room, Runnable guard, Runnable rest) {}

    TextFollower(SourceUnits units, Source source, Parts parts) {
        this.units = units;
        this.source = source;
        this.parts = parts;
        this.position = units.indexedTo();
    }

    SourceUnits units() {
        return units;
    }

    Source source() {
        return source;
    }

    /** Whether the last step ended since there was no room for a unit. */
    boolean lacksRoom() {
        return lacksRoom;
    }

    /** The bytes of the log from where the last step ended to where it could have gone; 0 if there was nothing more to take. */
    long left() {
        return left;
    }

    /**
     * Takes the chunks that follow.
     *
     * @param durable the end of the records that survive a power cut
     * @return whether there may be more right away
     */
    boolean step(Snapshot snapshot, long durable) {
        lacksRoom = false;
        try (SnapshotReader reader = SnapshotReader.of(snapshot)) {
            position = Math.max(position, reader.beginAddress());
            ChunkCursor chunks = reader.oldestFirst(source.id(), fromNs, Long.MAX_VALUE, position);
            Walk step = new Walk(reader, Math.min(durable, snapshot.tailAddress()), snapshot.tailAddress());
            try (SourceRecords records = reader.forward(chunks, step)) {
                step.run(records);
            }
            left = step.more ? step.durable - position : 0;
            return step.more;
        }
    }

    /** One walk over chunks. */
    private final class Walk implements SourceRecords.ChunkGuide {
        private final RowTokens tokens;
        private final long durable;
        private final long tail;
        private @Nullable SourceRecords records;
        private boolean more;
        private long taken;

        /** The chunk that is being read. */
        private boolean inChunk;

        private long chunkEnd;
        private long rowsLeft;
        private long damagedBefore;
        private long exhaustedBefore;

        Walk(SnapshotReader reader, long durable, long tail) {
            tokens = new RowTokens(units.indexed(), source.format(), reader.lookup());
            this.durable = durable;
            this.tail = tail;
        }

        void run(SourceRecords walk) {
            records = walk;
            while (walk.next()) {
                UnitAssembler unit = units.assembler();
                rowsLeft--;
                if (rowsLeft >= 0) { // a chunk with more rows than its directory says is dropped
                    unit.nextRow();
                    tokens.read(walk.address(), walk.buffer(), walk.offset(), walk.length(), unit);
                }
            }
            endChunk();
        }

        @Override
        public SourceRecords.ChunkGuide.Step decide(ChunkCursor chunk) {
            endChunk();
            if (chunk.start() < position) {
                return SourceRecords.ChunkGuide.Step.PASS_OVER;
            }
            if (chunk.end() > durable || (!chunk.listed() && chunk.end() >= tail)) {
                return SourceRecords.ChunkGuide.Step.END;
            }
            if (chunk.listed()) {
                fromNs = Math.max(fromNs, chunk.firstTimeNs());
            }
            if (!chunk.listed() || units.assembler().isTooLarge(chunk.records())) {
                position = chunk.end();
                return SourceRecords.ChunkGuide.Step.PASS_OVER;
            }
            if (units.assembler().isFull(chunk.records())) {
                if (!units.write(parts.room(), parts.guard())) {
                    lacksRoom = true;
                    return SourceRecords.ChunkGuide.Step.END;
                }
                units.putTogether(parts.room(), parts.guard());
                units.keepWithin();
            }
            if (taken >= STEP_LENGTH) {
                more = true;
                return SourceRecords.ChunkGuide.Step.END;
            }
            beginChunk(chunk);
            return SourceRecords.ChunkGuide.Step.READ;
        }

        private void beginChunk(ChunkCursor chunk) {
            units.assembler().beginChunk(chunk.start());
            inChunk = true;
            chunkEnd = chunk.end();
            taken += chunk.end() - chunk.start();
            rowsLeft = chunk.records();
            damagedBefore = records == null ? 0 : records.damaged();
            exhaustedBefore = tokens.exhausted();
        }

        /** Ends the chunk, whose rows count only if all could be read. */
        private void endChunk() {
            SourceRecords walk = records;
            if (inChunk && walk != null) {
                inChunk = false;
                position = chunkEnd;
                boolean whole = walk.damaged() == damagedBefore && tokens.exhausted() == exhaustedBefore;
                if (rowsLeft == 0 && whole && !walk.expired()) {
                    units.assembler().endChunk(chunkEnd);
                } else {
                    units.assembler().dropChunk();
                }
            }
        }

        @Override
        public boolean mayGoOn(long bytesRead) {
            parts.rest().run();
            return true;
        }
    }
}
