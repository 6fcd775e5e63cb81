package dev.loom.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.Bins;
import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.api.LossReason;
import dev.loom.api.PushStatus;
import dev.loom.api.Source;
import dev.loom.api.ValueType;
import dev.loom.format.Formats;
import dev.loom.index.ActiveIndex;
import dev.loom.index.IndexSummary;
import dev.loom.log.PageDescriptor;
import dev.loom.log.PageState;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.ToLongFunction;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the writer stores before each thing that it publishes, record by record and chunk by chunk: the test stops it at a watermark,
 * and reads the rings as they are then.
 */
final class RecordLogTest {
    private static final int PAGE = PageDescriptor.PAGE_LENGTH;

    @TempDir
    Path temp;

    private int stores;

    private static byte[] payload(int length, int seed) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (seed + 31 * i);
        }
        return bytes;
    }

    /** The records of a source below an end of the log. */
    private static List<String> read(RecordLogFixture store, int source, long tail) {
        List<String> found = new ArrayList<>();
        try (PageRecords page = new PageRecords(store.records.view(), tail, source)) {
            for (long at = 0; at < tail; at += PAGE) {
                if (page.read(at) == PageState.PRESENT) {
                    while (page.next()) {
                        found.add(describe(page));
                    }
                }
            }
        }
        return found;
    }

    private static String describe(PageRecords page) {
        byte[] bytes = new byte[page.length()];
        page.buffer().getBytes(page.offset(), bytes);
        return describe(page.sourceId(), page.address(), page.timeNs(), bytes);
    }

    private static String describe(int source, long address, long timeNs, byte[] payload) {
        return source + "@" + address + " t=" + timeNs + " " + Arrays.toString(payload);
    }

    /** Appends payloads to source 2 by some way of writing. */
    private void assertStoredBeforePublished(byte[] payload, int count, ToLongFunction<RecordLogFixture> append) {
        try (RecordLogFixture store = new RecordLogFixture(temp.resolve("store-" + stores++), 2)) {
            assertTrue(store.log.push(1, new byte[3]) >= 0);
            long before = store.records.watermarks().tailAcquire();
            long timeNs = store.clockNs;

            store.records.refuse(RecordLogFixture.TAIL_OFFSET);
            assertThrows(IndexOutOfBoundsException.class, () -> append.applyAsLong(store));
            store.records.allow();
            assertEquals(before, store.records.watermarks().tailAcquire(), "nothing is visible");

            List<String> expected = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                long address = before + (long) i * RecordDescriptor.alignedLength(payload.length);
                expected.add(describe(2, address, timeNs, payload));
            }
            assertEquals(
                    expected, read(store, 2, store.records.log().tail()), "stored when the tail was to tell of it");
        }
    }

    @Test
    void shouldHaveStoredARecordBeforeTheTailTellsOfIt() {
        for (int length : new int[] {0, 1, 8, 100, 3000}) {
            byte[] payload = payload(length, length);
            assertStoredBeforePublished(payload, 1, store -> store.log.push(2, payload));
            assertStoredBeforePublished(
                    payload, 1, store -> store.log.offer(2, new UnsafeBuffer(payload), 0, payload.length));
        }
    }

    @Test
    void shouldHaveStoredTheRecordsOfABatchBeforeTheTailTellsOfThem() {
        byte[] payload = payload(40, 5);
        UnsafeBuffer batch = new UnsafeBuffer(new byte[120]);
        for (int i = 0; i < 3; i++) {
            batch.putBytes(i * 40, payload);
        }
        int[] lengths = {40, 40, 40};
        assertStoredBeforePublished(payload, 3, store -> store.log.pushBatch(2, batch, 0, lengths, 3));
        assertStoredBeforePublished(payload, 3, store -> store.log.offerBatch(2, batch, 0, lengths, 3));
    }

    @Test
    void shouldHaveStoredTheHeaderOfAClaimBeforeTheTailTellsOfIt() {
        byte[] payload = payload(50, 9);
        assertStoredBeforePublished(payload, 1, store -> {
            store.log.claim(2, 50, true);
            store.log.claimed().buffer().putBytes(0, payload);
            return store.log.claimed().commit();
        });
    }

    @Test
    void shouldTellOfAJumboWhenItsLastFragmentIsStored() {
        try (RecordLogFixture store = new RecordLogFixture(temp, 1)) {
            byte[] bytes = payload(131_072, 1);
            List<Long> tails = new ArrayList<>();
            UnsafeBuffer payload = new UnsafeBuffer(bytes) {
                @Override
                public void boundsCheck(int index, int length) {
                    super.boundsCheck(index, length);
                    tails.add(store.records.watermarks().tailAcquire());
                }
            };
            assertEquals(PageDescriptor.HEADER_LENGTH, store.log.push(1, payload, 0, bytes.length));
            assertEquals(Collections.nCopies(4, 0L), tails, "when the argument is checked, and each fragment copied");
            long tail = store.records.watermarks().tailAcquire();
            assertEquals(store.records.log().tail(), tail);
            long address = PageDescriptor.HEADER_LENGTH;
            assertEquals(List.of(describe(1, address, RecordLogFixture.FIRST_TIME, bytes)), read(store, 1, tail));
        }
    }

    @Test
    void shouldLinkEachRecordToItsSourcesLastOneInTheChunk() {
        try (RecordLogFixture store = new RecordLogFixture(temp, 3)) {
            List<List<Long>> pushed = List.of(List.of(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
            for (int i = 0; i < 200; i++) {
                int source = 1 + i * 7 % 5 % 3;
                pushed.get(source).add(store.log.push(source, payload(i * 13 % 1500, i)));
            }
            assertTrue(store.records.log().tail() > 2 * PAGE, "chunks");
            for (int source = 1; source <= 3; source++) {
                assertChains(store, source, pushed.get(source));
            }
        }
    }

    private static void assertChains(RecordLogFixture store, int source, List<Long> addresses) {
        long tail = store.records.watermarks().tailAcquire();
        try (PageRecords page = new PageRecords(store.records.view(), tail, source)) {
            for (int i = addresses.size() - 1; i >= 0; i--) {
                long address = addresses.get(i);
                long chunkAddress = PageDescriptor.pageAddress(address);
                assertSame(PageState.PRESENT, page.read(chunkAddress));
                assertTrue(page.seek(address));
                boolean first = i == 0 || addresses.get(i - 1) < chunkAddress;
                assertEquals(first ? 0 : address - addresses.get(i - 1), page.back(), "address=" + address);
            }
        }
    }

    @Test
    void shouldListEverySourceOfAChunkInItsDirectory() {
        for (int count : new int[] {1, 2, 3, 100, 2000}) {
            try (RecordLogFixture store = new RecordLogFixture(temp.resolve("sources-" + count), count)) {
                List<long[]> last = new ArrayList<>();
                for (int chunk = 0; chunk < 3; chunk++) {
                    long[] addresses = new long[count + 1];
                    for (int id = 1; id <= count; id++) {
                        store.clockNs += 1L << 20;
                        addresses[id] = store.log.push(id, new byte[8]);
                        assertTrue(addresses[id] >= 0);
                    }
                    last.add(0, addresses);
                    store.log.seal();
                    store.evict();
                }
                // of many, some, and the last
                for (int id = 1; id <= count; id += id < 100 || id == count ? 1 : Math.min(37, count - id)) {
                    assertListed(store, id, last);
                }
            }
        }
    }

    /** @param last by chunk, newest first, the addresses of the sources' last records */
    private static void assertListed(RecordLogFixture store, int id, List<long[]> last) {
        try (DescendingChunks chunks = new DescendingChunks(store.snapshot(), id, Long.MAX_VALUE)) {
            for (long[] addresses : last) {
                assertTrue(chunks.next(), "source=" + id);
                assertTrue(chunks.listed(), "source=" + id);
                assertEquals(addresses[id], chunks.lastRecord(), "source=" + id);
                assertEquals(1, chunks.records());
                assertEquals(8, chunks.bytes());
            }
            assertFalse(chunks.next());
        }
        Source.Statistics statistics = SourceCounter.count(store.snapshot(), id, 0);
        assertEquals(last.size(), statistics.records());
    }

    /** Whose next record closes a chunk of one record, with an index; the indexes have pages open. */
    private RecordLogFixture indexed() {
        RecordLogFixture store = new RecordLogFixture(temp, 1);
        IndexFunction function = IndexFunction.field(Formats.parse("struct:v:i64"), "v");
        Index index = new Index(1, 1, "v", Index.Kind.VALUE, function, Bins.match(1), 0, false);
        store.sources.index(1, List.of(new ActiveIndex(index, null)));
        byte[] page = new byte[RecordDescriptor.PAYLOAD_LENGTH_MAX];
        assertTrue(store.log.push(1, page) >= 0);
        assertTrue(store.log.push(1, page) >= 0);
        return store;
    }

    private static void closeChunkUntil(RecordLogFixture store, RecordLogFixture.Part part, int refused) {
        part.refuse(refused);
        assertThrows(IndexOutOfBoundsException.class, () -> store.log.push(1, new byte[8]));
        part.allow();
    }

    @Test
    void shouldPublishTheEndOfAChunkBeforeItsDirectory() {
        try (RecordLogFixture store = indexed()) {
            long times = store.times.log().tail();
            long directoryAddress = store.slots.directoryAcquire(1);
            closeChunkUntil(store, store.records, RecordLogFixture.TAIL_OFFSET);
            assertEquals(times, store.times.watermarks().tailAcquire());
            assertEquals(times, store.times.watermarks().coveredAcquire());
            assertEquals(directoryAddress, store.slots.directoryAcquire(1));
        }
    }

    @Test
    void shouldPublishBinsBeforeTheDirectoryThatNamesThem() {
        try (RecordLogFixture store = indexed()) {
            long times = store.times.log().tail();
            long bins = store.chunks.log().tail();
            long directoryAddress = store.slots.directoryAcquire(1);
            closeChunkUntil(store, store.chunks, RecordLogFixture.TAIL_OFFSET);
            assertTrue(store.chunks.log().tail() > bins, "bins are written");
            assertEquals(times, store.times.watermarks().tailAcquire());
            assertEquals(directoryAddress, store.slots.directoryAcquire(1));
        }
    }

    @Test
    void shouldPublishADirectoryBeforeTheSlotsThatNameIt() {
        try (RecordLogFixture store = indexed()) {
            long times = store.times.log().tail();
            long directoryAddress = store.slots.directoryAcquire(1);
            closeChunkUntil(store, store.times, RecordLogFixture.TAIL_OFFSET);
            assertTrue(store.times.log().tail() > times, "the directory is written");
            assertEquals(directoryAddress, store.slots.directoryAcquire(1));
            assertEquals(times, store.times.watermarks().coveredAcquire());
        }
    }

    @Test
    void shouldPublishTheSlotsBeforeSnapshotsUseTheDirectory() {
        try (RecordLogFixture store = indexed()) {
            long times = store.times.log().tail();
            closeChunkUntil(store, store.times, RecordLogFixture.COVERED_OFFSET);
            assertEquals(times, store.times.watermarks().coveredAcquire());
            assertEquals(times, store.slots.directoryAcquire(1), "that of the chunk");
            assertTrue(times < store.times.watermarks().tailAcquire(), "it is published");
            SourceTotals totals = new SourceTotals();
            assertTrue(store.slots.get(1, totals));
            assertEquals(2, totals.records);
            assertEquals(2, SourceCounter.count(store.snapshot(), 1, 0).records(), "of a snapshot taken then");
        }
    }

    @Test
    void shouldWriteTheDirectoryBeforeTheEvictorGetsThePage() {
        try (RecordLogFixture store = indexed()) {
            closeChunkUntil(store, store.records, RecordLogFixture.SEALED_OFFSET);
            assertEquals(PAGE, store.records.watermarks().sealedAcquire());
            assertEquals(2 * PAGE, store.records.watermarks().tailAcquire());
            assertEquals(
                    store.times.log().tail(), store.times.watermarks().coveredAcquire(), "the directory is in use");
            try (DescendingChunks chunks = new DescendingChunks(store.snapshot(), 1, Long.MAX_VALUE)) {
                IndexSummary summary = new IndexSummary();
                for (int chunk = 1; chunk >= 0; chunk--) {
                    assertTrue(chunks.next());
                    assertEquals((long) chunk * PAGE, chunks.start());
                    assertTrue(chunks.listed() && chunks.summary(1, ValueType.I64, summary));
                }
                assertFalse(chunks.next());
            }
        }
    }

    @Test
    void shouldPublishAClaimOnce() {
        try (RecordLogFixture store = new RecordLogFixture(temp, 1)) {
            long address = store.log.claim(1, 16, true);
            RecordClaimSlot claim = store.log.claimed();
            claim.buffer().putBytes(0, payload(16, 1));
            assertEquals(address, claim.commit());
            long tail = store.records.watermarks().tailAcquire();
            assertEquals(address + RecordDescriptor.alignedLength(16), tail);
            assertThrows(IllegalStateException.class, claim::commit);
            assertThrows(IllegalStateException.class, claim::abort);
            assertEquals(tail, store.records.log().tail());
            assertEquals(tail, store.records.watermarks().tailAcquire());
            assertEquals(1, read(store, 1, tail).size());
            store.log.seal();
            assertEquals(1, SourceCounter.count(store.snapshot(), 1, 0).records());
        }
    }

    @Test
    void shouldPublishNothingOfAClaimThatWasAborted() {
        try (RecordLogFixture store = new RecordLogFixture(temp, 1)) {
            long address = store.log.claim(1, 16, true);
            RecordClaimSlot claim = store.log.claimed();
            assertThrows(IllegalStateException.class, () -> store.log.push(1, new byte[1]), "while it is open");
            claim.abort();
            assertThrows(IllegalStateException.class, claim::commit);
            assertEquals(address, store.records.log().tail());
            assertEquals(address, store.log.push(1, payload(3, 3)), "its place is taken");
            assertEquals(1, read(store, 1, store.records.log().tail()).size());
        }
    }

    @Test
    void shouldCountALossOnceInItsSlotAndOnceInTheLog() {
        try (RecordLogFixture store = new RecordLogFixture(temp, 2)) {
            store.log.push(1, new byte[1]);
            long now = store.log.lastTimeNs();
            store.log.noteLoss(2, LossReason.SAMPLED, 10, now - 5, now);
            store.log.noteLoss(2, LossReason.STORE_FULL, 3, now - 9, now - 1);
            store.log.noteLoss(2, LossReason.SAMPLED, 1, now, now);
            assertEquals(14, store.losses.lost(2));
            assertEquals(14, store.losses.unmarked(2));
            assertEquals(0, marked(store));
            for (int chunk = 0; chunk < 3; chunk++) {
                store.log.seal();
                store.log.push(1, new byte[1]);
                assertEquals(14, marked(store), "chunk=" + chunk);
                assertEquals(14, store.losses.lost(2), "chunk=" + chunk);
                assertEquals(0, store.losses.unmarked(2), "chunk=" + chunk);
                assertEquals(0, store.losses.unmarked(store.records.watermarks().tailAcquire()).length);
            }
        }
    }

    @Test
    void shouldCountARecordOnceThatIsDroppedForWantOfRoom() {
        try (RecordLogFixture store = new RecordLogFixture(temp, 1)) {
            byte[] payload = new byte[10_000];
            long taken = 0;
            long dropped = 0;
            for (int i = 0; i < 100; i++) {
                if (store.log.push(1, payload) >= 0) {
                    taken++;
                } else {
                    dropped++;
                }
            }
            assertTrue(dropped > 0);
            assertEquals(dropped, store.losses.lost(1));
            assertEquals(PushStatus.BACK_PRESSURED, store.log.offer(1, new UnsafeBuffer(payload), 0, payload.length));
            assertEquals(dropped, store.losses.lost(1), "its caller still has it");
            store.records.unshared().evict();
            store.log.seal();
            assertEquals(dropped, marked(store));
            assertEquals(taken, SourceCounter.count(store.snapshot(), 1, 0).records());
        }
    }

    /** Records that the markers in the log count as lost. */
    private static long marked(RecordLogFixture store) {
        long lost = 0;
        long tail = store.records.watermarks().tailAcquire();
        try (PageRecords page = new PageRecords(store.records.view(), tail, 0)) {
            for (long at = 0; at < tail; at += PAGE) {
                assertSame(PageState.PRESENT, page.read(at));
                while (page.next()) {
                    assertEquals(OwnRecord.LOSS, OwnRecord.kind(page.buffer(), page.offset()));
                    lost += OwnRecord.lost(page.buffer(), page.offset());
                }
            }
        }
        return lost;
    }
}
