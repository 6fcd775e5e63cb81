package dev.loom.record;

import java.util.Arrays;

/**
 * Collects which sources the open chunk holds, and writes its directory when it is sealed. Owned by the writer's thread.
 */
final class ChunkDirectory {
    private final TimeIndexWriter index;
    private final SourceSlots slots;
    private SourceState[] listed = new SourceState[16];
    private int count;

    ChunkDirectory(TimeIndexWriter index, SourceSlots slots) {
        this.index = index;
        this.slots = slots;
    }

    /** Notes a source's first record in the chunk. */
    void add(SourceState source, long chunk, long timeNs) {
        source.chunk = chunk;
        source.chunkRecords = 0;
        source.chunkBytes = 0;
        source.chunkFirstTimeNs = timeNs;
        if (count == listed.length) {
            listed = Arrays.copyOf(listed, count * 2);
        }
        listed[count++] = source;
    }

    /** Counts a record read back, on which the reader stands. */
    void count(SourceState source, long chunk, PageRecords record) {
        if (source.chunk != chunk) {
            add(source, chunk, record.timeNs());
        }
        source.chunkRecords++;
        source.chunkBytes += record.length();
        source.lastAddress = record.address();
        source.lastTimeNs = record.timeNs();
    }

    /** Drops what was counted of the chunk. */
    void forget() {
        for (int i = 0; i < count; i++) {
            listed[i].chunk = -1;
        }
        count = 0;
    }

    /** Time of the newest record in the chunk; {@code Long.MIN_VALUE} without one. */
    long lastTimeNs() {
        long last = Long.MIN_VALUE;
        for (int i = 0; i < count; i++) {
            last = Math.max(last, listed[i].lastTimeNs);
        }
        return last;
    }

    /** More bytes than the directory will take, with one more source in it. */
    int lengthMax() {
        return TimeEntryDescriptor.lengthMax(count + 1, TimeEntryDescriptor.LISTED_LENGTH_MAX);
    }

    /** Writes and publishes the directory of the chunk, then the slots of its sources. There is room. */
    void write(long chunk, int pages, long firstTimeNs, long lastTimeNs) {
        int from = 0;
        int part = 0;
        do {
            from = writePart(part++, from, chunk, pages, firstTimeNs, lastTimeNs);
        } while (from < count);
        index.publish();
        for (int i = 0; i < count; i++) {
            slots.put(listed[i].id, listed[i].totals);
        }
        // a snapshot that saw the directory before the slots would find no way to the chunk's records
        index.publishCovered();
        count = 0;
    }

    private int writePart(int part, int from, long chunk, int pages, long firstTimeNs, long lastTimeNs) {
        int to;
        long address;
        do {
            to = from;
            address = index.begin(TimeEntryDescriptor.DIRECTORY, chunk);
            index.putInt(TimeEntryDescriptor.PAGES_OFFSET, pages);
            index.putInt(TimeEntryDescriptor.DIRECTORY_PART_OFFSET, part);
            index.putLong(TimeEntryDescriptor.FIRST_TIME_OFFSET, firstTimeNs);
            index.putLong(TimeEntryDescriptor.LAST_TIME_OFFSET, lastTimeNs);
            boolean more = true;
            while (more && to < count) {
                more = list(listed[to++], address, chunk, firstTimeNs, lastTimeNs);
            }
        } while (!index.end(from == 0, to == count, firstTimeNs, lastTimeNs, chunk));
        for (int i = from; i < to; i++) {
            SourceState source = listed[i];
            source.totals.add(address, source.chunkRecords, source.chunkBytes, source.chunkFirstTimeNs);
        }
        return to;
    }

    private boolean list(SourceState source, long address, long chunk, long firstTimeNs, long lastTimeNs) {
        long previous = source.totals.directory;
        index.add(source.id);
        index.add(source.chunkRecords);
        index.add(source.chunkBytes);
        index.add(source.chunkFirstTimeNs - firstTimeNs);
        index.add(lastTimeNs - source.lastTimeNs);
        index.add((source.lastAddress - chunk) / RecordDescriptor.ALIGNMENT);
        index.add(previous == SourceSlots.NO_DIRECTORY ? 0 : (address - previous) / TimeEntryDescriptor.ALIGNMENT);
        return index.endListed(TimeEntryDescriptor.LISTED_LENGTH_MAX);
    }
}
