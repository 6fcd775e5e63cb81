package dev.loom.cli.archive;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What an archive says after its last record.
 *
 * @param records how many it has, and {@code bytes} of payloads
 * @param damagedPages how many pages of the store in its range could not be read
 * @param lost the records of losses that end in its range, by the ids of sources that lost some
 */
public record ArchiveEnd(long records, long bytes, long damagedPages, Map<Integer, Long> lost) {
    private static final int SOURCES_MAX = 65_535;

    /** The records that an archive's sources can have lost, so that sums of them stay right. */
    private static final long LOST_MAX = 1L << 53;

    public ArchiveEnd {
        lost = Map.copyOf(lost);
    }

    void write(ArchiveBlocks blocks) {
        BlockBuffer buffer = blocks.buffer();
        buffer.putVarint(records);
        buffer.putVarint(bytes);
        buffer.putVarint(damagedPages);
        buffer.putVarint(lost.size());
        lost.forEach((sourceId, count) -> {
            buffer.putVarint(sourceId);
            buffer.putVarint(count);
        });
        blocks.end(ArchiveDescriptor.END);
    }

    static ArchiveEnd read(BlockBytes block) throws BlockBytes.Malformed {
        long records = block.getVarint();
        long bytes = block.getVarint();
        long damagedPages = block.getVarint();
        int sources = block.getNumber("number of sources", SOURCES_MAX);
        Map<Integer, Long> lost = new LinkedHashMap<>();
        long lostOfAll = 0;
        for (int i = 0; i < sources; i++) {
            int sourceId = block.getNumber("id of a source", SOURCES_MAX);
            long count = block.getVarint();
            lostOfAll += count;
            if (count < 0 || count > LOST_MAX || lostOfAll > LOST_MAX) {
                throw new BlockBytes.Malformed("losses are impossible: source=" + sourceId + ", lost=" + count);
            }
            lost.put(sourceId, count);
        }
        return new ArchiveEnd(records, bytes, damagedPages, lost);
    }
}
