package dev.loom.record;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.Bins;
import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.api.LossReason;
import dev.loom.api.Pressure;
import dev.loom.api.PushStatus;
import dev.loom.api.ValueType;
import dev.loom.api.ValueUnit;
import dev.loom.error.SecondWriterException;
import dev.loom.error.StoreIoException;
import dev.loom.format.Formats;
import dev.loom.format.StructCodec;
import dev.loom.index.ActiveIndex;
import dev.loom.log.LogKind;
import dev.loom.log.PageDescriptor;
import dev.loom.log.PageState;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What each way of writing takes, which time it gives, and that what it refuses leaves no trace. */
final class PushTest {
    private static final int PAGE = PageDescriptor.PAGE_LENGTH;
    private static final int LONGEST = RecordLogFixture.RING / 4;
    private static final long LATER = RecordLogFixture.FIRST_TIME + 1_000_000;

    @TempDir
    Path directory;

    private record Read(int source, long address, long timeNs, int length) {}

    record Point(long value, short place) {}

    @SuppressWarnings("ArrayRecordComponent") // a payload of bytes
    record Blob(byte[] bytes) {}

    private record Ring(ByteBuffer bytes, ByteBuffer live) {}

    private static List<Read> read(RecordLogFixture store) {
        List<Read> found = new ArrayList<>();
        long tail = store.records.watermarks().tailAcquire();
        try (PageRecords page = new PageRecords(store.records.view(), tail, -1)) {
            for (long at = 0; at < tail; at += PAGE) {
                if (page.read(at) == PageState.PRESENT) {
                    while (page.next()) {
                        found.add(new Read(page.sourceId(), page.address(), page.timeNs(), page.length()));
                    }
                }
            }
        }
        return found;
    }

