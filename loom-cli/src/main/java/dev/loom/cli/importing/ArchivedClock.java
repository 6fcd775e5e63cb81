package dev.loom.cli.importing;

import java.util.function.LongSupplier;

/** The clock of a store that is filled from archives: each record's own arrival time. Any thread may read it. */
final class ArchivedClock implements LongSupplier {
    private volatile long timeNs;

    ArchivedClock(long timeNs) {
        this.timeNs = timeNs;
    }

    void set(long newTimeNs) {
        timeNs = newTimeNs;
    }

    @Override
    public long getAsLong() {
        return timeNs;
    }
}
