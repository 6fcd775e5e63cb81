package dev.loom.cli.time;

import dev.loom.api.Snapshot;
import dev.loom.api.Store;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.concurrent.TimeUnit;

/** How far the arrival times of a store are ahead of this machine's clock, as after that was set back. */
public final class StoreTime {
    private static final long NOTHING_NS = TimeUnit.SECONDS.toNanos(1);

    private StoreTime() {}

    /** By how much a store's next record will be ahead, ns; 0 when that is less than a second. */
    public static long aheadNs(Store store) {
        return store.info().values().get("clock_ahead_ns") instanceof Long ns ? ns : 0;
    }

    /** By how much the newest record is, ns, of a store that nobody writes; 0 when that is less than a second. */
    public static long aheadNs(Snapshot snapshot, long nowNs) {
        long lastNs = snapshot.lastTimeNs();
        return lastNs - NOTHING_NS > nowNs && lastNs > 0 ? lastNs - nowNs : 0;
    }

    /** Says so. */
    public static String tell(long aheadNs) {
        return "the store's clock is ahead of the machine's: seconds="
                + BigDecimal.valueOf(aheadNs, 9).setScale(0, RoundingMode.DOWN);
    }
}
