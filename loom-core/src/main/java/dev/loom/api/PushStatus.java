package dev.loom.api;

/**
 * The negative answers of {@link dev.loom.Loom#push}, {@link dev.loom.Loom#offer} and {@link dev.loom.Loom#claim}; others
 * are addresses.
 */
public final class PushStatus {
    /** The ring is full, and the call does not wait. The record was not taken; nothing was counted as lost. */
    public static final long BACK_PRESSURED = -1;
    /** The ring is full, and the store's policy drops newest records. Counted as lost. */
    public static final long DROPPED = -2;
    /** The source is closed. The record was not taken; counted in {@link StoreInfo} as refused. */
    public static final long SOURCE_CLOSED = -3;

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
        }
        throw new IllegalArgumentException("not a push status: " + status);
    }
}
