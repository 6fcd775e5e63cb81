package dev.loom.record;

import dev.loom.log.UnsharedLog;

/**
 * A checkpoint at the beginning of a timestamp index that holds the losses so far. If the index describes only later
 * records, nothing else in it would report them.
 *
 * @param address the checkpoint's address
 * @param end the index's end
 */
public record LossCheckpoint(long address, long end) {
    /**
     * Writes the checkpoint, and makes it durable.
     *
     * @param log the log, positioned at the index's begin
     * @param sources the sources with their losses; the newest directory of each leads to the earlier ones
     * @param recordEnd the address of the first record that the index describes
     */
    public static LossCheckpoint write(UnsharedLog log, WriterSources sources, long recordEnd, long lastTimeNs) {
        TimeIndexWriter index = new TimeIndexWriter(log.log());
        CheckpointWriter checkpoint = new CheckpointWriter(index, Long.MAX_VALUE, -1, recordEnd);
        checkpoint.write(sources.states(), recordEnd, lastTimeNs, log::evict);
        index.seal();
        return new LossCheckpoint(checkpoint.last(), log.sync());
    }
}
