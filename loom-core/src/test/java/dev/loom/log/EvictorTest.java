package dev.loom.log;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.HookedStorage;
import dev.loom.error.StoreIoException;
import dev.loom.io.LoomFile;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The evictor's thread: when it wakes, and the order of its steps, as the disk and the mark see them. */
final class EvictorTest {
    private static final int PAGE = PageDescriptor.PAGE_LENGTH;
    private static final int RING = 8 * PAGE;
    private static final long STORE_ID = 1;
    private static final long ANYWHERE = Long.MAX_VALUE;

    /** Counts the thread's steps, each of which syncs the schema, until it has ticked a few times. */
    private static final class Steps implements Durability {
        private static final int TICKS = 3;

        private final CountDownLatch ticks = new CountDownLatch(TICKS);
        private final AtomicInteger steps = new AtomicInteger();
        private volatile int stepsThen;

        @Override
        public void syncSchema() {
            steps.incrementAndGet();
        }

        @Override
        public void writeMark(long[] durable) {}

        @Override
        public void tick() {
            if (ticks.getCount() == 1) {
                stepsThen = steps.get(); // the thread goes on, and who waits may be late
            }
            ticks.countDown();
        }
    }

    /** What was done, and how far the log's watermarks were just before that, in pages. */
    private record Step(String what, long evicted, long durable) {}

    /** Notes every step that must come before or after another. */
    private final class Order extends HookedStorage implements Durability, OpenPageCopy {
        private final List<Step> steps = new CopyOnWriteArrayList<>();
        private volatile String failing = "";
        /** Where no read of a file succeeds; -1 for nowhere. */
        private volatile long unreadable = -1;

        private volatile long[] marked = {};

        private void note(String what) {
            Step step = new Step(what, watermarks.evictedAcquire() / PAGE, watermarks.durableAcquire() / PAGE);
            if (steps.isEmpty() || !steps.get(steps.size() - 1).equals(step)) {
                steps.add(step);
            }
            if (what.equals(failing)) {
                throw new StoreIoException("injected failure: step=" + what);
            }
        }

        /** Those since the last call. */
        private List<Step> take() {
            List<Step> taken = new ArrayList<>(steps);
            steps.clear();
            return taken;
        }

        @Override
        public void syncSchema() {
            note("schema");
        }

        @Override
        protected void onWrite(Path file, long position, boolean direct) {
            note("write " + position / PAGE);
        }

        @Override
        protected void onRead(Path file, long position, int length) {
            if (unreadable == ANYWHERE
                    || (position == unreadable && file.equals(segments().file(0)))) {
                throw new StoreIoException("injected failure: read");
            }
        }

        @Override
        protected void force(LoomFile file) {
            note("sync");
            super.force(file);
        }

        @Override
        public void syncDirectory(Path directory) {
            note("sync directory");
            super.syncDirectory(directory);
        }

        @Override
        public void writeMark(long[] durable) {
            marked = durable.clone();
            note("mark");
        }

        @Override
        public void tick() {}

        @Override
        public void keep(ByteBuffer pageBytes, long address) {
            note("keep " + pageBytes.remaining() + " of " + address / PAGE);
        }

        @Override
        public void close() {}
    }

    @TempDir
    Path temp;

    private final Watermarks watermarks =
            new Watermarks(ByteBuffer.allocateDirect(Watermarks.LENGTH).order(ByteOrder.LITTLE_ENDIAN), 0);
    private final HybridLog log = new HybridLog(
            LogKind.RECORD,
            STORE_ID,
            1,
            ByteBuffer.allocateDirect(RING).order(ByteOrder.LITTLE_ENDIAN),
            watermarks,
            0,
            0);
    private final Order order = new Order();

    private Segments segments() {
        return new Segments(temp, 4L * PAGE);
    }

    private Evictor evictor() {
        return evictor(TimeUnit.HOURS.toNanos(1));
    }

    private Evictor evictor(long intervalNs) {
        SegmentWriter writer = new SegmentWriter(order, segments(), false, () -> {});
        return Evictor.create(
                List.of(new Evictor.Assignment(log, writer, order)),
                STORE_ID,
                order,
                SegmentBudget.UNLIMITED,
                intervalNs,
                Long.MAX_VALUE);
    }

    private void seal(int pages) {
        for (int i = 0; i < pages; i++) {
            log.beginPage(i, log.tail(), false);
            log.advance(500);
            log.sealPage(i);
        }
        log.publish();
        log.publishSealed();
    }

