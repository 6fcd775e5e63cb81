package dev.loom.api;

/** The records of one source in a range of a snapshot's arrival times, and what of them could not be read. */
public interface SourceCursor extends RecordCursor {
    /** Pages and records of several pages that were passed over so far, as they are damaged or their file is missing. */
    long damaged();

    /** Whether records of the range were deleted, as the oldest, before the cursor came to them. */
    boolean expired();
}
