package dev.loom.cli.archive;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What an archive says after its last record.
 *
 * @param records how many it has, and {@code bytes} of payloads
 * @param damagedPages how many pages of the store in its range could not be read
 * @param lost the records lost in its range, by the ids of sources that lost some
 */
public record ArchiveEnd(long records, long bytes, long damagedPages, Map<Integer, Long> lost) {
    private static final int SOURCES_MAX = 65_535;

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
        for (int i = 0; i < sources; i++) {
            lost.put(block.getNumber("id of a source", SOURCES_MAX), block.getVarint());
        }
        return new ArchiveEnd(records, bytes, damagedPages, lost);
    }
}
