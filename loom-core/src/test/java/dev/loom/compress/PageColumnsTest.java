package dev.loom.compress;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.format.Formats;
import dev.loom.log.PageDescriptor;
import dev.loom.log.PageForm;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** Columns of random pages, and whatever else might be taken for columns. */
final class PageColumnsTest {
    private static final long SEED = Long.getLong("loom.test.seed", System.nanoTime());
    private static final int PAGE = PageDescriptor.PAGE_LENGTH;
    private static final int HEADER = 64;
    private static final int USED_OFFSET = 32;
    private static final String[] FORMATS = {
        "text",
        "struct:a:i64,b:u16,c:utf8?,d:f64?",
        "timed:struct:on:bool,n:i8,m:i16,k:i32",
        "timed:json",
        "bytes",
        "struct:only:utf8"
    };

    private final Random random = new Random(SEED);
    private final byte[][] columns = new byte[FORMATS.length][];

    PageColumnsTest() {
        System.out.println("PageColumnsTest -Dloom.test.seed=" + SEED);
        for (int i = 0; i < FORMATS.length; i++) {
            columns[i] = ColumnLayout.columns(Formats.parse(FORMATS[i]));
        }
    }

    private byte[] columnsOf(int sourceId) {
        return columns[sourceId % columns.length];
    }

