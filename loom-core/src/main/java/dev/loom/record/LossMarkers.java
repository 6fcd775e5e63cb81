package dev.loom.record;

import dev.loom.api.LossReason;
import dev.loom.log.HybridLog;
import dev.loom.log.PageDescriptor;
import dev.loom.log.UnsharedLog;
import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Appends loss markers to a record log without an open session, so that the log alone reports the losses. Their reason
 * is unknown, since the live file counts them only by source.
 */
public final class LossMarkers {
    private static final int MARKER_LENGTH = RecordDescriptor.alignedLength(OwnRecord.LENGTH);

    private LossMarkers() {}

    /**
     * Writes the markers in pages of their own, and makes them durable.
     *
     * @param log the log, positioned at the record log's end
     * @param unmarked as from {@link LossSlots#unmarked}
     * @param timeNs the markers' time, no earlier than the losses and the log's last record
     * @return the log's end
     */
    public static long write(UnsharedLog log, long[] unmarked, long timeNs) {
        HybridLog pages = log.log();
        UnsafeBuffer marker = new UnsafeBuffer(new byte[OwnRecord.LENGTH]);
        for (int i = 0; i < unmarked.length; i += LossSlots.UNMARKED_FIELDS) {
            OwnRecord.put(
                    marker,
                    OwnRecord.LOSS,
                    (int) unmarked[i],
                    LossReason.UNKNOWN.code(),
                    unmarked[i + 1],
                    unmarked[i + 2],
                    unmarked[i + 3]);
            append(log, marker, timeNs);
        }
        pages.sealPage(timeNs);
        return log.sync();
    }

    private static void append(UnsharedLog log, UnsafeBuffer marker, long timeNs) {
        HybridLog pages = log.log();
        if (pages.remaining() < MARKER_LENGTH) {
            pages.sealPage(timeNs);
            log.evict();
            pages.beginPage(timeNs, pages.tail(), false);
        }
        boolean first = PageDescriptor.offsetInPage(pages.tail()) == PageDescriptor.HEADER_LENGTH;
        int back = first ? 0 : MARKER_LENGTH >> RecordDescriptor.ALIGNMENT_SHIFT;
        int at = pages.offset();
        ByteBuffer ring = pages.ringBytes();
        ring.putLong(
                at + RecordDescriptor.WORD0_OFFSET,
                RecordDescriptor.word0(OwnRecord.LENGTH, RecordDescriptor.WHOLE, back));
        ring.putLong(at + RecordDescriptor.WORD1_OFFSET, RecordDescriptor.word1(0, 0));
        pages.ring().putBytes(at + RecordDescriptor.HEADER_LENGTH, marker, 0, OwnRecord.LENGTH);
        pages.advance(MARKER_LENGTH);
    }
}
