package dev.loom.api;

import dev.loom.format.PayloadFormat;
import java.util.Map;

/**
 * A source of records as the schema knows it.
 *
 * @param id 1 to 65,535, never reused in a store; 0 is Loom's own source
 * @param name unique among the sources that are open
 * @param format the format of its payloads
 * @param closed whether it no longer takes records
 * @param attributes stored with the source; docs/format-payloads.md lists those that mean something
 */
public record Source(int id, String name, PayloadFormat format, boolean closed, Map<String, String> attributes) {
    public Source {
        attributes = Map.copyOf(attributes);
    }

    /**
     * Totals of one source in a snapshot. Times are epoch nanoseconds of arrival; both are 0 when there is no record.
     *
     * @param records the number of records that are retained
     * @param firstTimeNs of the oldest; once retention has deleted some, that of a record of any source not after it
     * @param bytes their payload bytes
     * @param lost the number of records refused or dropped, as the writer counted them
     * @param deletedRecords the number of records that retention deleted
     * @param deletedBytes their payload bytes
     */
    public record Statistics(
            long records,
            long bytes,
            long firstTimeNs,
            long lastTimeNs,
            long lost,
            long deletedRecords,
            long deletedBytes) {}
}
