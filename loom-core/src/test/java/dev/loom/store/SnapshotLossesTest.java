package dev.loom.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.StoreAccess;
import dev.loom.api.LossReason;
import dev.loom.format.Formats;
import dev.loom.io.Platform;
import dev.loom.io.Storage;
import dev.loom.log.LogKind;
import dev.loom.log.LogView;
import dev.loom.log.PageDescriptor;
import dev.loom.log.PageState;
import dev.loom.log.Watermarks;
import dev.loom.record.LossSlots;
import dev.loom.record.OwnRecord;
import dev.loom.record.PageRecords;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Snapshots that are taken while losses are noted without a pause. */
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class SnapshotLossesTest {
    private static final int SOURCES = 100;
    private static final int SNAPSHOTS = 50;
    private static final int RECORD_EVERY = 50;

    @TempDir
    Path temp;

    @Test
    void shouldMissNoLossThatWasNotedBefore() throws InterruptedException {
        Loom loom = StoreAccess.open(temp.resolve("store"), Storage.DISK);
        int[] sources = new int[SOURCES];
        for (int i = 0; i < SOURCES; i++) {
            sources[i] = loom.defineSource("source" + i, Formats.bytes());
        }
        AtomicLong noted = new AtomicLong();
        AtomicBoolean ended = new AtomicBoolean();
        Thread writer = new Thread(() -> {
            byte[] payload = new byte[1_000];
            for (int i = 0; !ended.get(); i++) {
                int source = sources[i % SOURCES];
                loom.noteLoss(source, LossReason.SAMPLED, 1);
                noted.lazySet(i + 1L);
                if (i % RECORD_EVERY == 0) {
                    loom.push(source, payload); // marks losses at the beginning of each page
                }
            }
            loom.close();
        });
        loom.releaseWriter();
        writer.start();
        long markedAt = 0;
        long marked = 0;
        try (AttachedStore attached = AttachedStore.attach(temp.resolve("store"), Storage.DISK)) {
            for (int i = 0; i < SNAPSHOTS; i++) {
                long before = noted.get();
                try (StoreSnapshot snapshot = (StoreSnapshot) attached.snapshot()) {
                    long tail = snapshot.tailAddress();
                    long pageAddress = PageDescriptor.pageAddress(tail);
                    marked += marked(attached.logs().records(), markedAt, pageAddress);
                    markedAt = pageAddress;
                    long lost = marked + marked(attached.logs().records(), pageAddress, tail);
                    for (int source : sources) {
                        lost += snapshot.unmarkedLost(source, Long.MIN_VALUE, Long.MAX_VALUE);
                    }
                    assertTrue(lost >= before, "lost=" + lost + ", noted before=" + before + ", snapshot=" + i);
                }
            }
        } finally {
            ended.set(true);
            writer.join();
        }
    }

    /** The worst moment: a loss is noted between two looks, and marked each time the log's end has been read. */
    @Test
    void shouldMissNoLossThatIsMarkedWhileItIsRead() {
        Path store = temp.resolve("store");
        try (Loom loom = StoreAccess.open(store, Storage.DISK)) {
            int source = loom.defineSource("source", Formats.bytes());
            loom.push(source, new byte[8]);
            Mark mark = new MarkFile(Storage.DISK, new StoreFiles(store).mark()).read();
            Staging staging = Objects.requireNonNull(Staging.openTrusted(Storage.DISK, mark, Platform.bootId()));
            LossSlots slots = staging.live().losses();
            Watermarks watermarks = staging.live().watermarks(LogKind.RECORD);
            AtomicLong noted = new AtomicLong();
            StoreSnapshot.Losses read = StoreSnapshot.Losses.read(
                    slots,
                    () -> {
                        long tail = watermarks.tailAcquire();
                        while (slots.unmarked(Long.MAX_VALUE).length > 0) {
                            loom.push(source, new byte[1_000]);
                        }
                        return tail;
                    },
                    true,
                    () -> {
                        StoreAccess.drop(loom, source, 1);
                        return noted.incrementAndGet() * 500_000;
                    });
            staging.unmap();
            assertTrue(noted.get() > 3, noted::toString);
            try (AttachedStore attached = AttachedStore.attach(store, Storage.DISK)) {
                long marked = marked(attached.logs().records(), 0, read.recordTail());
                assertEquals(noted.get() - 1, marked);
            }
            assertEquals(LossSlots.UNMARKED_FIELDS, read.unmarked().length);
            assertEquals(1, read.unmarked()[1], "the last one is not marked below the log's end");
        }
    }

    /** What the markers in a range of the log say was lost. */
    private static long marked(LogView log, long from, long tail) {
        long lost = 0;
        try (PageRecords records = new PageRecords(log, tail, 0)) {
            for (long pageAddress = from; pageAddress < tail; pageAddress += PageDescriptor.PAGE_LENGTH) {
                assertEquals(PageState.PRESENT, records.read(pageAddress));
                while (records.next()) {
                    boolean marker = OwnRecord.kind(records.buffer(), records.offset()) == OwnRecord.LOSS;
                    lost += records.sourceId() == 0 && marker ? OwnRecord.lost(records.buffer(), records.offset()) : 0;
                }
            }
        }
        return lost;
    }

    @Test
    void shouldLookForAQuietMomentForAFewMilliseconds() {
        ByteBuffer bytes = ByteBuffer.allocateDirect(LossSlots.length(2)).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putLong(Long.BYTES, 1); // one is not marked yet
        LossSlots slots = new LossSlots(bytes, 0, 2);
        slots.put(1, 5, 5, 100, 200);
        AtomicInteger scans = new AtomicInteger();
        long[] now = {0};
        StoreSnapshot.Losses quiet = StoreSnapshot.Losses.read(slots, scans::incrementAndGet, true, () -> now[0]);
        assertEquals(1, quiet.recordTail());
        assertArrayEquals(new long[] {1, 5, 100, 200}, quiet.unmarked());

        slots.beginChange();
        scans.set(0);
        StoreSnapshot.Losses busy =
                StoreSnapshot.Losses.read(slots, scans::incrementAndGet, true, () -> now[0] += 300_000);
        assertEquals(scans.get(), busy.recordTail(), "the log's end is read after the losses");
        assertTrue(scans.get() > 2 && scans.get() < 20, scans::toString);
        assertArrayEquals(new long[] {1, 5, 100, 200}, busy.unmarked());

        scans.set(0);
        StoreSnapshot.Losses.read(slots, scans::incrementAndGet, false, () -> now[0] += 300_000);
        assertEquals(1, scans.get(), "a dead writer changes nothing");
    }
}
