package dev.loom.api;

/**
 * The negative results of {@link dev.loom.Loom#push}, {@link dev.loom.Loom#offer} and {@link dev.loom.Loom#claim},
 * which otherwise return an address, and of {@link dev.loom.Recorder#offer}, which otherwise returns 0.
 */
public final class PushStatus {
    /** The ring is full, and the call does not wait. The record was not taken; nothing was counted as lost. */
    public static final long BACK_PRESSURED = -1;
    /**
     * The ring is full, and the policy of the store, or of the source in the recorder, drops the record. Counted as
     * lost.
     */
    public static final long DROPPED = -2;
    /** The source is closed. The record was not taken; counted in {@link StoreInfo} as refused. */
    public static final long SOURCE_CLOSED = -3;
    /** The recorder's ring is filling up, and the source's policy leaves this record out. Counted as lost. */
    public static final long SAMPLED = -4;
    /** The recorder is closed. */
    public static final long CLOSED = -5;
    /** The recorder's store has failed; see {@link dev.loom.Recorder#failure()}. */
    public static final long FAILED = -6;

    private PushStatus() {}

    public static String name(long status) {
        if (status >= 0) {
            return "OK";
        } else if (status == BACK_PRESSURED) {
            return "BACK_PRESSURED";
        } else if (status == DROPPED) {
            return "DROPPED";
        } else if (status == SOURCE_CLOSED) {
            return "SOURCE_CLOSED";
        } else if (status == SAMPLED) {
            return "SAMPLED";
        } else if (status == CLOSED) {
            return "CLOSED";
        } else if (status == FAILED) {
            return "FAILED";
        }
        throw new IllegalArgumentException("not a push status: " + status);
    }
}
