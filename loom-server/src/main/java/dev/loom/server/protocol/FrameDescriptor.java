package dev.loom.server.protocol;

/**
 * Layout of the frames of the ingest protocol. All integers are little-endian.
 *
 * <pre>
 *  frame     0                   32            64
 *            | length of the body | type        | body ...
 *
 *  batch     groups, back to back, each
 *            0            16      32                  64
 *            | source id   | 0     | records           | lengths, 32 bits each | payloads, back to back
 *
 *  answer    0                   32                  64
 *            | records taken      | retry delay, ms    | reason, UTF-8
 * </pre>
 */
public final class FrameDescriptor {
    /** The first frame: the protocol version, and the token if one is required; JSON. Answered by {@link #DONE}. */
    public static final int HELLO = 1;

    /** Records. Answered by {@link #TAKEN}, {@link #RETRY} or {@link #REFUSED}. */
    public static final int BATCH = 2;

    /** A lookup or change of the schema; JSON. Answered by {@link #DONE} or {@link #REFUSED}. */
    public static final int SCHEMA = 3;

    /** All records of the batch are in the log. */
    public static final int TAKEN = 17;

    /** The first {@code records taken} records of the batch are in the log; send the rest again after the delay. */
    public static final int RETRY = 18;

    /** The first {@code records taken} records of the batch are in the log; the request can't be met. */
    public static final int REFUSED = 19;

    /** The answer to a frame other than a batch; JSON. */
    public static final int DONE = 20;

    public static final int PROTOCOL = 1;

    public static final int LENGTH_OFFSET = 0;
    public static final int TYPE_OFFSET = LENGTH_OFFSET + Integer.BYTES;
    public static final int HEADER_LENGTH = TYPE_OFFSET + Integer.BYTES;

    public static final int SOURCE_OFFSET = 0;
    public static final int RESERVED_OFFSET = SOURCE_OFFSET + Short.BYTES;
    public static final int COUNT_OFFSET = RESERVED_OFFSET + Short.BYTES;
    public static final int LENGTHS_OFFSET = COUNT_OFFSET + Integer.BYTES;

    public static final int TAKEN_OFFSET = 0;
    public static final int DELAY_OFFSET = TAKEN_OFFSET + Integer.BYTES;
    public static final int REASON_OFFSET = DELAY_OFFSET + Integer.BYTES;

    /** The longest body of a frame other than a batch. */
    public static final int TEXT_LENGTH_MAX = 64 * 1024;

    /** The most records in a group, and so the most lengths held at once. */
    public static final int GROUP_RECORDS_MAX = 4096;

    /** The longest body of a batch: 16 MiB, in which any store's longest payload fits, and 64 KiB for group headers. */
    public static final int BATCH_LENGTH_MAX = (16 << 20) + 64 * 1024;

    private FrameDescriptor() {}

    /** Length of a group before its payloads. */
    public static int groupHeaderLength(int count) {
        return LENGTHS_OFFSET + count * Integer.BYTES;
    }
}
