package dev.loom.format;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HexFormat;
import java.util.List;
import java.util.stream.IntStream;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class StructLayoutTest {
    private static final String EVERY_TYPE =
            "a:i8,b:utf8,c:i16,d:i32?,e:i64,f:u8,g:bytes?,h:u16,i:u32,j:u64,k:f32,l:f64,m:bool,n:utf8?,o:u8?";

    @Test
    void shouldPutEveryFieldAtItsOffset() {
        StructFormat format = Formats.struct(EVERY_TYPE);
        StructLayout layout = format.layout();
        assertEquals(1, layout.presenceLength());
        int[] offsets = new int[format.fields().size()];
        for (int i = 0; i < offsets.length; i++) {
            boolean variable = format.fields().get(i).type().isVariableLength();
            offsets[i] = variable ? layout.variableOrdinal(i) : layout.fixedOffset(i);
        }
        //                            a  b  c  d  e   f  g   h   i   j   k   l   m  n   o
        assertArrayEquals(new int[] {1, 0, 2, 4, 8, 16, 1, 17, 19, 23, 31, 35, 43, 2, 44}, offsets);
        assertEquals(45, layout.variableOffset());
        assertEquals(3, layout.variableCount());
        assertEquals(0, layout.presenceBit(3));
        assertEquals(1, layout.presenceBit(6));
        assertEquals(2, layout.presenceBit(13));
        assertEquals(3, layout.presenceBit(14));
        assertEquals(-1, layout.presenceBit(0));
    }

    @Test
    void shouldWriteTheseBytes() {
        StructFormat format = Formats.struct(EVERY_TYPE);
        StructWriter writer = new StructWriter(format);
        ExpandableArrayBuffer buffer = new ExpandableArrayBuffer(1);
        writer.begin(buffer, 0);
        writer.setLong(0, -2);
        writer.setUtf8(1, "é");
        writer.setLong(2, 0x0102);
        writer.setLong(4, 0x0102030405060708L);
        writer.setLong(5, 255);
        writer.setLong(7, 0xFFFE);
        writer.setLong(8, 0xFFFFFFFDL);
        writer.setUnsigned(9, -4);
        writer.setDouble(10, 1.0);
        writer.setDouble(11, -2.0);
        writer.setBoolean(12, true);
        writer.setUtf8(13, "x".repeat(130));
        writer.setLong(14, 7);
        int length = writer.finish();
        String expected = "0c" // the third and fourth optional field are present
                + "fe" + "0201" + "00000000" + "0807060504030201" + "ff" + "feff" + "fdffffff" + "fcffffffffffffff"
                + "0000803f" + "00000000000000c0" + "01" + "07"
                + "02c3a9" + "00" + "8201" + "78".repeat(130);
        byte[] actual = new byte[length];
        buffer.getBytes(0, actual);
        assertEquals(expected, HexFormat.of().formatHex(actual));
    }

    @Test
    void shouldWriteTheExampleOfTheDocumentation() {
        StructWriter writer = new StructWriter(Formats.struct("n:u16,op:utf8?,ms:f32?"));
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[11]);
        writer.begin(buffer, 0);
        writer.setLong(0, 258);
        writer.setUtf8(1, "GET");
        assertEquals(11, writer.finish());
        assertEquals("01" + "0201" + "00000000" + "03474554", HexFormat.of().formatHex(buffer.byteArray()));
    }

    @Test
    void shouldTakeOneBitmapByteForEightOptionalFields() {
        for (int count : new int[] {0, 1, 7, 8, 9, 16, 17, 1024}) {
            List<Field> fields = IntStream.range(0, Math.max(1, count))
                    .mapToObj(i -> new Field("f" + i, Field.Type.U8, i < count))
                    .toList();
            StructLayout layout = new StructLayout(fields);
            assertEquals((count + 7) / 8, layout.presenceLength());
            assertEquals((count + 7) / 8, layout.fixedOffset(0));
            assertEquals((count + 7) / 8 + fields.size(), layout.variableOffset());
        }
        assertEquals(0, StructLayout.presenceOffset(7));
        assertEquals(1, StructLayout.presenceOffset(8));
        assertEquals(0x80, StructLayout.presenceMask(7));
        assertEquals(0x01, StructLayout.presenceMask(8));
    }

    @Test
    void shouldReadBackLengthsAtEveryEdge() {
        for (int bits = 0; bits < 31; bits++) {
            for (int length : new int[] {(1 << bits) - 1, 1 << bits, (1 << bits) + 1, Integer.MAX_VALUE}) {
                int lengthBytes = StructLayout.lengthBytes(length);
                assertEquals(
                        length < 1 << 7 ? 1 : length < 1 << 14 ? 2 : length < 1 << 21 ? 3 : length < 1 << 28 ? 4 : 5,
                        lengthBytes);
                UnsafeBuffer buffer = new UnsafeBuffer(new byte[8]);
                for (int i = 0; i < lengthBytes; i++) {
                    buffer.putByte(2 + i, StructLayout.lengthByte(length, i));
                }
                assertEquals((long) (2 + lengthBytes) << 32 | length, StructLayout.readLength(buffer, 2, 8));
                assertEquals(-1, StructLayout.readLength(buffer, 2, 2 + lengthBytes - 1));
                assertEquals(-1, StructLayout.readLength(buffer, 2, 2));
            }
        }
    }

    @Test
    void shouldRefuseLengthWhenTooLongOrLargeOrNotShortest() {
        assertEquals(5L << 32 | Integer.MAX_VALUE, readLength("ffffffff07"));
        assertEquals(-1, readLength("ffffffff08")); // 2^31
        assertEquals(-1, readLength("ffffffff0f"));
        assertEquals(-1, readLength("ffffffff7f"));
        assertEquals(-1, readLength("ffffffffff01"));
        assertEquals(-1, readLength("8000"));
        assertEquals(-1, readLength("ff8000"));
        assertEquals(1L << 32, readLength("00"));
    }

    private static long readLength(String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex);
        return StructLayout.readLength(new UnsafeBuffer(bytes), 0, bytes.length);
    }
}
