package dev.loom.cli.ingest;

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
final class FrameDescriptor {
    /** Goes first: what protocol, and the token if one is needed; JSON. Answered by {@link #DONE}. */
    static final int HELLO = 1;

    /** Records. Answered by {@link #TAKEN}, {@link #RETRY} or {@link #REFUSED}. */
    static final int BATCH = 2;

    /** A lookup or change of the schema; JSON. Answered by {@link #DONE} or {@link #REFUSED}. */
    static final int SCHEMA = 3;

    /** All records of the batch are in the log. */
    static final int TAKEN = 17;

    /** The first so many records of the batch are in the log; the rest has to be sent again, after the delay. */
    static final int RETRY = 18;

    /** The first so many records of the batch are in the log; what is asked for can't be had. */
    static final int REFUSED = 19;

    /** The answer to what is not a batch; JSON. */
    static final int DONE = 20;

    static final int PROTOCOL = 1;

    static final int LENGTH_OFFSET = 0;
    static final int TYPE_OFFSET = LENGTH_OFFSET + Integer.BYTES;
    static final int HEADER_LENGTH = TYPE_OFFSET + Integer.BYTES;

    static final int SOURCE_OFFSET = 0;
    static final int RESERVED_OFFSET = SOURCE_OFFSET + Short.BYTES;
    static final int COUNT_OFFSET = RESERVED_OFFSET + Short.BYTES;
    static final int LENGTHS_OFFSET = COUNT_OFFSET + Integer.BYTES;

    static final int TAKEN_OFFSET = 0;
    static final int DELAY_OFFSET = TAKEN_OFFSET + Integer.BYTES;
    static final int REASON_OFFSET = DELAY_OFFSET + Integer.BYTES;

    /** The longest body of a frame that is no batch. */
    static final int TEXT_LENGTH_MAX = 64 * 1024;

    /** Records of one group, which is how many lengths are held at once. */
    static final int GROUP_RECORDS_MAX = 4096;

    /** The longest body of a batch: as long as the longest payload there can be, and some. */
    static final int BATCH_LENGTH_MAX = (16 << 20) + 64 * 1024;

    private FrameDescriptor() {}

    /** Bytes of a group before its payloads. */
    static int groupHeaderLength(int count) {
        return LENGTHS_OFFSET + count * Integer.BYTES;
    }
}
