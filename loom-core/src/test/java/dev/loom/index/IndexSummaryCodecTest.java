package dev.loom.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.ValueType;
import dev.loom.error.CorruptStoreException;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** The longest and the shortest fields. */
final class IndexSummaryCodecTest {
    private static final int OFFSET = 8;
    private static final byte UNTOUCHED = 0x5a;

    private final IndexSummary summary = new IndexSummary();
    private final IndexSummary read = new IndexSummary();
    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[OFFSET + IndexSummaryCodec.LENGTH_MAX + 8]);

    private int write(ValueType type) {
        buffer.setMemory(0, buffer.capacity(), UNTOUCHED);
        int end = IndexSummaryCodec.write(summary, type, 0, buffer, OFFSET);
        assertEquals(UNTOUCHED, buffer.getByte(end), "nothing is written behind the end");
        return end;
    }

    private void read(int end, ValueType type) {
        int lengths = IndexSummaryCodec.lengths(buffer, OFFSET, end);
        assertEquals(end - OFFSET, IndexSummaryCodec.summaryLength(lengths));
        IndexSummaryCodec.read(buffer, OFFSET, end, lengths, type, 0, read);
    }

    @Test
    void shouldKeepEveryFieldAtItsLongest() {
        summary.clear(Integer.MAX_VALUE);
        summary.setRange(0xFFFF_FFFFL, Long.MIN_VALUE, Long.MAX_VALUE);
        summary.keySum().add(Long.MIN_VALUE, 12_345);
        summary.binsAddress(Long.MAX_VALUE);
        int end = write(ValueType.I64);
        assertEquals(IndexSummaryCodec.LENGTH_MAX, end - OFFSET);
        read(end, ValueType.I64);
        assertEquals(Integer.MAX_VALUE, read.indexId());
        assertEquals(0xFFFF_FFFFL, read.count());
        assertEquals(Long.MIN_VALUE, read.minKey());
        assertEquals(Long.MAX_VALUE, read.maxKey());
        assertEquals(Long.MIN_VALUE, read.keySum().high());
        assertEquals(12_345, read.keySum().low());
        assertEquals(Long.MAX_VALUE, read.binsAddress());
        assertEquals(Long.MIN_VALUE, summary.keySum().high(), "writing leaves the summary as it was");
        assertEquals(12_345, summary.keySum().low());
    }

    @Test
    void shouldKeepThatThereAreNoRecords() {
        for (ValueType type : ValueType.values()) {
            summary.clear(0);
            int end = write(type);
            assertEquals(4, end - OFFSET, "three bytes of lengths, one of the id");
            read.setRange(1, 2, 3);
            read(end, type);
            assertEquals(0, read.indexId());
            assertEquals(0, read.count());
            assertEquals(Long.MAX_VALUE, read.minKey());
            assertEquals(Long.MIN_VALUE, read.maxKey());
            assertEquals(IndexSummary.NO_BINS, read.binsAddress());
        }
    }

    @Test
    void shouldFindAFieldThatIsLongerThanItsValue() {
        summary.clear(3);
        summary.setRange(5, 700, 90_000);
        summary.keySum().add(0, 200_000);
        summary.binsAddress(4096);
        int end = write(ValueType.I64);
        int written = IndexSummaryCodec.lengths(buffer, OFFSET, end);
        IndexSummaryCodec.checkForm(buffer, OFFSET, end, written);
        byte[] form = new byte[end - OFFSET];
        buffer.getBytes(OFFSET, form);
        int[] shifts = {0, 2, 5, 9, 13, 18, 22};
        int field = 3;
        for (int i = 0; i + 1 < shifts.length; i++) {
            field += (written >>> shifts[i] & (1 << (shifts[i + 1] - shifts[i])) - 1) + (i == 0 ? 1 : 0);
            int longer = written + (1 << shifts[i]);
            UnsafeBuffer changed = new UnsafeBuffer(new byte[form.length + 9]);
            changed.putBytes(0, form, 0, field);
            changed.putBytes(field + 1, form, field, form.length - field);
            changed.putByte(0, (byte) longer);
            changed.putByte(1, (byte) (longer >>> 8));
            changed.putByte(2, (byte) (longer >>> 16));
            assertEquals(longer, IndexSummaryCodec.lengths(changed, 0, form.length + 1));
            IndexSummaryCodec.read(changed, 0, form.length + 1, longer, ValueType.I64, 0, read);
            assertEquals(summary.count(), read.count(), "the value is the same");
            assertThrows(
                    CorruptStoreException.class,
                    () -> IndexSummaryCodec.checkForm(changed, 0, form.length + 1, longer),
                    "field=" + i);
        }
    }

    /** Each length alone, one above what its field may have. */
    @Test
    void shouldRefuseLengthsThatNoFieldHas() {
        int[] tooLong = {5 << 2, 9 << 5, 9 << 9, 17 << 13, 9 << 18, 1 << 22, 1 << 23};
        for (int lengths : tooLong) {
            for (int i = 0; i < 3; i++) {
                buffer.putByte(OFFSET + i, (byte) (lengths >>> (i * 8)));
            }
            CorruptStoreException e = assertThrows(
                    CorruptStoreException.class, () -> IndexSummaryCodec.lengths(buffer, OFFSET, buffer.capacity()));
            assertTrue(String.valueOf(e.getMessage()).contains("reason=length"), e::getMessage);
        }
    }

    @Test
    void shouldRefuseRangesOutsideTheType() {
        summary.clear(1);
        summary.setRange(2, 5, 4);
        assertMalformed(write(ValueType.I64), ValueType.I64);
        summary.setRange(2, Long.MIN_VALUE, 4); // below every double's key
        assertMalformed(write(ValueType.I64), ValueType.F64);
    }

    private void assertMalformed(int end, ValueType type) {
        CorruptStoreException e = assertThrows(CorruptStoreException.class, () -> read(end, type));
        assertTrue(String.valueOf(e.getMessage()).contains("reason=range"), e::getMessage);
    }
}