    @Test
    void shouldWakeForItsTicksAloneWhenIdle() throws InterruptedException {
        Steps steps = new Steps();
        Evictor evictor =
                Evictor.create(List.of(), 1, steps, SegmentBudget.UNLIMITED, TimeUnit.SECONDS.toNanos(1), 1 << 20);
        evictor.start();
        try {
            steps.ticks.await();
            // a park may end a little early, and then there is one more
            assertTrue(steps.stepsThen <= 1 + 3 * Steps.TICKS, "steps=" + steps.stepsThen);
        } finally {
            evictor.close();
        }
    }

    @Test
    void shouldSyncSchemaThenWriteThenAnnounceThenSyncThenMarkThenCallDurable() {
        seal(3);
        try (Evictor evictor = evictor()) {
            evictor.start();
            evictor.force();
            assertEquals(
                    List.of(
                            new Step("schema", 0, 0),
                            new Step("write 0", 0, 0),
                            new Step("schema", 3, 0),
                            new Step("sync", 3, 0),
                            new Step("sync directory", 3, 0),
                            new Step("mark", 3, 0)),
                    order.take().subList(0, 6));
            assertArrayEquals(new long[] {3 * PAGE}, order.marked);
            assertEquals(3 * PAGE, watermarks.evictedAcquire());
            assertEquals(3 * PAGE, watermarks.durableAcquire());
            evictor.whilePaused(() -> {
                order.take();
                seal(2);
            });
            evictor.force();
        }
        assertEquals(5 * PAGE, watermarks.durableAcquire());
        List<Step> steps = order.take();
        assertTrue(
                steps.indexOf(new Step("write 3", 3, 3)) < steps.indexOf(new Step("write 0", 4, 3)), steps::toString);
        assertTrue(steps.indexOf(new Step("write 0", 4, 3)) < steps.indexOf(new Step("sync", 5, 3)), steps::toString);
        assertTrue(steps.indexOf(new Step("sync", 5, 3)) < steps.indexOf(new Step("mark", 5, 3)), steps::toString);
        assertArrayEquals(new long[] {5 * PAGE}, order.marked);
    }

    @Test
    void shouldKeepPagesInTheRingWhoseWriteFails() {
        seal(2);
        order.failing = "write 0";
        Evictor evictor = evictor();
        evictor.start();
        assertThrows(StoreIoException.class, evictor::force);
        assertEquals(0, watermarks.evictedAcquire());
        assertEquals(0, watermarks.durableAcquire());
        order.failing = "";
        evictor.force();
        assertEquals(2 * PAGE, watermarks.evictedAcquire());
        assertEquals(2 * PAGE, watermarks.durableAcquire());
        evictor.close();
    }

    @Test
    void shouldWriteAgainBeforeTheNextSyncWhatAFailedSyncMayHaveLost() throws Exception {
        seal(2);
        order.failing = "sync";
        Evictor evictor = evictor();
        evictor.start();
        assertThrows(StoreIoException.class, evictor::force);
        assertEquals(2 * PAGE, watermarks.evictedAcquire());
        assertEquals(0, watermarks.durableAcquire());
        assertEquals(0, order.marked.length, "nothing is durable");
        byte[] written = Files.readAllBytes(segments().file(0));
        order.failing = "";
        evictor.whilePaused(order::take);
        evictor.force();
        List<Step> steps = order.take();
        int first = steps.indexOf(new Step("write 0", 2, 0));
        assertTrue(first >= 0, steps::toString);
        assertEquals(new Step("write 1", 2, 0), steps.get(first + 1));
        assertEquals(new Step("sync", 2, 0), steps.get(first + 2));
        assertArrayEquals(new long[] {2 * PAGE}, order.marked);
        assertEquals(2 * PAGE, watermarks.durableAcquire());
        evictor.close();
        assertArrayEquals(written, Files.readAllBytes(segments().file(0)));
    }

