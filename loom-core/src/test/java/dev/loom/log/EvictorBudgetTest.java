package dev.loom.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.HookedStorage;
import dev.loom.error.StoreIoException;
import dev.loom.io.LoomFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** When the evictor asks for room, and what it makes durable so that there can be some. */
@Timeout(60)
final class EvictorBudgetTest {
    private static final int PAGE = PageDescriptor.PAGE_LENGTH;

    /** What the evictor did, in order, and what the test lets the disk and the budget do. */
    private static final class Steps extends HookedStorage implements Durability, SegmentBudget {
        private final List<String> done = new CopyOnWriteArrayList<>();
        private volatile String refused = "";
        private volatile boolean hasRoom = true;
        private volatile boolean isShort;
        private volatile boolean relieves;
        private volatile boolean relievesDurable;
        private volatile boolean fails;

        @Override
        protected void onWrite(Path file, long position, boolean direct) {
            String what = "write " + Segments.firstOf(file) / PAGE;
            done.add(what);
            if (what.equals(refused)) {
                throw new StoreIoException("injected failure: step=" + what);
            }
        }

        @Override
        protected void force(LoomFile file) {
            done.add("sync");
        }

        @Override
        public void syncSchema() {}

        @Override
        public void writeMark(long[] durable) {
            done.add("mark " + durable[0] / PAGE);
            relieves |= relievesDurable;
        }

        @Override
        public void tick() {}

        @Override
        public boolean makeRoom(long bytes) {
            done.add("room " + bytes / PAGE);
            return hasRoom;
        }

        @Override
        public boolean relieve() {
            done.add("relieve");
            if (fails) {
                throw new StoreIoException("injected failure: step=relieve");
            }
            if (relieves) {
                refused = "";
            }
            return relieves;
        }

        @Override
        public boolean isShort() {
            return isShort;
        }
    }

    @TempDir
    Path temp;

    private final Steps steps = new Steps();
    private final Watermarks watermarks =
            new Watermarks(ByteBuffer.allocateDirect(Watermarks.LENGTH).order(ByteOrder.LITTLE_ENDIAN), 0);
    private final HybridLog log = new HybridLog(
            LogKind.RECORD, 1, 1, ByteBuffer.allocateDirect(8 * PAGE).order(ByteOrder.LITTLE_ENDIAN), watermarks, 0, 0);

    /** An evictor to which six pages were handed: four of a segment, and two of the next. */
    private Evictor started() {
        for (int i = 0; i < 6; i++) {
            log.beginPage(i, log.tail(), false);
            log.advance(500);
            log.sealPage(i);
        }
        log.publish();
        log.publishSealed();
        Evictor evictor = Evictor.create(
                List.of(new Evictor.Assignment(
                        log, new SegmentWriter(steps, new Segments(temp, 4L * PAGE), false, () -> {}), null)),
                1,
                steps,
                steps,
                TimeUnit.HOURS.toNanos(1),
                Long.MAX_VALUE);
        evictor.start();
        return evictor;
    }

    @Test
    void shouldAskForTheRoomOfEachRunBeforeItIsWritten() {
        try (Evictor evictor = started()) {
            evictor.force();
            assertEquals(List.of("room 4", "write 0", "room 2", "write 4", "sync", "sync", "mark 6"), steps.done);
        }
    }

    /** Only what is durable can be deleted. */
    @Test
    void shouldMakeDurableWhatItHasWrittenWhereThereIsNoRoom() {
        steps.hasRoom = false;
        try (Evictor evictor = started()) {
            evictor.force();
            assertEquals(
                    List.of("room 4", "write 0", "room 2", "sync", "mark 4", "room 2", "write 4"),
                    steps.done.subList(0, 7));
            assertEquals(6 * PAGE, watermarks.durableAcquire());
        }
    }

    @Test
    void shouldWriteAgainAtOnceWhereRoomCouldBeMade() {
        steps.refused = "write 0";
        steps.relieves = true;
        try (Evictor evictor = started()) {
            evictor.force();
            assertEquals(List.of("room 4", "write 0", "relieve", "room 4", "write 0"), steps.done.subList(0, 5));
            assertEquals(0, evictor.writeFailures());
        }
    }

    @Test
    void shouldMakeDurableWhatCanThenBeDeletedForTheDisk() {
        steps.refused = "write 4";
        steps.isShort = true;
        steps.relievesDurable = true;
        try (Evictor evictor = started()) {
            evictor.force();
            assertEquals(
                    List.of("write 4", "relieve", "sync", "sync", "mark 4", "relieve", "room 2", "write 4"),
                    steps.done.subList(3, 11));
            assertEquals(0, evictor.writeFailures());
        }
    }

    @Test
    void shouldMakeNothingDurableForADiskThatHasRoom() {
        steps.refused = "write 4";
        Evictor evictor = started();
        assertEquals(4, writtenWhenRefused(evictor));
        assertEquals(0, watermarks.durableAcquire());
        steps.refused = "";
        evictor.close();
        assertEquals(6 * PAGE, watermarks.durableAcquire());
    }

    @Test
    void shouldNotLookForRoomAgainWhereNothingIsToBecomeDurable() {
        steps.refused = "write 0";
        steps.isShort = true;
        Evictor evictor = started();
        assertEquals(0, writtenWhenRefused(evictor));
        assertEquals(List.of("room 4", "write 0", "relieve"), steps.done.subList(0, 3));
        assertTrue(steps.done.stream().noneMatch(step -> step.startsWith("mark")), steps.done::toString);
        steps.refused = "";
        evictor.close();
    }

    /** What the disk refused first is what counts. */
    @Test
    void shouldTellOfTheWriteWhereMakingRoomFailsToo() {
        steps.refused = "write 0";
        steps.fails = true;
        Evictor evictor = started();
        StoreIoException thrown = assertThrows(StoreIoException.class, evictor::force);
        assertTrue(thrown.getMessage().contains("write 0"), thrown::getMessage);
        steps.refused = "";
        evictor.close();
    }

    private long writtenWhenRefused(Evictor evictor) {
        assertThrows(StoreIoException.class, evictor::force);
        assertTrue(evictor.writeFailures() > 0);
        return watermarks.evictedAcquire() / PAGE;
    }
}
