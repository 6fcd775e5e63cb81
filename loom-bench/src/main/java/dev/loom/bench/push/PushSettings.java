package dev.loom.bench.push;

import java.nio.file.Path;

/**
 * What all targets of one comparison have in common.
 *
 * @param directory on the disk under test; each target makes a folder of its own in it and deletes that again
 * @param staging where rings are mapped; as for a store, normally on tmpfs
 * @param payloadLength bytes, a multiple of 8
 * @param ringBytes memory of the record log, a power of two
 * @param segmentBytes size of a segment file, a multiple of a page
 * @param direct whether pages are written past the page cache
 */
public record PushSettings(
        Path directory, Path staging, int payloadLength, int ringBytes, long segmentBytes, boolean direct) {
    /** Bytes of a record's header, in every target. */
    public static final int HEADER_LENGTH = 16;

    /** Bytes of one record with its header. */
    public int recordLength() {
        return HEADER_LENGTH + payloadLength;
    }
}
