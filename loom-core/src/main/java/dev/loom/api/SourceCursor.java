package dev.loom.api;

/** The records of one source in a range of arrival times of a snapshot; reports what could not be read. */
public interface SourceCursor extends RecordCursor {
    /** Pages, and records that span pages, skipped so far because they are damaged or their file is missing. */
    long damaged();

    /** Whether retention deleted records of the range before the cursor reached them. */
    boolean expired();
}
