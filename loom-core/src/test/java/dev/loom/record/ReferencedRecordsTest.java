package dev.loom.record;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.log.PageDescriptor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** That a reference leads to the record at its address, if there is one, and to nothing else. */
final class ReferencedRecordsTest {
    private static final int PAGE = PageDescriptor.PAGE_LENGTH;
    private static final String FIRST = "format of source 1";
    private static final String SECOND = "format of source 2";

    @TempDir
    Path directory;

    private RecordLogFixture store;
    private ReferencedRecords lookup;
    private final List<Integer> formatsAsked = new ArrayList<>();

    @BeforeEach
    void open() {
        store = new RecordLogFixture(directory, 3);
        lookup = new ReferencedRecords(
                store.records.view(), () -> store.records.watermarks().tailAcquire(), this::format);
    }

    @AfterEach
    void close() {
        lookup.close();
        store.close();
    }

    private String format(int source) {
        formatsAsked.add(source);
        return source == 1 ? FIRST : source == 2 ? SECOND : null;
    }

    private static byte[] payload(int length, int seed) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (seed + 31 * i);
        }
        return bytes;
    }

    private long push(int source, byte[] payload) {
        long address = store.log.push(source, payload);
        assertTrue(address >= 0);
        return address;
    }

    private long tail() {
        return store.records.watermarks().tailAcquire();
    }

    private void assertFinds(long address, String format, byte[] payload) {
        assertTrue(lookup.find(address, format), "address=" + address);
        byte[] found = new byte[lookup.length()];
        lookup.buffer().getBytes(lookup.offset(), found);
        assertArrayEquals(payload, found, "address=" + address);
    }

    @Test
    void shouldFindEachRecordAgain() {
        List<Long> addresses = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            addresses.add(push(1 + i % 2, payload(i * 37 % 1500, i)));
        }
        lookup.from(tail());
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < 100; i++) {
                assertFinds(addresses.get(i), i % 2 == 0 ? FIRST : SECOND, payload(i * 37 % 1500, i));
            }
        }
        assertEquals(0, lookup.failures());
        assertEquals(0, lookup.pagesDamaged());
    }

    @Test
    void shouldReadARecordOnce() {
        long address = push(1, payload(100, 1));
        lookup.from(tail());
        assertEquals(0, lookup.bytesRead());
        assertFinds(address, FIRST, payload(100, 1));
        long read = lookup.bytesRead();
        assertTrue(read > 0);
        push(1, payload(100, 2));
        assertFinds(address, FIRST, payload(100, 1));
        assertEquals(read, lookup.bytesRead());
        assertEquals(List.of(1), formatsAsked);
    }

    @Test
    void shouldFindRecordsPushedSince() {
        lookup.from(1 << 20);
        long first = push(1, payload(10, 1));
        assertFinds(first, FIRST, payload(10, 1));
        long second = push(1, payload(20, 2));
        assertFinds(second, FIRST, payload(20, 2));
    }

    @Test
    void shouldFindOnlyRecordsOfTheFormat() {
        long first = push(1, new byte[8]);
        long third = push(3, new byte[8]);
        lookup.from(tail());
        assertFalse(lookup.find(first, SECOND));
        assertTrue(lookup.find(first, FIRST));
        assertFalse(lookup.find(third, FIRST), "its source has no format");
        assertTrue(lookup.find(first, FIRST));
        assertEquals(0, lookup.failures());
    }

    @Test
    void shouldFindNothingWhereNoRecordBegins() {
        long first = push(1, payload(24, 1));
        long second = push(1, payload(24, 2));
        lookup.from(tail() + PAGE);
        for (long address :
                new long[] {-8, -1, 0, 8, first + 1, first + 8, first + 16, second - 8, second + 8, tail(), tail() + 8
                }) {
            assertFalse(lookup.find(address, FIRST), "address=" + address);
            assertFalse(lookup.find(address, FIRST), "address=" + address);
        }
        assertEquals(0, lookup.failures());
        assertFinds(second, FIRST, payload(24, 2));
    }

    @Test
    void shouldFindNothingOfLoomsOwn() {
        store.log.pushOwn(OwnRecord.ANCHOR, 0, 0, 1, 2, 3);
        lookup.from(tail());
        assertFalse(lookup.find(PageDescriptor.HEADER_LENGTH, FIRST));
        assertEquals(List.of(), formatsAsked);
    }

    @Test
    void shouldFindOnlyWhatWasBeforeTheRecord() {
        long first = push(1, new byte[8]);
        long second = push(1, new byte[8]);
        lookup.from(second);
        assertTrue(lookup.find(first, FIRST));
        assertFalse(lookup.find(second, FIRST));
        lookup.from(second + 1);
        assertTrue(lookup.find(second, FIRST));
    }

    @Test
    void shouldFindNothingInAnotherSegment() {
        long first = push(1, new byte[8]);
        long segment = store.records.segments().segmentLength();
        lookup.from(segment);
        assertFalse(lookup.find(first, FIRST));
        lookup.from(segment - 1);
        assertTrue(lookup.find(first, FIRST));
    }

    @Test
    void shouldFindJumboRecords() {
        byte[] jumbo = payload(100_000, 1);
        long first = push(1, payload(100, 0));
        long second = push(2, jumbo);
        long third = push(1, payload(7, 2));
        lookup.from(tail());
        assertFinds(second, SECOND, jumbo);
        assertFinds(first, FIRST, payload(100, 0));
        assertFinds(third, FIRST, payload(7, 2));
        assertFinds(second, SECOND, jumbo);
        assertFalse(lookup.find(second + PAGE - second % PAGE + PageDescriptor.HEADER_LENGTH, SECOND), "a fragment");
        assertEquals(0, lookup.failures());
    }

    /** Puts the record log out of the ring, into its file. */
    private Path evictAll() {
        store.log.seal();
        store.evict();
        for (long begin = tail(); tail() < begin + 2 * RecordLogFixture.RING; ) {
            push(3, new byte[10_000]);
            store.evict();
        }
        return store.records.segments().file(0);
    }

    private static void damage(Path file, long offset) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            byte[] bytes = new byte[8];
            Arrays.fill(bytes, (byte) 0x55);
            channel.write(ByteBuffer.wrap(bytes), offset);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void shouldCountEachLookupOnADamagedPageAsAFailure() {
        long first = push(1, payload(100, 1));
        Path file = evictAll();
        damage(file, first + 50);
        lookup.from(tail());
        assertFalse(lookup.find(first, FIRST));
        assertEquals(1, lookup.failures());
        assertEquals(1, lookup.pagesDamaged());
        assertFalse(lookup.find(first, FIRST));
        assertEquals(2, lookup.failures());
        assertEquals(1, lookup.pagesDamaged(), "met once");
        assertEquals(0, lookup.length());
    }

    @Test
    void shouldCountALookupOfADamagedJumboAsAFailure() {
        byte[] jumbo = payload(100_000, 1);
        long first = push(1, payload(10, 1));
        long second = push(1, jumbo);
        Path file = evictAll();
        damage(file, second + 80_000);
        lookup.from(tail());
        assertFalse(lookup.find(second, FIRST));
        assertEquals(1, lookup.failures());
        assertEquals(0, lookup.pagesDamaged(), "its first page is whole");
        assertFinds(first, FIRST, payload(10, 1));
        assertEquals(1, lookup.failures());
    }

    @Test
    void shouldCountALookupAsAFailureWhenTheFileIsGone() throws IOException {
        long first = push(1, payload(10, 1));
        Files.delete(evictAll());
        lookup.from(tail());
        assertFalse(lookup.find(first, FIRST));
        assertEquals(1, lookup.failures());
    }

    @Test
    void shouldFindNothingWhenClosed() {
        long first = push(1, payload(10, 1));
        lookup.from(tail());
        assertTrue(lookup.find(first, FIRST));
        lookup.close();
        assertFalse(lookup.find(first, FIRST));
        assertEquals(0, lookup.buffer().capacity());
    }
}
