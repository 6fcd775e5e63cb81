package dev.loom.bench.push;

import java.nio.file.Path;

/**
 * What all targets of a comparison share.
 *
 * @param directory on the disk under test; each target creates its own directory in it and deletes that again
 * @param staging where rings are mapped; as for a store, normally on tmpfs
 * @param payloadLength bytes, a multiple of 8
 * @param ringBytes memory of the record log, a power of two
 * @param segmentBytes size of a segment file, a multiple of a page
 * @param direct whether pages bypass the page cache
 */
public record PushSettings(
        Path directory, Path staging, int payloadLength, int ringBytes, long segmentBytes, boolean direct) {
    /** Bytes of a record's header, the same in every target. */
    public static final int HEADER_LENGTH = 16;

    /** Bytes of one record with its header. */
    public int recordLength() {
        return HEADER_LENGTH + payloadLength;
    }
}