    private static UnsafeBuffer payload(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (length + 31 * i);
        }
        return new UnsafeBuffer(bytes);
    }

    private static void fill(RecordLogFixture store) {
        UnsafeBuffer page = payload(RecordDescriptor.PAYLOAD_LENGTH_MAX);
        for (int i = 0; i < RecordLogFixture.RING / PAGE; i++) {
            assertTrue(store.log.offer(1, page, 0, page.capacity()) >= 0);
        }
    }

    @Test
    void shouldTakePayloadsUpToTheLongest() {
        try (RecordLogFixture store = new RecordLogFixture(directory, 1)) {
            assertEquals(LONGEST, store.log.payloadLengthMax());
            int whole = RecordDescriptor.PAYLOAD_LENGTH_MAX;
            List<Read> expected = new ArrayList<>();
            for (int length : new int[] {0, 1, 8, whole - 1, whole, whole + 1, LONGEST}) {
                long timeNs = store.clockNs;
                UnsafeBuffer payload = payload(length);
                long address = store.log.push(1, payload, 0, length);
                expected.add(new Read(1, address, timeNs, length));
                store.evict();
            }
            assertEquals(expected, read(store));
            long tail = store.records.log().tail();
            long timeNs = store.log.lastTimeNs();
            UnsafeBuffer tooLong = payload(LONGEST + 1);
            assertThrows(IndexOutOfBoundsException.class, () -> store.log.push(1, tooLong, LONGEST, 2));
            assertThrows(IndexOutOfBoundsException.class, () -> store.log.offer(1, tooLong, LONGEST, 2));
            assertThrows(IndexOutOfBoundsException.class, () -> store.log.pushArrived(1, LATER, tooLong, LONGEST, 2));
            assertThrows(IllegalArgumentException.class, () -> store.log.push(2, tooLong, 0, 1), "not defined");
            assertEquals(timeNs, store.log.lastTimeNs());
            String message = assertThrows(
                            IllegalArgumentException.class, () -> store.log.push(1, tooLong, 0, LONGEST + 1))
                    .getMessage();
            assertEquals("payload length out of range: bytes=" + (LONGEST + 1) + ", max=" + LONGEST, message);
            assertEquals(tail, store.records.log().tail());
        }
    }

    @Test
    void shouldTakeWhatABufferOrARecordHolds() {
        try (RecordLogFixture store = new RecordLogFixture(directory, 1)) {
            ByteBuffer buffer = ByteBuffer.wrap(new byte[] {9, 1, 2, 3, 9}, 1, 3);
            long first = store.log.push(1, buffer);
            assertEquals(1, buffer.position());
            StructCodec<Point> codec = StructCodec.of(Point.class);
            long second = store.log.push(1, codec, new Point(-5, (short) 7));
            try (PageRecords page = new PageRecords(
                    store.records.view(), store.records.watermarks().tailAcquire(), 1)) {
                page.read(0);
                assertTrue(page.seek(first));
                byte[] bytes = new byte[page.length()];
                page.buffer().getBytes(page.offset(), bytes);
                assertArrayEquals(new byte[] {1, 2, 3}, bytes);
                assertTrue(page.seek(second));
                assertEquals(Long.BYTES + Short.BYTES, page.length());
                assertEquals(-5, page.buffer().getLong(page.offset(), ByteOrder.LITTLE_ENDIAN));
                assertEquals(7, page.buffer().getShort(page.offset() + Long.BYTES, ByteOrder.LITTLE_ENDIAN));
            }
            assertTrue(store.log.push(1, new byte[1]) > second, "the codec's function has ended");
        }
    }

    @Test
    void shouldGiveNoRecordAnEarlierTimeThanTheLast() {
        try (RecordLogFixture store = new RecordLogFixture(directory, 1)) {
            store.clockNs = LATER;
            UnsafeBuffer payload = payload(1);
            store.log.push(1, payload, 0, 1);
            store.clockNs = LATER - 10;
            store.log.push(1, payload, 0, 1);
            store.log.offer(1, payload, 0, 1);
            store.log.pushArrived(1, LATER - 7, payload, 0, 1);
            store.log.pushBatch(1, payload, 0, new int[] {1}, 1);
            store.log.claim(1, 1, true);
            store.log.claimed().commit();
            assertEquals(LATER, store.log.lastTimeNs());
            store.log.pushArrived(1, LATER + 3, payload, 0, 1);
            assertEquals(LATER + 3, store.log.lastTimeNs());
            assertEquals(
                    List.of(LATER, LATER, LATER, LATER, LATER, LATER, LATER + 3),
                    read(store).stream().map(Read::timeNs).toList());
        }
    }

    @Test
    void shouldBeginWithATimeThatIsNotNegative() {
        try (RecordLogFixture store = new RecordLogFixture(directory, 1)) {
            assertEquals(RecordLogFixture.FIRST_TIME, store.log.lastTimeNs());
            RecordLog early = store.writer(store.sources, Pressure.WAIT, -5);
            assertEquals(0, early.lastTimeNs());
            store.clockNs = LATER;
            assertEquals(LATER, early.clock().getAsLong());
            early.pushOwn(OwnRecord.EPOCH, 0, 0, 1, 2, 3);
            assertEquals(LATER + 1, early.lastTimeNs(), "the clock's, as there is no record yet");
            early.pushOwn(OwnRecord.EPOCH, 0, 0, 1, 2, 3);
            assertEquals(LATER + 1, early.lastTimeNs(), "the last record's");
            try (PageRecords page = new PageRecords(
                    store.records.view(), store.records.watermarks().tailAcquire(), 0)) {
                page.read(0);
                assertTrue(page.next());
                assertEquals(OwnRecord.EPOCH, OwnRecord.kind(page.buffer(), page.offset()));
                assertEquals(3, page.buffer().getLong(page.offset() + OwnRecord.C_OFFSET));
            }
            assertEquals(
                    List.of(LATER + 1, LATER + 1),
                    read(store).stream().map(Read::timeNs).toList());
        }
    }

    @Test
    void shouldRefuseAClosedSourceAndCountIt() {
        try (RecordLogFixture store = new RecordLogFixture(directory, 2)) {
            store.log.push(2, new byte[1]);
            long tail = store.records.log().tail();
            store.sources.close(1);
            UnsafeBuffer payload = payload(8);
            int[] lengths = {8};
            assertEquals(PushStatus.SOURCE_CLOSED, store.log.push(1, payload, 0, 8));
            assertEquals(PushStatus.SOURCE_CLOSED, store.log.offer(1, payload, 0, 8));
            assertEquals(PushStatus.SOURCE_CLOSED, store.log.pushArrived(1, LATER, payload, 0, 8));
            assertEquals(0, store.log.pushBatch(1, payload, 0, lengths, 1));
            assertEquals(PushStatus.SOURCE_CLOSED, store.log.offerBatch(1, payload, 0, lengths, 1));
            assertEquals(PushStatus.SOURCE_CLOSED, store.log.claim(1, 8, true));
            assertEquals(6, store.gauge.refused());
            assertEquals(tail, store.records.log().tail());
            assertTrue(store.log.push(2, payload, 0, 8) >= 0);
        }
    }

    @Test
    void shouldLeaveNoTraceOfWhatHasNoRoom() {
        UnsafeBuffer payload = payload(100);
        int[] lengths = {100, 0};
        List<ToLongFunction<RecordLog>> ways = List.of(
                log -> log.offer(1, payload, 0, 100),
                log -> log.offerBatch(1, payload, 0, lengths, 2),
                log -> log.pushArrived(1, LATER, payload, 0, 100),
                log -> log.claim(1, 100, false));
        try (RecordLogFixture store = new RecordLogFixture(directory, 1, Pressure.WAIT)) {
            fill(store);
            long tail = store.records.log().tail();
            long timeNs = store.log.lastTimeNs();
            store.clockNs = LATER;
            for (ToLongFunction<RecordLog> way : ways) {
                assertEquals(PushStatus.BACK_PRESSURED, way.applyAsLong(store.log));
                assertEquals(timeNs, store.log.lastTimeNs());
            }
            assertEquals(tail, store.records.log().tail());
            assertEquals(0, store.losses.lost(1));
            assertEquals(0, store.gauge.refused());
            store.records.unshared().evict();
            for (ToLongFunction<RecordLog> way : ways) {
                assertTrue(way.applyAsLong(store.log) >= 0);
                if (way == ways.get(3)) {
                    store.log.claimed().commit();
                }
            }
        }
    }

    /** A page that was begun to mark losses keeps its time, so that no later record is before it. */
    @Test
    void shouldKeepTheTimeOfAPageThatWasBegunForARecordWithoutRoom() {
        int sources = 900;
        UnsafeBuffer page = payload(RecordDescriptor.PAYLOAD_LENGTH_MAX);
        int[] lengths = {page.capacity()};
        List<ToLongFunction<RecordLog>> ways = List.of(
                log -> log.offer(1, page, 0, page.capacity()),
                log -> log.offerBatch(1, page, 0, lengths, 1),
                log -> log.claim(1, page.capacity(), false));
        for (ToLongFunction<RecordLog> way : ways) {
            Path folder = directory.resolve("store-" + ways.indexOf(way));
            try (RecordLogFixture store = new RecordLogFixture(folder, sources, Pressure.WAIT)) {
                for (int i = 1; i < RecordLogFixture.RING / PAGE; i++) {
                    assertTrue(store.log.offer(1, page, 0, page.capacity()) >= 0);
                }
                for (int id = 1; id <= sources; id++) {
                    store.log.noteLoss(id, LossReason.SAMPLED, 1, 1, 2);
                }
                store.clockNs = LATER;
                assertEquals(PushStatus.BACK_PRESSURED, way.applyAsLong(store.log));
                assertEquals(LATER, store.log.lastTimeNs());
                store.clockNs = 5;
                assertTrue(store.log.push(1, new byte[1]) >= 0, "behind the markers");
                List<Read> records = read(store);
                assertTrue(records.size() > RecordLogFixture.RING / PAGE, "markers");
                assertEquals(LATER, records.get(records.size() - 1).timeNs());
            }
        }
    }

    @Test
    void shouldDropWhatHasNoRoomWhenThatIsThePolicy() {
        try (RecordLogFixture store = new RecordLogFixture(directory, 1)) {
            fill(store);
            UnsafeBuffer payload = payload(100);
            assertEquals(PushStatus.DROPPED, store.log.push(1, payload, 0, 100));
            assertEquals(PushStatus.DROPPED, store.log.pushArrived(1, LATER, payload, 0, 100));
            assertEquals(PushStatus.DROPPED, store.log.claim(1, 100, true));
            assertEquals(0, store.log.pushBatch(1, payload, 0, new int[] {50, 50}, 2));
            assertEquals(5, store.losses.lost(1));
            assertEquals(LATER, store.losses.unmarkedLast(1));
        }
    }

    @Test
    void shouldTakeABatchWithOneTime() {
        try (RecordLogFixture store = new RecordLogFixture(directory, 1)) {
            UnsafeBuffer payloads = payload(400);
            int[] lengths = {10, 0, 300, 7};
            long timeNs = store.clockNs;
            assertEquals(4, store.log.pushBatch(1, payloads, 2, lengths, 4));
            assertEquals(3, store.log.offerBatch(1, payloads, 2, lengths, 3));
            assertEquals(0, store.log.pushBatch(1, payloads, 2, lengths, 0));
            assertEquals(0, store.log.offerBatch(1, payloads, 2, lengths, 0));
            List<Read> found = read(store);
            assertEquals(
                    List.of(10, 0, 300, 7, 10, 0, 300),
                    found.stream().map(Read::length).toList());
            assertEquals(
                    List.of(timeNs, timeNs, timeNs, timeNs, timeNs + 1, timeNs + 1, timeNs + 1),
                    found.stream().map(Read::timeNs).toList());
            try (PageRecords page = new PageRecords(
                    store.records.view(), store.records.watermarks().tailAcquire(), 1)) {
                page.read(0);
                for (int from : new int[] {2, 12, 12, 312, 2, 12, 12}) {
                    assertTrue(page.next());
                    for (int i = 0; i < page.length(); i++) {
                        assertEquals(payloads.getByte(from + i), page.buffer().getByte(page.offset() + i));
                    }
                }
            }
        }
    }

    @Test
    void shouldTakeOfABatchWhatHasRoom() {
        int half = PAGE / 2;
        UnsafeBuffer payloads = payload(2 * half + 100);
        int[] lengths = {half, half, 50, 50};
        try (RecordLogFixture store = new RecordLogFixture(directory.resolve("offered"), 1)) {
            for (int i = 1; i < RecordLogFixture.RING / PAGE; i++) {
                store.log.push(1, payload(RecordDescriptor.PAYLOAD_LENGTH_MAX), 0, RecordDescriptor.PAYLOAD_LENGTH_MAX);
            }
            store.clockNs = LATER;
            assertEquals(1, store.log.offerBatch(1, payloads, 0, lengths, 4), "up to the first without room");
            assertEquals(LATER, store.log.lastTimeNs());
            assertEquals(0, store.losses.lost(1));
        }
        try (RecordLogFixture store = new RecordLogFixture(directory.resolve("pushed"), 1)) {
            for (int i = 1; i < RecordLogFixture.RING / PAGE; i++) {
                store.log.push(1, payload(RecordDescriptor.PAYLOAD_LENGTH_MAX), 0, RecordDescriptor.PAYLOAD_LENGTH_MAX);
            }
            assertEquals(3, store.log.pushBatch(1, payloads, 0, lengths, 4), "all but one");
            assertEquals(1, store.losses.lost(1));
            List<Read> found = read(store);
            assertEquals(
                    List.of(half, 50, 50),
                    found.subList(found.size() - 3, found.size()).stream()
                            .map(Read::length)
                            .toList());
        }
    }

    @Test
    void shouldTakeNothingOfABatchThatIsOutOfBounds() {
        try (RecordLogFixture store = new RecordLogFixture(directory, 1)) {
            UnsafeBuffer payloads = payload(100);
            int[] fit = {50, 50};
            int[] negative = {1, -1};
            int[] tooLong = {1, LONGEST + 1};
            int[] most = new int[Integer.MAX_VALUE / LONGEST + 1];
            Arrays.fill(most, LONGEST);
            for (int[] lengths : List.of(negative, tooLong, most)) {
                assertThrows(
                        IllegalArgumentException.class,
                        () -> store.log.pushBatch(1, payloads, 0, lengths, lengths.length));
                assertThrows(
                        IllegalArgumentException.class,
                        () -> store.log.offerBatch(1, payloads, 0, lengths, lengths.length));
            }
            for (int count : new int[] {-1, 3}) {
                assertThrows(IllegalArgumentException.class, () -> store.log.pushBatch(1, payloads, 0, fit, count));
                assertThrows(IllegalArgumentException.class, () -> store.log.offerBatch(1, payloads, 0, fit, count));
            }
            assertThrows(IndexOutOfBoundsException.class, () -> store.log.pushBatch(1, payloads, 1, fit, 2));
            assertThrows(IndexOutOfBoundsException.class, () -> store.log.offerBatch(1, payloads, 1, fit, 2));
            assertEquals(0, store.records.log().tail());
            assertEquals(2, store.log.pushBatch(1, payloads, 0, fit, 2), "the whole buffer");
            assertEquals(1, store.log.pushBatch(1, payloads, 0, negative, 1), "of which one is in bounds");
        }
    }

    @Test
    void shouldClaimUpToAPage() {
        int most = RecordDescriptor.PAYLOAD_LENGTH_MAX;
        try (RecordLogFixture store = new RecordLogFixture(directory, 1)) {
            for (int length : new int[] {-1, most + 1}) {
                String message = assertThrows(IllegalArgumentException.class, () -> store.log.claim(1, length, true))
                        .getMessage();
                assertEquals("claim length out of range: bytes=" + length + ", max=" + most, message);
            }
            List<Read> expected = new ArrayList<>();
            for (int length : new int[] {0, most, 24}) {
                long timeNs = store.clockNs;
                long address = store.log.claim(1, length, true);
                assertEquals(length, store.log.claimed().length());
                store.clockNs += 100;
                assertEquals(address, store.log.claimed().commit());
                expected.add(new Read(1, address, timeNs, length));
            }
            assertEquals(expected, read(store));
        }
    }

    private static void assertRefusedElsewhere(Runnable write) throws InterruptedException {
        List<Throwable> thrown = new ArrayList<>();
        Thread other = new Thread(write);
        other.setUncaughtExceptionHandler((thread, e) -> thrown.add(e));
        other.start();
        other.join();
        assertEquals(
                List.of(SecondWriterException.class),
                thrown.stream().map(Object::getClass).toList());
    }

    @Test
    void shouldRefuseWritesOfASecondThread() throws InterruptedException {
        try (RecordLogFixture store = new RecordLogFixture(directory, 1)) {
            store.log.push(1, new byte[1]);
            long tail = store.records.log().tail();
            UnsafeBuffer payload = payload(1);
            int[] lengths = {1};
            assertRefusedElsewhere(() -> store.log.push(1, payload, 0, 1));
            assertRefusedElsewhere(() -> store.log.push(1, new byte[1]));
            assertRefusedElsewhere(() -> store.log.offer(1, payload, 0, 1));
            assertRefusedElsewhere(() -> store.log.pushArrived(1, LATER, payload, 0, 1));
            assertRefusedElsewhere(() -> store.log.pushBatch(1, payload, 0, lengths, 1));
            assertRefusedElsewhere(() -> store.log.offerBatch(1, payload, 0, lengths, 1));
            assertRefusedElsewhere(() -> store.log.claim(1, 1, true));
            assertRefusedElsewhere(store.log::seal);
            assertRefusedElsewhere(store.log::sealWithCheckpoint);
            assertEquals(tail, store.records.log().tail());
            store.log.ownership().release();
            Thread next = new Thread(() -> store.log.push(1, payload, 0, 1));
            next.start();
            next.join();
            assertTrue(store.records.log().tail() > tail);
        }
    }

    /** An index function that tries to write in the middle of a push, whose payload stays as it was. */
    private void assertUnchangedByItsFunction(
            String name, Consumer<RecordLog> push, Consumer<RecordLog> within, int expected) {
        try (RecordLogFixture store = new RecordLogFixture(directory.resolve(name), 1)) {
            List<Object> seen = new ArrayList<>();
            IndexFunction function =
                    IndexFunction.of("f", ValueType.I64, ValueUnit.NONE, (buffer, offset, length, value) -> {
                        try {
                            within.accept(store.log);
                        } catch (RuntimeException e) {
                            seen.add(e.getClass());
                        }
                        seen.add((int) buffer.getByte(offset + length - 1));
                        value.setInteger(1);
                    });
            Index index = new Index(1, 1, "f", Index.Kind.VALUE, function, Bins.match(1), 0, false);
            store.sources.index(1, List.of(new ActiveIndex(index, null, store.log.ownership())));
            push.accept(store.log);
            assertEquals(List.of(SecondWriterException.class, expected), seen);
            assertEquals(1, read(store).size());
        }
    }

    @Test
    void shouldNotTouchThePayloadThatAFunctionReadsWhenItWrites() {
        byte[] bytes = new byte[LONGEST];
        byte[] others = new byte[LONGEST];
        Arrays.fill(bytes, (byte) 7);
        Arrays.fill(others, (byte) 9);
        StructCodec<Blob> codec = StructCodec.of(Blob.class);
        byte[] blob = Arrays.copyOf(bytes, LONGEST - 100);
        byte[] otherBlob = Arrays.copyOf(others, LONGEST - 100);
        assertUnchangedByItsFunction("array", log -> log.push(1, bytes), log -> log.push(1, others), 7);
        assertUnchangedByItsFunction(
                "buffer", log -> log.push(1, bytes), log -> log.push(1, ByteBuffer.wrap(others)), 7);
        assertUnchangedByItsFunction(
                "record", log -> log.push(1, codec, new Blob(blob)), log -> log.push(1, codec, new Blob(otherBlob)), 7);
    }

    @Test
    void shouldEndAnOpenClaimWhenItCloses() {
        try (RecordLogFixture store = new RecordLogFixture(directory, 1)) {
            long address = store.log.claim(1, 10, true);
            store.log.close();
            assertEquals(0, store.log.claimed().length());
            assertThrows(IllegalStateException.class, store.log.claimed()::commit);
            assertThrows(IllegalStateException.class, () -> store.log.push(1, new byte[1]));
            assertEquals(address, store.records.log().tail());
        }
    }

    @Test
    void shouldPublishWhatABatchHasTakenWhenTheRestFails() {
        UnsafeBuffer payloads = payload(PAGE + 100);
        int[] lengths = {100, PAGE - 300};
        List<ToLongFunction<RecordLog>> ways = List.of(
                log -> log.pushBatch(1, payloads, 0, lengths, 2), log -> log.offerBatch(1, payloads, 0, lengths, 2));
        for (ToLongFunction<RecordLog> way : ways) {
            try (RecordLogFixture store = new RecordLogFixture(directory.resolve("store-" + ways.indexOf(way)), 1)) {
                store.log.push(1, new byte[300]);
                store.evictor.start();
                store.evictor.close();
                assertThrows(StoreIoException.class, () -> way.applyAsLong(store.log));
                assertEquals(
                        List.of(300, 100),
                        read(store).stream().map(Read::length).toList());
            }
        }
    }

    @Test
    void shouldCountThePausesOfARecordAsOneWait() {
        try (RecordLogFixture store = new RecordLogFixture(directory, 1)) {
            store.log.pause(1, true);
            store.log.pause(1, false);
            assertEquals(1, store.gauge.waits());
        }
    }

    /** A chunk begins only when its directory and its bins are sure to have room. */
    @Test
    void shouldTakeNothingWhoseDirectoryOrBinsHaveNoRoom() {
        IndexFunction function = IndexFunction.field(Formats.parse("struct:v:i64"), "v");
        Index index = new Index(1, 1, "v", Index.Kind.VALUE, function, Bins.logLinear(), 0, false);
        UnsafeBuffer payload = payload(8);
        UnsafeBuffer page = payload(RecordDescriptor.PAYLOAD_LENGTH_MAX);
        for (LogKind without : List.of(LogKind.TIME, LogKind.CHUNK)) {
            try (RecordLogFixture store = new RecordLogFixture(directory.resolve(without.name()), 20)) {
                store.sources.index(1, List.of(new ActiveIndex(index, null)));
                RecordLogFixture.Part full = without == LogKind.TIME ? store.times : store.chunks;
                for (int chunk = 0; chunk < RecordLogFixture.RING / PAGE; chunk++) {
                    for (int id = 1; id <= 20; id++) {
                        assertTrue(store.log.offer(id, payload, 0, 8) >= 0, "chunk=" + chunk);
                    }
                    store.log.seal();
                    for (RecordLogFixture.Part log : List.of(store.records, store.times, store.chunks)) {
                        assertEquals(log.log().tail(), log.watermarks().sealedAcquire());
                        assertEquals((chunk + 1L) * PAGE, log.log().tail());
                        if (log.log().kind() != without) {
                            log.unshared().evict();
                        }
                    }
                }
                // which has no bins until it is closed
                long begun = store.log.offer(1, payload, 0, 8);
                assertEquals(without == LogKind.CHUNK, begun >= 0);
                long tail = store.records.log().tail();
                assertEquals(PushStatus.BACK_PRESSURED, store.log.offer(1, page, 0, page.capacity()));
                assertEquals(tail, store.records.log().tail());
                full.unshared().evict();
                assertTrue(store.log.offer(1, page, 0, page.capacity()) >= 0);
            }
        }
    }

    @Test
    void shouldMarkAllLossesWhenItSeals() {
        int sources = 800;
        try (RecordLogFixture store = new RecordLogFixture(directory, sources)) {
            store.log.push(1, new byte[1]);
            for (int id = 1; id <= sources; id++) {
                store.log.noteLoss(id, LossReason.SAMPLED, id, 1, LATER + id);
            }
            store.log.seal();
            assertEquals(LATER + sources, store.log.lastTimeNs(), "no marker is earlier than its loss");
            long lost = 0;
            for (int id = 1; id <= sources; id++) {
                assertEquals(0, store.losses.unmarked(id));
                lost += store.losses.lost(id);
            }
            assertEquals(sources * (sources + 1L) / 2, lost);
            assertEquals(1 + sources, read(store).size());
            assertEquals(store.records.log().tail(), store.records.watermarks().sealedAcquire());
            assertEquals(
                    store.times.log().tail(), store.times.watermarks().sealedAcquire(), "the page of the index too");
        }
    }

    @Test
    void shouldEndWithACheckpointOfAllSources() {
        try (RecordLogFixture store = new RecordLogFixture(directory, 3)) {
            assertEquals(-1, store.log.lastCheckpoint());
            store.log.push(1, new byte[10]);
            store.log.push(3, new byte[20]);
            store.log.push(3, new byte[21]);
            store.log.sealWithCheckpoint();
            assertEquals(store.records.log().tail(), store.records.watermarks().sealedAcquire());
            SnapshotView snapshot = store.snapshot();
            try (DirectoryReader reader = new DirectoryReader(snapshot.times(), snapshot.timeTail())) {
                assertTrue(reader.seek(store.log.lastCheckpoint()));
                assertTrue(reader.isCheckpoint());
                assertEquals(store.records.log().tail(), reader.chunkAddress());
                assertEquals(store.log.lastTimeNs(), reader.firstTimeNs());
                SourceTotals totals = new SourceTotals();
                assertFalse(reader.findCheckpointed(2, totals));
                assertTrue(reader.findCheckpointed(3, totals));
                assertEquals(2, totals.records);
                assertEquals(41, totals.bytes);
            }
            assertEquals(
                    store.times.log().tail(), store.times.watermarks().sealedAcquire(), "the page of the index too");
        }
    }

    private static WriterSources sources(int count) {
        WriterSources sources = new WriterSources();
        for (int id = 0; id <= count; id++) {
            sources.add(id, false, new SourceTotals(), 0);
        }
        return sources;
    }

    @Test
    void shouldWriteTheDirectoriesThatAreMissingAndCountTheLossesOfTheirChunks() {
        try (RecordLogFixture store = new RecordLogFixture(directory, 2)) {
            store.log.noteLoss(2, LossReason.SAMPLED, 7, 1, 2);
            store.log.push(1, new byte[10]);
            store.log.push(1, new byte[LONGEST]);
            store.log.push(2, new byte[RecordDescriptor.PAYLOAD_LENGTH_MAX]);
            store.log.seal();
            SourceTotals[] expected = {new SourceTotals(), new SourceTotals(), new SourceTotals()};
            for (int id = 0; id <= 2; id++) {
                assertTrue(store.slots.get(id, expected[id]));
            }
            long before = store.times.log().tail();
            RecordLog resumed = store.writer(sources(2), Pressure.WAIT, RecordLogFixture.FIRST_TIME);
            for (int id = 0; id <= 2; id++) {
                store.losses.put(id, 0, 0, 0, 0);
            }
            List<Long> progress = new ArrayList<>();
            long end = store.records.log().tail();
            resumed.resume(store.records.view(), 0, (done, all) -> {
                assertEquals(end, all);
                return progress.add(done);
            });
            assertEquals(List.of(0L, 3L * PAGE), progress, "by chunk");
            for (int id = 0; id <= 2; id++) {
                SourceTotals found = new SourceTotals();
                assertTrue(store.slots.get(id, found));
                assertTrue(found.directoryAddress >= before, "source=" + id);
                assertEquals(expected[id].records, found.records);
                assertEquals(expected[id].bytes, found.bytes);
                assertEquals(expected[id].firstTimeNs, found.firstTimeNs);
                assertEquals(id == 2 ? 7 : 0, store.losses.lost(id));
            }
        }
    }

    @Test
    void shouldWriteOnlyDirectoriesOfChunksThatHaveNone() {
        try (RecordLogFixture store = new RecordLogFixture(directory, 1)) {
            store.log.push(1, new byte[RecordDescriptor.PAYLOAD_LENGTH_MAX]);
            store.log.push(1, new byte[100]);
            store.log.seal();
            RecordLog resumed = store.writer(sources(1), Pressure.WAIT, RecordLogFixture.FIRST_TIME);
            List<String> progress = new ArrayList<>();
            resumed.resume(store.records.view(), PAGE, (done, all) -> progress.add(done + " of " + all));
            assertEquals(List.of("0 of " + PAGE), progress);
            RecordLog cancelled = store.writer(sources(1), Pressure.WAIT, RecordLogFixture.FIRST_TIME);
            long before = store.times.log().tail();
            assertThrows(
                    CancellationException.class, () -> cancelled.resume(store.records.view(), 0, (done, all) -> false));
            assertEquals(before, store.times.log().tail());
        }
    }

    @Test
    void shouldGoOnInTheRingThatTheLogWasMovedTo() {
        try (RecordLogFixture store = new RecordLogFixture(directory, 1)) {
            long first = store.log.push(1, new byte[10]);
            long claimed = store.log.claim(1, 4, true);
            store.log.claimed().buffer().putByte(0, (byte) 1);
            Ring before = new Ring(store.records.log().ringBytes(), store.records.live());
            Ring moved = new Ring(copy(before.bytes), copy(before.live));
            store.records.log().moveTo(moved.bytes, moved.live);
            store.log.moved();
            before.bytes.clear();
            for (int i = 0; i < before.bytes.capacity(); i++) {
                before.bytes.put(i, (byte) 0x55);
            }
            store.log.claimed().buffer().putByte(1, (byte) 2);
            assertEquals(4, store.log.claimed().length());
            assertEquals(claimed, store.log.claimed().commit());
            long last = store.log.push(1, new byte[20]);
            assertEquals(
                    List.of(first, claimed, last),
                    read(store).stream().map(Read::address).toList());
            try (PageRecords page = new PageRecords(
                    store.records.view(), store.records.watermarks().tailAcquire(), 1)) {
                page.read(0);
                assertTrue(page.seek(claimed));
                assertEquals(0x0201, page.buffer().getInt(page.offset(), ByteOrder.LITTLE_ENDIAN));
            }
            assertEquals(0x55, before.bytes.get((int) last), "nothing goes where it was");
        }
    }

    private static ByteBuffer copy(ByteBuffer from) {
        ByteBuffer to = ByteBuffer.allocateDirect(from.capacity()).order(ByteOrder.LITTLE_ENDIAN);
        to.put(from.duplicate().clear());
        return to.clear();
    }
}
