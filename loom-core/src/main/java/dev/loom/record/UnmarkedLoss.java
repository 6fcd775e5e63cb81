package dev.loom.record;

import dev.loom.api.LossReason;

/** Records of one source lost for one reason, which no marker in the log counts yet. Owned by the writer's thread. */
final class UnmarkedLoss {
    final SourceState source;
    final LossReason reason;
    long records;
    long firstNs;
    long lastNs;

    UnmarkedLoss(SourceState source, LossReason reason) {
        this.source = source;
        this.reason = reason;
    }

    void add(long more, long moreFirstNs, long moreLastNs) {
        firstNs = records == 0 ? moreFirstNs : Math.min(firstNs, moreFirstNs);
        lastNs = records == 0 ? moreLastNs : Math.max(lastNs, moreLastNs);
        records += more;
    }
}
