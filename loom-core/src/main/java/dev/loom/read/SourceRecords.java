package dev.loom.read;

import dev.loom.record.BackwardRecords;
import dev.loom.record.Chunks;
import dev.loom.record.ForwardRecords;
import dev.loom.record.PageRecords;
import dev.loom.record.RecordWalk;
import dev.loom.record.WalkGuide;
import dev.loom.value.RecordBatch;

/**
 * A walk over the records of a source in the chunks of a {@link ChunkCursor}, whose order of chunks it follows. Skips
 * what can't be read, and counts it. Holds five pages besides the cursor's, six more if segments are compressed, and the longest payload met that spans
 * pages. For one thread.
 */
public final class SourceRecords extends StoredRecord implements AutoCloseable {
    private final ChunkCursor chunks;
    private final RecordWalk walk;

    private SourceRecords(ChunkCursor chunks, PageRecords page, RecordWalk walk) {
        super(page);
        this.chunks = chunks;
        this.walk = walk;
    }

    /** Walks each part page by page, oldest record first. */
    static SourceRecords forward(ChunkCursor chunks, ChunkGuide guide) {
        PageRecords page = page(chunks);
        return new SourceRecords(chunks, page, new ForwardRecords(chunks.chunks(), page, new Guide(chunks, guide)));
    }

    /** Follows the chain in each part, newest record first. */
    static SourceRecords backward(ChunkCursor chunks, ChunkGuide guide) {
        PageRecords page = page(chunks);
        return new SourceRecords(chunks, page, new BackwardRecords(chunks.chunks(), page, new Guide(chunks, guide)));
    }

    private static PageRecords page(ChunkCursor chunks) {
        return new PageRecords(chunks.view().records(), chunks.view().recordTail(), chunks.sourceId());
    }

    /** Asks about the cursor of the chunks that the walk moves. */
    private record Guide(ChunkCursor chunks, ChunkGuide guide) implements WalkGuide {
        @Override
        public WalkGuide.Step decide(Chunks part) {
            return switch (guide.decide(chunks)) {
                case READ -> WalkGuide.Step.READ;
                case PASS_OVER -> WalkGuide.Step.PASS_OVER;
                case DESCEND -> WalkGuide.Step.DESCEND;
                case END -> WalkGuide.Step.END;
            };
        }

        @Override
        public boolean mayGoOn(long bytesRead) {
            return guide.mayGoOn(bytesRead);
        }
    }

    /** Moves to the next record; false if there is none, or if the guide ended the walk. */
    public boolean next() {
        return walk.next();
    }

    /**
     * Fills a batch, which it clears first, with the records after the current one without visiting each: as many as
     * follow in the same page and fit. The current record is then undefined.
     *
     * @return false if the batch is empty and {@link #next()} has to go on
     */
    public boolean next(RecordBatch batch) {
        return walk.next(batch);
    }

    /** Pages asked for so far. */
    public long pagesAsked() {
        return walk.pagesAsked();
    }

    /** Pages asked for so far that no directory covers. */
    public long pagesUnlisted() {
        return walk.pagesUnlisted();
    }

    /** Pages, and records that span pages, skipped so far because they are damaged. */
    public long damaged() {
        return walk.damaged();
    }

    /** Whether retention deleted pages before the walk reached them. */
    public boolean expired() {
        return walk.expired();
    }

    /** Pages that were deleted before the walk reached them. */
    public long pagesExpired() {
        return walk.pagesExpired();
    }

    /** Bytes of the record log and of the timestamp index read so far. */
    public long bytesRead() {
        return page.bytesRead() + chunks.bytesRead();
    }

    /** Closes the walk and its cursor of chunks. */
    @Override
    public void close() {
        page.close();
        chunks.close();
    }

    /** Tells a walk over records which parts of the log to read, and when to stop. Called by the walk's thread. */
    public interface ChunkGuide {
        /** What to do with a part. */
        enum Step {
            /** Read its records. */
            READ,
            /** Go on to the next part. */
            PASS_OVER,
            /** Go on with the chunks that the part, a {@linkplain ChunkCursor#isRun run}, sums up. */
            DESCEND,
            /** End the walk. */
            END
        }

        /** Reads everything. */
        ChunkGuide READ_ALL = new ChunkGuide() {
            @Override
            public Step decide(ChunkCursor chunk) {
                return chunk.isRun() ? Step.DESCEND : Step.READ;
            }

            @Override
            public boolean mayGoOn(long bytesRead) {
                return true;
            }
        };

        /** Decides about the part that the chunks stand on. */
        Step decide(ChunkCursor chunk);

        /**
         * Called before each page, and at intervals between skipped parts; false ends the walk.
         *
         * @param bytesRead the bytes that the walk has read so far
         */
        boolean mayGoOn(long bytesRead);
    }
}
