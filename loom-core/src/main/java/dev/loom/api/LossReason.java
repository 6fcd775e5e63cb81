package dev.loom.api;

/** Why a record was lost. Loss markers in the log hold its code; codes count from 0 without gaps. */
public enum LossReason {
    /** Unknown: the process was killed before the log had a marker of the loss. */
    UNKNOWN(0),
    /** The store's ring was full, and its policy drops the newest records. */
    STORE_FULL(1),
    /** The recorder's ring was full for as long as the source's policy waits. */
    RECORDER_FULL(2),
    /** The recorder's ring was filling up, and the source's policy took only a sample. */
    SAMPLED(3),
    /** The source was closed. In the log only if the caller could not be informed. */
    SOURCE_CLOSED(4),
    /** A thread claimed room in the recorder's ring, and ended before filling it. */
    ABANDONED(5),
    /** The recorder was closed before the record came, which is not in the log, or before it could be stored. */
    CLOSED(6),
    /** The store had failed, which is not in the log, or lacked the memory to take the record, for itself or for a ring as long as before. */
    FAILED(7),
    /** It was lost before the others were imported from elsewhere. */
    ELSEWHERE(8);

    private final int code;

    LossReason(int code) {
        this.code = code;
    }

    public int code() {
        return code;
    }

    /** The reason with a code; {@link #UNKNOWN} for a code of a later version. */
    public static LossReason ofCode(int code) {
        for (LossReason reason : values()) {
            if (reason.code == code) {
                return reason;
            }
        }
        return UNKNOWN;
    }
}