    /** A heap that is hardly used would keep the memory of each attempt for hours. */
    @Test
    void shouldLeaveNoMemoryToTheGarbageCollectorWhileTheDiskFails() {
        BufferPoolMXBean direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .findFirst()
                .orElseThrow();
        seal(2);
        order.failing = "sync";
        Evictor evictor = evictor();
        evictor.start();
        for (int i = 0; i < 2; i++) {
            assertThrows(StoreIoException.class, evictor::force); // the first writes nothing again
        }
        long before = direct.getMemoryUsed();
        for (int i = 0; i < 20; i++) {
            assertThrows(StoreIoException.class, evictor::force);
        }
        long more = direct.getMemoryUsed() - before;
        assertTrue(more < 20 * PAGE, () -> "bytes more=" + more);
        order.failing = "";
        evictor.close();
    }

    /** Of which the ring has forgotten the first. */
    private Evictor withTenPagesThatNoSyncHasReached() {
        order.failing = "sync";
        Evictor evictor = evictor();
        evictor.start();
        for (int i = 0; i < 10; i++) {
            seal(1);
            assertThrows(StoreIoException.class, evictor::force);
        }
        return evictor;
    }

    private void zero(long pageNumber) throws IOException {
        try (FileChannel file = FileChannel.open(segments().file(pageNumber * PAGE), StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.allocate(PAGE), pageNumber * PAGE % segments().segmentLength());
        }
    }

    /** The system may have given up a page that it could not write. */
    @Test
    void shouldWriteAgainFromTheRingWhatTheDiskHasLost() throws Exception {
        seal(2);
        order.failing = "sync";
        Evictor evictor = evictor();
        evictor.start();
        assertThrows(StoreIoException.class, evictor::force);
        byte[] written = Files.readAllBytes(segments().file(0));
        zero(0);
        order.failing = "";
        evictor.force();
        assertEquals(2 * PAGE, watermarks.durableAcquire());
        evictor.close();
        assertArrayEquals(written, Files.readAllBytes(segments().file(0)));
    }

    @Test
    void shouldMakeDurableWhatComesBehindAPageThatIsLost() throws Exception {
        Evictor evictor = withTenPagesThatNoSyncHasReached();
        zero(0);
        order.failing = "";
        evictor.force();
        assertEquals(10 * PAGE, watermarks.durableAcquire());
        evictor.close();
        LogView view = new LogView(LogKind.RECORD, STORE_ID, order, segments(), watermarks, null);
        try (PageReader pages = new PageReader(view)) {
            for (long pageNumber = 0; pageNumber < 10; pageNumber++) {
                assertEquals(
                        pageNumber == 0 ? PageState.DAMAGED : PageState.PRESENT,
                        pages.read(pageNumber * PAGE, 10 * PAGE),
                        "page=" + pageNumber);
            }
        }
    }

    @Test
    void shouldAskAFewTimesForAPageThatTheDiskDoesNotDeliver() {
        Evictor evictor = withTenPagesThatNoSyncHasReached();
        order.failing = "";
        order.unreadable = 0;
        for (int i = 0; i < 4; i++) {
            StoreIoException e = assertThrows(StoreIoException.class, evictor::force);
            assertTrue(String.valueOf(e.getMessage()).contains("injected failure: read"), e::toString);
            assertEquals(0, watermarks.durableAcquire());
        }
        evictor.force();
        assertEquals(10 * PAGE, watermarks.durableAcquire());
        evictor.close();
    }

    /** Pages that were given up long ago are no reason to give another one up at its first failure. */
    @Test
    void shouldAskForEachPageAFewTimes() {
        Evictor evictor = withTenPagesThatNoSyncHasReached();
        order.failing = "";
        order.unreadable = 0;
        for (int i = 0; i < 4; i++) {
            assertThrows(StoreIoException.class, evictor::force);
        }
        order.unreadable = PAGE;
        for (int i = 0; i < 4; i++) {
            assertThrows(StoreIoException.class, evictor::force);
            assertEquals(0, watermarks.durableAcquire());
        }
        evictor.force();
        assertEquals(10 * PAGE, watermarks.durableAcquire());
        evictor.close();
    }

    /** What comes from the ring tells nothing of the disk. */
    @Test
    void shouldNeverGiveUpPagesWhileTheDiskDeliversNothing() {
        Evictor evictor = withTenPagesThatNoSyncHasReached();
        order.failing = "";
        order.unreadable = ANYWHERE;
        for (int i = 0; i < 20; i++) {
            assertThrows(StoreIoException.class, evictor::force);
            assertEquals(0, watermarks.durableAcquire());
        }
        order.unreadable = 0;
        for (int i = 0; i < 4; i++) { // only now are attempts counted
            assertThrows(StoreIoException.class, evictor::force);
            assertEquals(0, watermarks.durableAcquire());
        }
        order.unreadable = -1;
        evictor.force();
        assertEquals(10 * PAGE, watermarks.durableAcquire());
        evictor.close();
    }

