package dev.loom.record;

/**
 * Joins the parts of a directory or checkpoint as a reader meets them, from the first to the last or from the last to
 * the first. A part that is missing makes its whole entry missing. For one thread.
 */
final class EntryParts {
    private static final long NONE = -1;

    private final boolean backward;
    /** The entry whose parts were joined so far, or {@link #NONE}. */
    private long entry = NONE;
    /** The number of the part joined last. */
    private long part;

    private boolean begun;
    private boolean complete;

    private EntryParts(boolean backward) {
        this.backward = backward;
    }

    /** For parts that are met from the first to the last. */
    static EntryParts forward() {
        return new EntryParts(false);
    }

    /** For parts that are met from the last to the first. */
    static EntryParts backward() {
        return new EntryParts(true);
    }

    /** Adds the reader's current part; false if it is neither an entry's first to meet nor follows the one before. */
    boolean add(DirectoryReader reader) {
        begun = backward ? reader.isLastPart() : reader.isFirstPart() && reader.part() == 0;
        boolean joins = begun || follows(reader);
        complete = joins && (backward ? reader.part() == 0 : reader.isLastPart());
        entry = joins && !complete ? entry(reader) : NONE;
        part = reader.part();
        return joins;
    }

    /** Adds the reader's current part; true once every part of its entry was added, one after the other. */
    boolean complete(DirectoryReader reader) {
        add(reader);
        return complete;
    }

    /** Whether the part added last is the first of its entry to meet. */
    boolean isBegun() {
        return begun;
    }

    /** Whether the part added last completed its entry. */
    boolean isComplete() {
        return complete;
    }

    /** Begins with the reader's current part, whichever it is. */
    void beginAt(DirectoryReader reader) {
        entry = entry(reader);
        part = reader.part();
    }

    /** Whether the reader's current part is the one after the part added last. */
    boolean follows(DirectoryReader reader) {
        return entry != NONE && entry == entry(reader) && reader.part() == part + (backward ? -1 : 1);
    }

    /** Drops the parts added so far. */
    void clear() {
        entry = NONE;
    }

    /** Moves a reader that is on a directory's part back to the first part, or to the first that can be read. */
    static void toFirst(DirectoryReader reader) {
        long entry = entry(reader);
        while (!reader.isFirstPart()) {
            if (!reader.previous() || entry(reader) != entry) {
                reader.next();
                return;
            }
        }
    }

    /** Identifies an entry: a checkpoint has the address of the chunk after it, whose low bit is free for the type. */
    private static long entry(DirectoryReader reader) {
        return reader.chunkAddress() | (reader.isCheckpoint() ? 1 : 0);
    }
}
