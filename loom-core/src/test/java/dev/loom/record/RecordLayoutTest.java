package dev.loom.record;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.loom.api.LossReason;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** The pictures of records, index entries and slots, number by number, and the edges of what is packed into words. */
class RecordLayoutTest {
    @Test
    void shouldPackWordsOfARecordAsInThePicture() {
        assertEquals(0, RecordDescriptor.WORD0_OFFSET);
        assertEquals(8, RecordDescriptor.WORD1_OFFSET);
        assertEquals(16, RecordDescriptor.HEADER_LENGTH);
        assertEquals(8, RecordDescriptor.ALIGNMENT);
        assertEquals(0x0000_0003_0100_0005L, RecordDescriptor.word0(5, RecordDescriptor.WHOLE, 3));
        assertEquals(0x0000_0000_0007_0009L, RecordDescriptor.word1(9, 7));
        assertEquals(1, RecordDescriptor.WHOLE);
        assertEquals(2, RecordDescriptor.FIRST);
        assertEquals(3, RecordDescriptor.MIDDLE);
        assertEquals(4, RecordDescriptor.LAST);
        assertEquals(65_456, RecordDescriptor.PAYLOAD_LENGTH_MAX);
        assertEquals(16_777_215, RecordDescriptor.JUMBO_LENGTH_MAX);
        assertEquals(281_474_976_710_655L, RecordDescriptor.TIME_DELTA_MAX);
    }

    @Test
    void shouldKeepFieldsApartAtTheirEdges() {
        int[] lengths = {0, 1, 0xff_ffff};
        int[] types = {1, 4, 0xff};
        long[] backs = {0, 1, 0xffff_ffffL};
        for (int length : lengths) {
            for (int type : types) {
                for (long back : backs) {
                    long word = RecordDescriptor.word0(length, type, back);
                    assertEquals(length, RecordDescriptor.length(word));
                    assertEquals(type, RecordDescriptor.type(word));
                    assertEquals(back * 8, RecordDescriptor.back(word));
                }
            }
        }
        for (int source : new int[] {0, 1, 32_768, 65_535}) {
            for (long delta : new long[] {0, 1, 1L << 47, 281_474_976_710_655L}) {
                long word = RecordDescriptor.word1(source, delta);
                assertEquals(source, RecordDescriptor.sourceId(word));
                assertEquals(delta, RecordDescriptor.timeDelta(word));
            }
        }
    }

    @Test
    void shouldAlignRecordsToWords() {
        assertEquals(16, RecordDescriptor.alignedLength(0));
        assertEquals(24, RecordDescriptor.alignedLength(1));
        assertEquals(24, RecordDescriptor.alignedLength(8));
        assertEquals(32, RecordDescriptor.alignedLength(9));
        assertEquals(64, RecordDescriptor.alignedLength(48));
        assertEquals(65_472, RecordDescriptor.alignedLength(65_456));
    }

    @Test
    void shouldLayOutEntriesOfTheTimestampIndexAsInThePicture() {
        assertEquals(1, TimeEntryDescriptor.DIRECTORY);
        assertEquals(2, TimeEntryDescriptor.CHECKPOINT);
        assertEquals(1, TimeEntryDescriptor.FLAG_LAST);
        assertEquals(2, TimeEntryDescriptor.FLAG_FIRST);
        assertEquals(0, TimeEntryDescriptor.LENGTH_OFFSET);
        assertEquals(4, TimeEntryDescriptor.TYPE_OFFSET);
        assertEquals(5, TimeEntryDescriptor.FLAGS_OFFSET);
        assertEquals(6, TimeEntryDescriptor.SOURCES_OFFSET);
        assertEquals(8, TimeEntryDescriptor.ADDRESS_OFFSET);
        assertEquals(16, TimeEntryDescriptor.PAGES_OFFSET);
        assertEquals(20, TimeEntryDescriptor.DIRECTORY_PART_OFFSET);
        assertEquals(24, TimeEntryDescriptor.FIRST_TIME_OFFSET);
        assertEquals(32, TimeEntryDescriptor.LAST_TIME_OFFSET);
        assertEquals(40, TimeEntryDescriptor.BINS_BEGIN_OFFSET);
        assertEquals(48, TimeEntryDescriptor.BINS_END_OFFSET);
        assertEquals(56, TimeEntryDescriptor.LIST_OFFSET);
        assertEquals(16, TimeEntryDescriptor.PREVIOUS_CHECKPOINT_OFFSET);
        assertEquals(24, TimeEntryDescriptor.CHECKPOINT_TIME_OFFSET);
        assertEquals(32, TimeEntryDescriptor.CHECKPOINT_PART_OFFSET);
        assertEquals(32_736, TimeEntryDescriptor.PART_LENGTH_MAX);
    }

