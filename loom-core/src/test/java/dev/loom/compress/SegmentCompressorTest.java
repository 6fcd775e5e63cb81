package dev.loom.compress;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.HookedStorage;
import dev.loom.format.Formats;
import dev.loom.io.LoomFile;
import dev.loom.io.Storage;
import dev.loom.log.CompressedSegment;
import dev.loom.log.CompressedSegmentCheck;
import dev.loom.log.HybridLog;
import dev.loom.log.LogKind;
import dev.loom.log.LogView;
import dev.loom.log.PageDescriptor;
import dev.loom.log.PageReader;
import dev.loom.log.PageState;
import dev.loom.log.Segments;
import dev.loom.log.UnsharedLog;
import dev.loom.log.Watermarks;
import dev.loom.record.RecordDescriptor;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A compressed copy of one segment: its bytes, what is read from it, and what is said of a damaged one. */
final class SegmentCompressorTest {
    private static final int PAGE = PageDescriptor.PAGE_LENGTH;
    private static final int PAGES = 8;
    private static final long SEGMENT = PAGES * PAGE;
    private static final long STORE_ID = 0x0102_0304_0506_0708L;

    /** The second segment of its log, so that no address is an offset. */
    private static final long FIRST = SEGMENT;

    /** Of headers and directory, as in docs/format.md. */
    private static final int HEADER = 64;

    private static final int SECOND_HEADER = HEADER + PAGES * 8;
    private static final int BEGIN = SECOND_HEADER + HEADER;
    private static final int CRC_IN_PAGE = 36;

    private final Random random = new Random(12);

    @TempDir
    Path folder;

    private Segments segments() {
        return new Segments(folder, SEGMENT, CompressionLibrary::decoder);
    }

    private Path segment() {
        return segments().file(FIRST);
    }

    private Path copy() {
        return segments().temporary(FIRST, 0x1f);
    }

    private LogView view() {
        return new LogView(
                LogKind.RECORD, STORE_ID, Storage.DISK, segments(), Watermarks.fixed(FIRST, FIRST + SEGMENT), null);
    }

    /** Writes the segment. Its pages hold text, except those of noise, which do not get smaller. */
    private void writeSegment(Integer... noisy) {
        try (UnsharedLog unshared =
                new UnsharedLog(LogKind.RECORD, STORE_ID, 1, Storage.DISK, segments(), FIRST, 2 * PAGE)) {
            HybridLog log = unshared.log();
            for (int page = 0; page < PAGES; page++) {
                unshared.evict();
                log.beginPage(1_000 + page, FIRST, false);
                if (Arrays.asList(noisy).contains(page)) {
                    putRecord(log, noise(RecordDescriptor.PAYLOAD_LENGTH_MAX));
                } else {
                    for (int length = 0; length < 100 + page; length++) {
                        putRecord(log, text(length));
                    }
                }
                log.sealPage(2_000 + page);
                log.publish();
            }
            unshared.sync();
        }
    }

    /** What pads the record is left over from older ones. */
    private void putRecord(HybridLog log, byte[] payload) {
        int aligned = RecordDescriptor.alignedLength(payload.length);
        log.ring().putBytes(log.offset(), noise(aligned));
        log.ring().putLong(log.offset(), payload.length | (long) RecordDescriptor.WHOLE << RecordDescriptor.TYPE_SHIFT);
        log.ring().putLong(log.offset() + RecordDescriptor.WORD1_OFFSET, RecordDescriptor.word1(1, 5));
        log.ring().putBytes(log.offset() + RecordDescriptor.HEADER_LENGTH, payload);
        log.advance(aligned);
    }