    @Test
    void shouldNotCallDurableWhatTheMarkDoesNotSay() {
        seal(1);
        order.failing = "mark";
        Evictor evictor = evictor();
        evictor.start();
        assertThrows(StoreIoException.class, evictor::force);
        assertEquals(PAGE, watermarks.evictedAcquire());
        assertEquals(0, watermarks.durableAcquire());
        order.failing = "";
        evictor.force();
        assertEquals(PAGE, watermarks.durableAcquire());
        evictor.close();
    }

    @Test
    void shouldWriteNoPageWhoseSchemaIsNotDurable() {
        seal(1);
        order.failing = "schema";
        Evictor evictor = evictor();
        evictor.start();
        assertThrows(StoreIoException.class, evictor::force);
        assertEquals(0, watermarks.evictedAcquire());
        assertTrue(order.take().stream().noneMatch(step -> step.what().startsWith("write")));
        order.failing = "";
        evictor.force();
        assertEquals(PAGE, watermarks.durableAcquire());
        evictor.close();
    }

    /** However often it has failed, as that says nothing of what the next attempt costs. */
    @Test
    @Timeout(30)
    void shouldGoOnSoonAfterManyFailuresThatTookNoTime() {
        openPage(500);
        order.failing = "keep 500 of 0";
        Evictor evictor = evictor(TimeUnit.MILLISECONDS.toNanos(1));
        evictor.start();
        for (int i = 0; i < 20; i++) {
            assertThrows(StoreIoException.class, evictor::force);
        }
        order.failing = "";
        while (watermarks.keptAcquire() < 500) {
            Thread.onSpinWait();
        }
        evictor.close();
    }

    @Test
    void shouldPauseNineTimesAsLongAsAFailedAttemptTook() {
        long second = TimeUnit.SECONDS.toNanos(1);
        assertEquals(second, Evictor.pauseNs(second, 0));
        assertEquals(second, Evictor.pauseNs(second, second / 10));
        assertEquals(9 * second, Evictor.pauseNs(second, second));
        assertEquals(60 * second, Evictor.pauseNs(second, 60 * second));
        assertEquals(120 * second, Evictor.pauseNs(120 * second, 60 * second));
    }

    private void openPage(int used) {
        log.beginPage(0, log.tail(), false);
        log.advance(used - PageDescriptor.HEADER_LENGTH);
        log.publish();
    }

    @Test
    void shouldKeepTheOpenPageWithItsSchemaOnceAllBeforeItIsDurable() {
        seal(2);
        openPage(500);
        try (Evictor evictor = evictor()) {
            evictor.start();
            evictor.force();
            List<Step> steps = order.take();
            int kept = steps.indexOf(new Step("keep 500 of 2", 2, 2));
            assertEquals(List.of(new Step("mark", 2, 0), new Step("schema", 2, 2)), steps.subList(kept - 2, kept));
            assertEquals(2 * PAGE, watermarks.durableAcquire());
            assertEquals(2 * PAGE + 500, watermarks.keptAcquire());
            evictor.force();
            assertTrue(order.take().stream().noneMatch(step -> step.what().startsWith("keep")), "there is nothing new");
            log.advance(8);
            log.publish();
            evictor.force();
            assertTrue(order.take().contains(new Step("keep 508 of 2", 2, 2)));
            assertEquals(2 * PAGE + 508, watermarks.keptAcquire());
        }
    }

    @Test
    void shouldKeepNoPageBehindOneThatIsNotDurable() {
        seal(1);
        openPage(500);
        order.failing = "write 0";
        Evictor evictor = evictor();
        evictor.start();
        assertThrows(StoreIoException.class, evictor::force);
        order.failing = "mark";
        assertThrows(StoreIoException.class, evictor::force);
        assertTrue(order.take().stream().noneMatch(step -> step.what().startsWith("keep")));
        assertEquals(0, watermarks.keptAcquire());
        order.failing = "keep 500 of 1";
        assertThrows(StoreIoException.class, evictor::force);
        assertEquals(PAGE, watermarks.keptAcquire());
        order.failing = "";
        evictor.force();
        assertEquals(PAGE + 500, watermarks.keptAcquire());
        evictor.close();
    }
}
