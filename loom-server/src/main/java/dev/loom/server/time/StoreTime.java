package dev.loom.server.time;

import dev.loom.api.Snapshot;
import dev.loom.api.Store;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.concurrent.TimeUnit;

/** How far a store's arrival times are ahead of this machine's clock, for instance after that was set back. */
public final class StoreTime {
    private static final long NOTHING_NS = TimeUnit.SECONDS.toNanos(1);

    private StoreTime() {}

    /** How far a store's next record will be ahead, ns; 0 if less than a second. */
    private static long aheadNs(Store store) {
        return store.info().clockAhead().toNanos();
    }

    /** How far the newest record of a store without a writer is ahead, ns; 0 if less than a second. */
    private static long aheadNs(Snapshot snapshot, long nowNs) {
        long lastNs = snapshot.lastTimeNs();
        return lastNs - NOTHING_NS > nowNs && lastNs > 0 ? lastNs - nowNs : 0;
    }

    /** How far arrival times are ahead, whether somebody writes the store or not, ns; 0 if less than a second. */
    public static long aheadNs(Store store, Snapshot snapshot, long nowNs) {
        return snapshot.live() ? aheadNs(store) : aheadNs(snapshot, nowNs);
    }

    /** The message for users whose times are those of the machine. */
    public static String tellOfMachineTimes(long aheadNs) {
        return tell(aheadNs) + "; what arrived lately has times after the machine's now";
    }

    /** The message for users. */
    public static String tell(long aheadNs) {
        return "the store's clock is ahead of the machine's: seconds="
                + BigDecimal.valueOf(aheadNs, 9).setScale(0, RoundingMode.DOWN);
    }
}
