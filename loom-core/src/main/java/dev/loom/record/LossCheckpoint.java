package dev.loom.record;

import dev.loom.log.UnsharedLog;

/**
 * Begins a timestamp index with a checkpoint, of what was lost so far: where the index is to speak of later records alone,
 * nothing else would tell of it.
 *
 * @param address of the checkpoint
 * @param end the index's end
 */
public record LossCheckpoint(long address, long end) {
    /**
     * Writes it, and makes it durable.
     *
     * @param log which begins to write where the index is to begin
     * @param sources with their losses, and as newest directory what leads to those before
     * @param recordEnd the address from which on the index is to speak of records
     */
    public static LossCheckpoint write(UnsharedLog log, WriterSources sources, long recordEnd, long lastTimeNs) {
        TimeIndexWriter index = new TimeIndexWriter(log.log());
        CheckpointWriter checkpoint = new CheckpointWriter(index, -1, recordEnd);
        checkpoint.write(sources.states(), recordEnd, lastTimeNs, () -> {
            if (!index.hasPartRoom()) {
                log.evict();
            }
        });
        index.seal();
        return new LossCheckpoint(checkpoint.last(), log.sync());
    }
}
