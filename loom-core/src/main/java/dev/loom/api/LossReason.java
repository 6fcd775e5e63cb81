package dev.loom.api;

/** Why a record was lost. Its code, counted from 0 without gaps, is in the marker that the log holds of a loss. */
public enum LossReason {
    /** Not known: the process was killed before the log had a marker of the loss. */
    UNKNOWN(0),
    /** The store's ring was full, and its policy drops newest records. */
    STORE_FULL(1),
    /** The recorder's ring was full, for as long as the source's policy waits. */
    RECORDER_FULL(2),
    /** The recorder's ring was filling, and the source's policy then takes a sample. */
    SAMPLED(3),
    /** The source was closed. In the log only where the caller could not be told. */
    SOURCE_CLOSED(4),
    /** A thread claimed room in the recorder's ring, and ended without having filled it. */
    ABANDONED(5),
    /** The recorder was closed: before the record came, and then not in the log, or before it could be stored. */
    CLOSED(6),
    /** The store had failed, and then not in the log; or it could not take the record, for want of memory. */
    FAILED(7);

    private final int code;

    LossReason(int code) {
        this.code = code;
    }

    public int code() {
        return code;
    }

    /** The reason of a code; {@link #UNKNOWN} for one of a later version. */
    public static LossReason ofCode(int code) {
        for (LossReason reason : values()) {
            if (reason.code == code) {
                return reason;
            }
        }
        return UNKNOWN;
    }
}
