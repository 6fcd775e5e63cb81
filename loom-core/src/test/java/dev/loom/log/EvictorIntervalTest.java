package dev.loom.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.loom.HookedStorage;
import dev.loom.error.StoreIoException;
import dev.loom.io.LoomFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is durable once the evictor has made something durable unasked: all that was published before it began. By a clock that the test sets. */
@Timeout(value = 1, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class EvictorIntervalTest {
    private static final int PAGE = PageDescriptor.PAGE_LENGTH;
    private static final int USED = 500;
    private static final long INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Notes what reaches the disk; the first sync of all takes what the test says. */
    private static final class Disk extends HookedStorage implements Durability, OpenPageCopy {
        private final List<String> done = new CopyOnWriteArrayList<>();
        private volatile Runnable meanwhile = () -> {};
        private volatile boolean refusing;

        @Override
        protected void onWrite(Path file, long position, boolean direct) {
            done.add("write " + (Segments.firstOf(file) + position) / PAGE);
        }

        @Override
        protected void force(LoomFile file) {
            Runnable once = meanwhile;
            meanwhile = () -> {};
            once.run();
        }

        @Override
        public void syncSchema() {}

        @Override
        public void writeMark(long[] durable) {
            done.add("mark " + durable[0] / PAGE);
        }

        @Override
        public void tick() {}

        @Override
        public void keep(ByteBuffer page, long address) {
            if (refusing) {
                done.add("refuse " + address / PAGE);
                throw new StoreIoException("injected failure: address=" + address);
            }
            done.add("keep " + page.remaining() + " of " + address / PAGE);
        }

        @Override
        public void close() {}
    }

    @TempDir
    Path temp;

    private final Disk disk = new Disk();
    private final AtomicLong nowNs = new AtomicLong();
    private final Watermarks watermarks =
            new Watermarks(ByteBuffer.allocateDirect(Watermarks.LENGTH).order(ByteOrder.LITTLE_ENDIAN), 0);
    private final HybridLog log = new HybridLog(
            LogKind.RECORD, 1, 1, ByteBuffer.allocateDirect(8 * PAGE).order(ByteOrder.LITTLE_ENDIAN), watermarks, 0, 0);
    private Evictor evictor;

    /** With segments of four pages. It has begun its first interval then. */
    @BeforeEach
    void start() {
        SegmentWriter writer = new SegmentWriter(disk, new Segments(temp, 4L * PAGE), false, () -> {});
        evictor = new Evictor(
                List.of(new Evictor.Assignment(log, writer, disk)),
                1,
                disk,
                SegmentBudget.UNLIMITED,
                INTERVAL_NS,
                Long.MAX_VALUE,
                nowNs::get);
        evictor.start();
        evictor.force();
    }

    @AfterEach
    void close() {
        evictor.close();
    }

    /** Fills the open page, if there is one, as far as a record fits, and some more. */
    private void seal(int pages) {
        for (int i = 0; i < pages; i++) {
            if (!log.pageOpen()) {
                open(USED);
            }
            log.sealPage(1);
            log.publish();
        }
        log.publishSealed();
    }

    private void open(int used) {
        log.beginPage(1, log.tail(), false);
        log.advance(used - PageDescriptor.HEADER_LENGTH);
        log.publish();
    }

    /** Publishes something just before an interval is over. */
    private void publishBeforeDue(Runnable publish) {
        evictor.whilePaused(() -> {
            publish.run();
            disk.done.clear();
            nowNs.addAndGet(INTERVAL_NS);
        });
    }

    private void awaitKept(long address) {
        while (watermarks.keptAcquire() < address) {
            Thread.onSpinWait();
        }
    }

    /** A failed sync is what asks for writing again. */
    @Test
    void shouldNotWriteTheLogsAgainAfterACopyOfTheOpenPageHasFailed() {
        disk.refusing = true;
        publishBeforeDue(() -> {
            seal(2);
            open(USED);
        });
        awaitFailures(1);
        assertEquals(List.of("write 0", "mark 2", "refuse 2"), disk.done);
        assertEquals(2 * PAGE, watermarks.durableAcquire());
        publishBeforeDue(
                () -> { // after one interval, however long the copy took
                    seal(2);
                    open(USED);
                });
        awaitFailures(1);
        assertEquals(List.of("write 2", "mark 4", "refuse 4"), disk.done);
        disk.refusing = false;
        publishBeforeDue(() -> {});
        awaitKept(4 * PAGE + USED);
        assertNull(evictor.syncFailure());
    }

    private void awaitFailures(int count) {
        while (disk.done.stream().filter(step -> step.startsWith("refuse")).count() < count) {
            Thread.onSpinWait();
        }
        evictor.whilePaused(() -> {}); // the step has ended
    }

    /** Steps in between would make them durable an interval later each. */
    @Test
    void shouldMakeDurableAtOnceWhatLiesInSeveralSegments() {
        publishBeforeDue(() -> seal(6));
        awaitKept(6 * PAGE);
        assertEquals(List.of("write 0", "write 4", "mark 6"), disk.done);
    }

    /** The second run begins at the ring's begin. */
    @Test
    void shouldMakeDurableAtOnceWhatLiesAtBothEndsOfTheRing() {
        publishBeforeDue(() -> seal(6));
        awaitKept(6 * PAGE);
        publishBeforeDue(() -> {
            seal(4);
            open(USED);
        });
        awaitKept(10 * PAGE + USED);
        assertEquals(List.of("write 6", "write 8", "mark 10", "keep " + USED + " of 10"), disk.done);
    }

    @Test
    void shouldKeepThePageThatIsFilledMeanwhile() {
        disk.meanwhile = () -> {
            seal(2);
            open(USED);
        };
        publishBeforeDue(() -> {
            seal(1);
            open(USED);
        });
        awaitKept(PAGE + USED);
        assertEquals(List.of("write 0", "mark 1", "keep " + USED + " of 1"), disk.done.subList(0, 3));
        assertEquals(PAGE + USED, watermarks.keptAcquire(), "readers of the copy find nothing behind");
    }

    /** Nothing seals it before the next record comes. */
    @Test
    void shouldKeepAPageThatIsFullToTheLastByte() {
        publishBeforeDue(() -> open(PAGE));
        awaitKept(PAGE);
        assertEquals(List.of("keep " + PAGE + " of 0"), disk.done);
    }

    /** That of the beginning, as what came since may have missed it. */
    @Test
    void shouldCountThePeriodFromTheTimeAtWhichAllWasPublishedThatIsDurable() {
        disk.meanwhile = () -> {
            seal(2);
            nowNs.addAndGet(INTERVAL_NS / 10 * 9);
        };
        publishBeforeDue(() -> seal(1));
        awaitKept(PAGE + USED);
        evictor.whilePaused(() -> {
            assertEquals(PAGE + USED, watermarks.keptAcquire());
            nowNs.addAndGet(INTERVAL_NS / 10);
        });
        awaitKept(3 * PAGE);
    }

    @Test
    void shouldKeepAPageOnceWhileNothingIsAddedToIt() {
        publishBeforeDue(() -> open(USED));
        awaitKept(USED);
        evictor.force();
        evictor.force();
        assertEquals(List.of("keep " + USED + " of 0"), disk.done);
    }
}