    @Test
    void shouldReadBackVarintsOfEveryLength() {
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[16]);
        long[] values = {0, 127, 128, 16_383, 16_384, Integer.MAX_VALUE, Long.MAX_VALUE, -1, Long.MIN_VALUE};
        int[] lengths = {1, 1, 2, 2, 3, 5, 9, 10, 10};
        for (int i = 0; i < values.length; i++) {
            assertEquals(3 + lengths[i], Varint.put(buffer, 3, values[i]));
            Varint.Reader reader = new Varint.Reader(buffer);
            reader.wrap(buffer, 3, 3 + lengths[i]);
            assertEquals(values[i], reader.next());
            assertEquals(0, reader.next(), "past the limit");
        }
    }

    @Test
    void shouldLayOutSourceSlotsAsInThePicture() {
        assertEquals(64, SourceSlots.SLOT_LENGTH);
        assertEquals(65_536, SourceSlots.SOURCES_MAX);
        ByteBuffer bytes = ByteBuffer.allocateDirect(256).order(ByteOrder.LITTLE_ENDIAN);
        SourceSlots slots = new SourceSlots(bytes, 64, 3);
        slots.clear();
        slots.put(2, new SourceTotals(11, 12, 13, 14));
        assertEquals(-1, bytes.getLong(64));
        assertEquals(11, bytes.getLong(192));
        assertEquals(2, bytes.getLong(200));
        assertEquals(12, bytes.getLong(208));
        assertEquals(13, bytes.getLong(216));
        assertEquals(14, bytes.getLong(224));
        assertEquals(11, bytes.getLong(232));
    }

    @Test
    void shouldLayOutLossSlotsAsInThePicture() {
        ByteBuffer bytes = ByteBuffer.allocateDirect(LossSlots.length(2)).order(ByteOrder.LITTLE_ENDIAN);
        assertEquals(64 + 2 * 32, bytes.capacity());
        LossSlots slots = new LossSlots(bytes, 0, 2);
        slots.beginChange();
        assertEquals(1, bytes.getLong(0));
        slots.put(1, 21, 22, 23, 24);
        slots.pending(25);
        slots.endChange();
        assertEquals(2, bytes.getLong(0));
        assertEquals(25, bytes.getLong(8));
        assertEquals(2, bytes.getLong(56));
        assertEquals(21, bytes.getLong(96));
        assertEquals(22, bytes.getLong(104));
        assertEquals(23, bytes.getLong(112));
        assertEquals(24, bytes.getLong(120));
    }

    @Test
    void shouldLayOutLoomsOwnRecordsAsInThePicture() {
        assertEquals(32, OwnRecord.LENGTH);
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[OwnRecord.LENGTH]);
        OwnRecord.put(buffer, OwnRecord.LOSS, 65_535, LossReason.RECORDER_FULL.code(), 3, 4, 5);
        ByteBuffer bytes = ByteBuffer.wrap(buffer.byteArray()).order(ByteOrder.LITTLE_ENDIAN);
        assertEquals(1, bytes.getShort(0));
        assertEquals((short) 65_535, bytes.getShort(2));
        assertEquals(2, bytes.getInt(4));
        assertEquals(3, bytes.getLong(8));
        assertEquals(4, bytes.getLong(16));
        assertEquals(5, bytes.getLong(24));
        assertEquals(65_535, OwnRecord.source(buffer, 0));
        assertEquals(LossReason.RECORDER_FULL, LossReason.ofCode(OwnRecord.reason(buffer, 0)));
        assertEquals(LossReason.UNKNOWN, LossReason.ofCode(99));
        assertEquals(2, OwnRecord.ANCHOR);
        assertEquals(3, OwnRecord.EPOCH);
    }
}
