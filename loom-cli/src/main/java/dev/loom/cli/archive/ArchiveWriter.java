package dev.loom.cli.archive;

import dev.loom.server.text.DataOutput;
import java.nio.ByteOrder;
import java.util.Map;
import org.agrona.DirectBuffer;

/** Writes an archive: its schema at once, then records in the order of their arrival, then its end. */
public final class ArchiveWriter {

    private final ArchiveBlocks blocks;
    private final long schemaBytes;
    private long lastTimeNs;
    private int slots;
    private long slotBytes;
    private long records;
    private long bytes;

    /** @param archiveId random, so that a block of another archive is never taken for one of this */
    public ArchiveWriter(DataOutput out, long archiveId, ArchiveSchema schema) {
        blocks = new ArchiveBlocks(out, archiveId, schema.major());
        schemaBytes = schema.write(blocks);
    }

    /** The bytes of the schema, of which {@link ArchiveSchema#ENTRIES_LENGTH_MAX} can be read. */
    public long schemaBytes() {
        return schemaBytes;
    }

    /** Whether a record of this length takes the last slots from all that have one. */
    public boolean forgets(int length) {
        return slots == ArchiveDescriptor.SLOTS_MAX
                || (slots > 0 && slotBytes + length > ArchiveDescriptor.SLOT_BYTES_MAX);
    }

    /** Writes a record that nothing refers to. */
    public void write(int sourceId, long timeNs, DirectBuffer buffer, int offset, int length) {
        begin(0, sourceId, timeNs);
        payload(buffer, offset, length);
        count(length);
    }

    /**
     * Writes a record that others may refer to by the slot it gets. Check {@link #forgets} first.
     *
     * @param carried whether it is in the archive only for those
     */
    public int keep(boolean carried, int sourceId, long timeNs, DirectBuffer buffer, int offset, int length) {
        boolean forgets = forgets(length);
        if (forgets) {
            slots = 0;
            slotBytes = 0;
        }
        int flags = ArchiveDescriptor.KEPT
                | (carried ? ArchiveDescriptor.CARRIED : 0)
                | (forgets ? ArchiveDescriptor.FORGET : 0);
        begin(flags, sourceId, timeNs);
        payload(buffer, offset, length);
        slotBytes += length;
        if (!carried) {
            count(length);
        }
        return slots++;
    }

    /**
     * Writes a record that refers to the one in a slot, or to one that is lost.
     *
     * @param slot negative if it is lost
     * @param reference the offset of the reference in the payload
     */
    public void refer(int slot, int reference, int sourceId, long timeNs, DirectBuffer buffer, int offset, int length) {
        begin(slot < 0 ? 0 : ArchiveDescriptor.REFERS, sourceId, timeNs);
        if (slot >= 0) {
            blocks.buffer().putVarint(slot);
        }
        long bits = buffer.getLong(offset + reference, ByteOrder.LITTLE_ENDIAN) & ArchiveDescriptor.REFERENCE_BITS;
        int begin = payload(buffer, offset, length);
        blocks.buffer().setLong(begin + reference, bits);
        count(length);
    }

    private void begin(int flags, int sourceId, long timeNs) {
        blocks.endIfFull(ArchiveDescriptor.RECORDS);
        BlockBuffer buffer = blocks.buffer();
        if (buffer.length() == 0) {
            buffer.putLong(timeNs);
            lastTimeNs = timeNs;
        }
        buffer.putByte(flags);
        buffer.putVarint(sourceId);
        buffer.putVarint(timeNs - lastTimeNs);
        lastTimeNs = timeNs;
    }

    private int payload(DirectBuffer source, int offset, int length) {
        blocks.buffer().putVarint(length);
        return blocks.buffer().putBytes(source, offset, length);
    }

    private void count(int length) {
        records++;
        bytes += length;
    }

    public long records() {
        return records;
    }

    public long bytes() {
        return bytes;
    }

    /**
     * Writes the end. The output is not flushed.
     *
     * @param lost the records of losses that end in the range, by the ids of sources that lost some
     */
    public void end(long damagedPages, Map<Integer, Long> lost) {
        blocks.end(ArchiveDescriptor.RECORDS);
        new ArchiveEnd(records, bytes, damagedPages, lost).write(blocks);
    }
}
