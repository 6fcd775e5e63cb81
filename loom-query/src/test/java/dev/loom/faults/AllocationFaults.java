package dev.loom.faults;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Where the store's classes allocate, as {@link AllocationFaultsLoader} has changed them: counts the places that a thread comes
 * by, and lets one of them find no memory. The one instance of this class is that of the application's class loader.
 */
public final class AllocationFaults {
    private static final int SITES_MAX = 1 << 14;
    private static final List<String> SITES = new ArrayList<>();
    private static final int[] HITS = new int[SITES_MAX];

    private static volatile boolean armed;
    private static volatile String target = "";
    private static volatile int failing = -1;
    private static final AtomicInteger HITS_LEFT = new AtomicInteger();
    private static final AtomicInteger FAILURES_LEFT = new AtomicInteger();
    private static volatile @Nullable String failed;

    private AllocationFaults() {}

    /** Names a place; returns its number. */
    static int addSite(String name) {
        synchronized (SITES) {
            SITES.add(name);
            if (SITES.size() == SITES_MAX) {
                throw new IllegalStateException("too many places");
            }
            return SITES.size() - 1;
        }
    }

    static String name(int site) {
        synchronized (SITES) {
            return SITES.get(site);
        }
    }

    /** How often the target came by each place, until {@link #reset}. */
    static int[] hits() {
        return HITS.clone();
    }

    /**
     * Begins anew.
     *
     * @param threadName of the threads that are to find no memory
     * @param site where, or -1 for nowhere
     * @param hit at which of its times
     * @param failures how often then, wherever else it allocates
     */
    static void reset(String threadName, int site, int hit, int failures) {
        armed = false;
        target = threadName;
        failing = site;
        HITS_LEFT.set(hit);
        FAILURES_LEFT.set(failures);
        failed = null;
        Arrays.fill(HITS, 0);
    }

    /** Where it failed first, or null. */
    static @Nullable String failed() {
        return failed;
    }

    /** From now on places count, or no longer. Called by the scenario. */
    public static void arm(boolean on) {
        armed = on;
    }

    /** Called before each allocation. */
    public static void before(int site) {
        if (!armed || !Thread.currentThread().getName().equals(target)) {
            return;
        }
        HITS[site]++;
        boolean first = failed == null && site == failing && HITS_LEFT.decrementAndGet() == 0;
        if (first || (failed != null && FAILURES_LEFT.get() > 0)) {
            FAILURES_LEFT.decrementAndGet();
            if (first) {
                failed = name(site);
            }
            throw new OutOfMemoryError("injected: " + name(site));
        }
    }
}