    /** A page of records as a writer leaves them: some random, some regular, some that no writer makes. */
    private byte[] page() {
        ByteBuffer page = ByteBuffer.allocate(PAGE).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < HEADER; i++) {
            page.put(i, (byte) random.nextInt());
        }
        int sources = 1 + random.nextInt(random.nextBoolean() ? 3 : 300);
        int lengthMax = 1 + random.nextInt(random.nextInt(10) == 0 ? 40_000 : 100);
        boolean odd = random.nextInt(8) == 0;
        int[] last = new int[1 << 16];
        int at = HEADER;
        long time = random.nextInt(1_000_000);
        long value = random.nextLong();
        int end = random.nextInt(20) == 0 ? HEADER + random.nextInt(PAGE - HEADER) : PAGE;
        for (int length = random.nextInt(lengthMax); aligned(at, length) <= end; length = random.nextInt(lengthMax)) {
            int id = odd ? random.nextInt(1 << 16) : (random.nextInt(sources) * 211) & 0xffff;
            long back = odd ? Integer.toUnsignedLong(random.nextInt()) : last[id] == 0 ? 0 : (at - last[id]) / 8;
            long type = odd ? random.nextInt(256) : 1;
            page.putLong(at, length | type << 24 | back << 32);
            page.putLong(at + 8, id | time << 16);
            value += random.nextInt(1_000) - 100;
            for (int i = 0; i < length; i++) {
                page.put(
                        at + 16 + i,
                        random.nextInt(4) == 0 ? (byte) random.nextInt() : (byte) (value >>> (8 * (i % 8))));
            }
            last[id] = at;
            at = aligned(at, length);
            time = odd ? random.nextLong() >>> 16 : time + random.nextInt(100_000);
        }
        page.putInt(USED_OFFSET, at);
        return page.array();
    }

    private static int aligned(int at, int length) {
        return at + 16 + ((length + 7) & -8);
    }

    @Test
    void shouldGiveBackEachPage() {
        ColumnEncoder encoder = new ColumnEncoder(this::columnsOf);
        ColumnDecoder decoder = new ColumnDecoder();
        byte[] decoded = new byte[PAGE];
        int divided = 0;
        for (int i = 0; i < 3_000; i++) {
            byte[] page = page();
            int length = encoder.encode(new UnsafeBuffer(page));
            if (length >= 0) {
                divided++;
                random.nextBytes(decoded);
                assertTrue(decoder.decode(encoder.columns(), length, decoded), "page " + i);
                assertArrayEquals(page, decoded, "page " + i);
            }
        }
        assertTrue(divided > 2_000, "divided pages=" + divided);
    }

    @Test
    void shouldGiveBackEachPageFromItsStoredForm() {
        PageEncoder encoder = new PageEncoder(this::columnsOf);
        Lz4PageDecoder decoder = new Lz4PageDecoder();
        UnsafeBuffer decoded = new UnsafeBuffer(new byte[3 * PAGE]);
        int[] forms = new int[PageForm.values().length];
        for (int i = 0; i < 600; i++) {
            byte[] page = i % 50 == 0 ? noise() : page();
            PageForm form = encoder.encode(new UnsafeBuffer(page));
            forms[form.code()]++;
            if (form != PageForm.PLAIN) {
                int length = encoder.stored().remaining();
                assertTrue(length < PAGE, "stored bytes=" + length);
                assertTrue(decoder.decode(form, encoder.stored(), decoded, PAGE), "page " + i);
                byte[] back = new byte[PAGE];
                decoded.getBytes(PAGE, back);
                assertArrayEquals(page, back, "page " + i);
            }
        }
        assertTrue(forms[PageForm.COLUMNS.code()] > 100, "pages in columns=" + forms[PageForm.COLUMNS.code()]);
        assertEquals(0, decoded.getByte(PAGE - 1));
        assertEquals(0, decoded.getByte(2 * PAGE));
    }

    private byte[] noise() {
        byte[] page = new byte[PAGE];
        random.nextBytes(page);
        return page;
    }

    /** A page whose records fill it but can't be divided is stored as a page. */
    @Test
    void shouldStoreAsAPageWhatHasNoRecords() {
        PageEncoder encoder = new PageEncoder(this::columnsOf);
        byte[] page = new byte[PAGE];
        page[USED_OFFSET] = 70; // a record's header would go on behind
        assertEquals(PageForm.LZ4, encoder.encode(new UnsafeBuffer(page)));
        UnsafeBuffer decoded = new UnsafeBuffer(new byte[PAGE]);
        assertTrue(new Lz4PageDecoder().decode(PageForm.LZ4, encoder.stored(), decoded, 0));
        assertArrayEquals(page, decoded.byteArray());
        assertEquals(PageForm.PLAIN, encoder.encode(new UnsafeBuffer(noise())));
    }

    /** Wrong columns decode to a wrong page, or to none, but neither throw nor touch what lies beside the page. */
    @Test
    void shouldSurviveWrongColumns() {
        ColumnEncoder encoder = new ColumnEncoder(this::columnsOf);
        ColumnDecoder decoder = new ColumnDecoder();
        byte[] decoded = new byte[PAGE];
        int refused = 0;
        for (int i = 0; i < 5_000; i++) {
            int length = i % 100 == 0 ? encoder.encode(new UnsafeBuffer(page())) : ColumnEncoder.LENGTH_MAX;
            byte[] wrong = encoder.columns().clone();
            for (int k = random.nextInt(4); k >= 0; k--) {
                int near = random.nextBoolean() ? 200 : wrong.length;
                wrong[random.nextInt(near)] = (byte) random.nextInt();
            }
            refused += decoder.decode(wrong, random.nextBoolean() ? length : random.nextInt(PAGE), decoded) ? 0 : 1;
        }
        assertTrue(refused > 2_500, "refused=" + refused);
        assertFalse(decoder.decode(new byte[PAGE], 0, decoded));
    }

    @Test
    void shouldSurviveWrongStoredForms() {
        PageEncoder encoder = new PageEncoder(this::columnsOf);
        Lz4PageDecoder decoder = new Lz4PageDecoder();
        UnsafeBuffer decoded = new UnsafeBuffer(new byte[PAGE]);
        byte[] stored = {};
        for (int i = 0; i < 5_000; i++) {
            if (i % 100 == 0) {
                byte[] page = page();
                encoder.encode(new UnsafeBuffer(page));
                stored = new byte[encoder.stored().remaining()];
                encoder.stored().duplicate().get(stored);
            }
            ByteBuffer wrong = ByteBuffer.allocateDirect(Math.max(PAGE, stored.length));
            wrong.put(stored).flip();
            for (int k = random.nextInt(4); k >= 0; k--) {
                wrong.put(random.nextInt(stored.length), (byte) random.nextInt());
            }
            wrong.limit(random.nextBoolean() ? stored.length : random.nextInt(stored.length + 1));
            decoder.decode(random.nextBoolean() ? PageForm.LZ4 : PageForm.COLUMNS, wrong, decoded, 0);
        }
    }

    /** The columns are what a payload's fixed fields are, whatever stands between them. */
    @Test
    void shouldCutPayloadsWhereTheirFieldsAre() {
        assertArrayEquals(new byte[] {}, ColumnLayout.columns(Formats.text()));
        assertArrayEquals(new byte[] {8}, ColumnLayout.columns(Formats.parse("timed:json")));
        assertArrayEquals(
                new byte[] {1, 8, 2, 1}, ColumnLayout.columns(Formats.parse("struct:a:i64?,t:utf8,b:u16,c:bool")));
        assertArrayEquals(
                new byte[] {8, 1, 1, 4},
                ColumnLayout.columns(Formats.parse(
                        "timed:struct:a:f32?,b:utf8?,c:utf8?,d:utf8?,e:utf8?,f:utf8?,g:utf8?,h:utf8?,i:utf8?")));
    }
}