    private static byte[] text(int length) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) 'x');
        return bytes;
    }

    private byte[] noise(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private long compress(Storage storage) {
        try (SegmentCompressor compressor =
                new SegmentCompressor(storage, segments(), STORE_ID, id -> id == 1 ? Formats.text() : null)) {
            return compressor.compress(FIRST, copy(), bytes -> {});
        }
    }

    /** Writes the segment with two pages of noise, and puts its compressed copy in its place. */
    private byte[] writeCompressed() throws IOException {
        writeSegment(2, 5);
        assertEquals(Files.size(segment()), SEGMENT);
        assertNotEquals(SegmentCompressor.NOTHING, compress(Storage.DISK));
        Files.move(copy(), segment(), StandardCopyOption.REPLACE_EXISTING);
        return Files.readAllBytes(segment());
    }

    /** The pages that can't be read, of those from the first to the last, or backwards. */
    private List<Integer> lost() {
        List<Integer> lost = new ArrayList<>();
        try (PageReader reader = new PageReader(view())) {
            for (int i = 0; i < PAGES; i++) {
                if (reader.read(FIRST + (long) i * PAGE, Long.MAX_VALUE) != PageState.PRESENT) {
                    lost.add(i);
                }
            }
            for (int i = PAGES - 1; i >= 0; i--) {
                boolean read = reader.read(FIRST + (long) i * PAGE, Long.MAX_VALUE) == PageState.PRESENT;
                assertEquals(!read, lost.contains(i), "page=" + i);
            }
        }
        return lost;
    }

    /** What a check says, as offset and beginning of the message. */
    private List<String> problems() {
        List<String> problems = new ArrayList<>();
        try (LoomFile file = Storage.DISK.openToRead(segment())) {
            CompressedSegmentCheck.check(
                    view(),
                    file,
                    FIRST,
                    (offset, part, message) -> problems.add(offset + " " + message.split(":", 2)[0]));
        }
        return problems;
    }

    private boolean isCompressed() {
        try (LoomFile file = Storage.DISK.openToRead(segment())) {
            return CompressedSegmentCheck.isCompressed(view(), file, FIRST);
        }
    }

    private static ByteBuffer wrap(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static long entry(long offset, long length, long form) {
        return offset | length << 40 | form << 60;
    }

    /** Puts an entry into the file, and afterwards back what was there. */
    private void withEntry(byte[] whole, int page, long entry, Runnable check) throws IOException {
        byte[] changed = whole.clone();
        wrap(changed).putLong(HEADER + 8 * page, entry);
        Files.write(segment(), changed);
        check.run();
        Files.write(segment(), whole);
    }

    @Test
    void shouldGiveBackEveryPageWithNothingInItsPadding() throws IOException {
        writeSegment(2, 5);
        byte[] plain = Files.readAllBytes(segment());
        long length = compress(Storage.DISK);
        assertEquals(length, Files.size(copy()));
        assertTrue(length < 3 * PAGE, "bytes=" + length);
        Files.move(copy(), segment(), StandardCopyOption.REPLACE_EXISTING);
        try (PageReader reader = new PageReader(view())) {
            for (int page = 0; page < PAGES; page++) {
                assertSame(PageState.PRESENT, reader.read(FIRST + (long) page * PAGE, Long.MAX_VALUE));
                byte[] expected = Arrays.copyOfRange(plain, page * PAGE, (page + 1) * PAGE);
                for (int size = 0, at = 64; page != 2 && page != 5 && size < 100 + page; size++) {
                    Arrays.fill(expected, at + 16 + size, at + 16 + (size + 7) / 8 * 8, (byte) 0);
                    at += 16 + (size + 7) / 8 * 8;
                }
                byte[] found = new byte[PAGE];
                reader.buffer().getBytes(reader.pageOffset(), found);
                System.arraycopy(found, CRC_IN_PAGE, expected, CRC_IN_PAGE, 4); // the reader has checked it
                assertArrayEquals(expected, found, "page=" + page);
            }
        }
        assertEquals(List.of(), lost());
    }

    /** Its checksum is right, so it is no damage that a reader would see. */
    @Test
    void shouldGiveBackAPageWhoseLastRecordReachesBeyondItsEnd() throws IOException {
        try (UnsharedLog unshared =
                new UnsharedLog(LogKind.RECORD, STORE_ID, 1, Storage.DISK, segments(), FIRST, 16 * PAGE)) {
            HybridLog log = unshared.log();
            for (int page = 0; page < PAGES; page++) {
                log.beginPage(1_000, FIRST, false);
                putRecord(log, text(100));
                putRecord(log, text(page));
                log.ring().putLong(log.offset() - 24, PAGE - 200 + page, ByteOrder.LITTLE_ENDIAN);
                log.sealPage(2_000);
                log.publish();
            }
            unshared.sync();
        }
        assertNotEquals(SegmentCompressor.NOTHING, compress(Storage.DISK));
        Files.move(copy(), segment(), StandardCopyOption.REPLACE_EXISTING);
        assertEquals(List.of(), lost());
    }

    @Test
    void shouldLayOutTheFileAsInThePicture() throws IOException {
        byte[] bytes = writeCompressed();
        ByteBuffer file = wrap(bytes);
        assertArrayEquals(
                Arrays.copyOf(bytes, HEADER), Arrays.copyOfRange(bytes, SECOND_HEADER, SECOND_HEADER + HEADER));
        assertEquals("LoomLZ4S", new String(bytes, 0, 8, StandardCharsets.US_ASCII));
        assertEquals(1, bytes[8]);
        assertEquals(LogKind.RECORD.code(), bytes[10]);
        assertEquals(PAGES, file.getInt(12));
        assertEquals(STORE_ID, file.getLong(16));
        assertEquals(FIRST, file.getLong(24));
        assertEquals(bytes.length, file.getLong(32));
        for (int i : new int[] {9, 11, 40, 44, 48, 52, 56, 59}) {
            assertEquals(0, bytes[i], "offset=" + i);
        }
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, 60);
        assertEquals((int) crc.getValue(), file.getInt(60));
        long end = BEGIN;
        for (int page = 0; page < PAGES; page++) {
            long entry = file.getLong(HEADER + 8 * page);
            long length = entry >>> 40 & 0xf_ffff;
            assertEquals(end, entry & 0xff_ffff_ffffL, "page=" + page);
            boolean noise = page == 2 || page == 5;
            assertEquals(noise ? 0 : 2, entry >>> 60, "page=" + page);
            assertEquals(noise, length == PAGE, "page=" + page);
            end += length;
        }
        assertEquals(end, bytes.length);
    }

    @Test
    void shouldBeDurableWhenItIsMade() {
        writeSegment();
        List<String> changes = new ArrayList<>();
        compress(new HookedStorage() {
            @Override
            protected void onWrite(Path file, long position, boolean direct) {
                changes.add("write");
            }

            @Override
            protected void force(LoomFile file) {
                changes.add("force");
            }
        });
        assertEquals(changes.size() - 1, changes.indexOf("force"), changes::toString);
    }

    /** A copy has to save an eighth. */
    @Test
    void shouldMakeNothingOfPagesThatHardlyGetSmaller() {
        writeSegment(0, 1, 2, 3, 4, 5, 6);
        assertEquals(SegmentCompressor.NOTHING, compress(Storage.DISK));
        writeSegment(1, 2, 3, 5, 6, 7);
        long length = compress(Storage.DISK);
        assertTrue(length > 6 * PAGE && length < SEGMENT - SEGMENT / 8, "bytes=" + length);
    }

    @Test
    void shouldMakeNothingOfAFileThatIsNoWholeSegment() throws IOException {
        writeSegment();
        byte[] plain = Files.readAllBytes(segment());
        Files.write(segment(), Arrays.copyOf(plain, plain.length - PAGE));
        assertEquals(SegmentCompressor.NOTHING, compress(Storage.DISK));
        Files.write(segment(), Arrays.copyOf(plain, plain.length + 1));
        assertEquals(SegmentCompressor.NOTHING, compress(Storage.DISK));
    }

    /** One is made for each segment; a heap that is hardly used would keep their memory for hours. */
    @Test
    void shouldLeaveNoMemoryToTheGarbageCollector() {
        writeSegment(3);
        BufferPoolMXBean direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .findFirst()
                .orElseThrow();
        compress(Storage.DISK); // threads keep a buffer each for their reads and writes
        long before = direct.getCount();
        for (int i = 0; i < 20; i++) {
            compress(Storage.DISK);
        }
        assertTrue(
                direct.getCount() <= before, () -> "direct buffers: before=" + before + ", after=" + direct.getCount());
    }

    @Test
    void shouldTellThePaceHowLongTheCopyIs() {
        writeSegment(3);
        List<Long> paces = new ArrayList<>();
        try (SegmentCompressor compressor = new SegmentCompressor(Storage.DISK, segments(), STORE_ID, id -> null)) {
            long length = compressor.compress(FIRST, copy(), paces::add);
            assertEquals(PAGES, paces.size());
            assertEquals(length, paces.get(PAGES - 1));
            assertEquals(PAGE, paces.get(3) - paces.get(2));
            assertTrue(paces.get(0) > BEGIN, paces::toString);
        }
    }

    @Test
    void shouldFindNothingWrongWithAWholeFile() throws IOException {
        byte[] whole = writeCompressed();
        assertTrue(isCompressed());
        assertEquals(List.of(), problems());
        for (int page = 0; page < PAGES; page++) {
            long offset = wrap(whole).getLong(HEADER + 8 * page) & 0xff_ffff_ffffL;
            assertEquals(
                    offset,
                    CompressedSegmentCheck.place(view(), FIRST + (long) page * PAGE)
                            .offset());
        }
    }

    @Test
    void shouldReadWithOneHeaderAndNameTheOther() throws IOException {
        byte[] whole = writeCompressed();
        for (int header : new int[] {0, SECOND_HEADER}) {
            for (int at = 0; at < HEADER; at++) {
                byte[] changed = whole.clone();
                changed[header + at] ^= 1;
                Files.write(segment(), changed);
                assertEquals(List.of(header + " header of a compressed segment is invalid"), problems());
                assertEquals(List.of(), lost());
            }
        }
        byte[] changed = whole.clone();
        changed[0] ^= 1;
        changed[SECOND_HEADER] ^= 1;
        Files.write(segment(), changed);
        assertFalse(isCompressed());
        assertEquals(PAGES, lost().size());
    }

    /** Headers that are whole, but of something else. */
    @Test
    void shouldNotTakeAnotherFileForTheSegment() throws IOException {
        byte[] whole = writeCompressed();
        for (int other = 0; other < 5; other++) {
            ByteBuffer header = ByteBuffer.allocate(HEADER);
            CompressedSegment.putHeader(
                    header,
                    other == 1 ? LogKind.TIME : LogKind.RECORD,
                    other == 2 ? STORE_ID + 1 : STORE_ID,
                    other == 3 ? 0 : FIRST,
                    other == 4 ? PAGES - 1 : PAGES,
                    whole.length);
            byte[] changed = whole.clone();
            System.arraycopy(header.array(), 0, changed, 0, HEADER);
            System.arraycopy(header.array(), 0, changed, SECOND_HEADER, HEADER);
            Files.write(segment(), changed);
            assertEquals(other == 0, isCompressed(), "other=" + other);
            assertEquals(other == 0 ? 0 : PAGES, lost().size(), "other=" + other);
        }
    }

    /** A payload may hold what would be a second header, even in a segment whose first page is damaged. */
    @Test
    void shouldNotTakeAPayloadForAHeader() throws IOException {
        writeSegment();
        ByteBuffer header = ByteBuffer.allocate(HEADER);
        CompressedSegment.putHeader(header, LogKind.RECORD, STORE_ID, FIRST, PAGES, SEGMENT);
        byte[] plain = Files.readAllBytes(segment());
        System.arraycopy(header.array(), 0, plain, SECOND_HEADER, HEADER);
        Files.write(segment(), plain);
        assertFalse(isCompressed());
        assertEquals(List.of(0), lost());
        assertEquals(
                3 * PAGE, CompressedSegmentCheck.place(view(), FIRST + 3 * PAGE).offset());
    }

    @Test
    void shouldLoseOnePageWithItsEntry() throws IOException {
        byte[] whole = writeCompressed();
        ByteBuffer file = wrap(whole);
        int page = 2;
        int at = HEADER + 8 * page;
        long offset = file.getLong(at) & 0xff_ffff_ffffL;
        long[] wrong = {
            0,
            entry(offset, PAGE, 1),
            entry(offset, PAGE, 3),
            entry(offset, PAGE - 1, 0),
            entry(offset, PAGE + 1, 0),
            entry(offset, 0, 2),
            entry(offset + 1, PAGE, 0),
            entry(whole.length - PAGE + 1, PAGE, 0),
            entry(1L << 39, PAGE, 0)
        };
        for (long entry : wrong) {
            withEntry(whole, page, entry, () -> {
                assertEquals(List.of(page), lost(), Long.toHexString(entry));
                assertTrue(isCompressed());
                assertFalse(entry >>> 60 != 1 && problems().isEmpty(), Long.toHexString(entry));
            });
        }
        assertEquals(List.of(), lost());
    }

    @Test
    void shouldNameTheEntryThatIsWrong() throws IOException {
        byte[] whole = writeCompressed();
        ByteBuffer file = wrap(whole);
        String wrong = " entry of a compressed segment is wrong";
        int second = HEADER + 8;
        long entry = file.getLong(second);
        withEntry(
                whole,
                1,
                entry + 1,
                // the next entry begins elsewhere than this one ends
                () -> assertEquals(List.of(second + wrong, second + 8 + wrong), problems()));
        withEntry(whole, 1, entry | 3L << 60, () -> assertEquals(List.of(second + wrong), problems()));
        withEntry(whole, 1, entry + (1L << 40), () -> assertEquals(List.of(second + 8 + wrong), problems()));
        int last = HEADER + 8 * (PAGES - 1);
        withEntry(
                whole,
                PAGES - 1,
                file.getLong(last) - (1L << 40),
                () -> assertEquals(
                        List.of(whole.length - 1 + " compressed pages end elsewhere than the header says"),
                        problems()));
    }

    /** Damage is named by the entry where that leads nowhere. */
    @Test
    void shouldSayWhereADamagedPageIsInItsFile() throws IOException {
        byte[] whole = writeCompressed();
        int at = HEADER + 8;
        for (long offset : new long[] {0, BEGIN - 1, whole.length}) {
            withEntry(
                    whole,
                    1,
                    entry(offset, 100, 1),
                    () -> assertEquals(
                            at,
                            CompressedSegmentCheck.place(view(), FIRST + PAGE).offset()));
        }
        for (long offset : new long[] {BEGIN, whole.length - 1}) {
            withEntry(
                    whole,
                    1,
                    entry(offset, 100, 1),
                    () -> assertEquals(
                            offset,
                            CompressedSegmentCheck.place(view(), FIRST + PAGE).offset()));
        }
        Files.delete(segment());
        assertEquals(PAGE, CompressedSegmentCheck.place(view(), FIRST + PAGE).offset());
    }

    @Test
    void shouldSayWhereAFileEndsThatIsTooShortOrTooLong() throws IOException {
        byte[] whole = writeCompressed();
        Files.write(segment(), Arrays.copyOf(whole, whole.length - 1));
        assertEquals(List.of(whole.length - 1 + " file ends early"), problems());
        assertEquals(List.of(PAGES - 1), lost());
        Files.write(segment(), Arrays.copyOf(whole, whole.length + 1));
        assertEquals(List.of(whole.length + " bytes after the end"), problems());
        assertEquals(List.of(), lost());
        Files.write(segment(), Arrays.copyOf(whole, SECOND_HEADER));
        assertTrue(problems().contains(SECOND_HEADER + " file ends early"), () -> "" + problems());
        assertEquals(PAGES, lost().size());
    }

    @Test
    void shouldKeepADamagedPageAsItIs() throws IOException {
        writeSegment();
        byte[] plain = Files.readAllBytes(segment());
        plain[PAGE + 1_000] ^= 1;
        Files.write(segment(), plain);
        compress(Storage.DISK);
        byte[] copied = Files.readAllBytes(copy());
        long entry = wrap(copied).getLong(HEADER + 8);
        assertEquals(0, entry >>> 60);
        int offset = (int) entry;
        assertArrayEquals(Arrays.copyOfRange(plain, PAGE, 2 * PAGE), Arrays.copyOfRange(copied, offset, offset + PAGE));
        Files.move(copy(), segment(), StandardCopyOption.REPLACE_EXISTING);
        assertEquals(List.of(1), lost());
        assertEquals(List.of(), problems());
    }
}
