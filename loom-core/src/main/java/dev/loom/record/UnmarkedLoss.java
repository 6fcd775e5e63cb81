package dev.loom.record;

import dev.loom.api.LossReason;

/**
 * Records of one source lost for one reason that no marker in the log counts yet: those of the next marker, whose time
 * range is fixed, and later ones. Owned by the writer's thread.
 */
final class UnmarkedLoss {
    final SourceState source;
    final LossReason reason;
    /** Its cell in {@link LossCounts}. */
    final int cell;

    long records;
    long firstNs;
    long lastNs;

    private long laterRecords;
    private long laterFirstNs = Long.MAX_VALUE;
    private long laterLastNs = Long.MIN_VALUE;

    UnmarkedLoss(SourceState source, LossReason reason, int cell) {
        this.source = source;
        this.reason = reason;
        this.cell = cell;
    }

    void add(long more, long moreFirstNs, long moreLastNs) {
        laterRecords += more;
        laterFirstNs = Math.min(laterFirstNs, moreFirstNs);
        laterLastNs = Math.max(laterLastNs, moreLastNs);
        if (records == 0) {
            marked();
        }
    }

    /** Continues with the later ones. */
    void marked() {
        records = laterRecords;
        firstNs = laterFirstNs;
        lastNs = laterLastNs;
        laterRecords = 0;
        laterFirstNs = Long.MAX_VALUE;
        laterLastNs = Long.MIN_VALUE;
    }

    long recordsAll() {
        return records + laterRecords;
    }

    long firstNsAll() {
        return Math.min(firstNs, laterFirstNs);
    }

    long lastNsAll() {
        return Math.max(lastNs, laterLastNs);
    }
}
