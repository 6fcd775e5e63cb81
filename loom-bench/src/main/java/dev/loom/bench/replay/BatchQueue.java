package dev.loom.bench.replay;

/** What stands between the schedule and the sink. */
interface BatchQueue {
    /** Hands a batch over, if there is room. */
    boolean offer(ReplayBatch batch) throws InterruptedException;
}
