package dev.loom.record;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.error.SecondWriterException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who may write when, by the object alone that decides it. */
final class WriterTurnsTest {
    /** Whose thread lives on between its tasks. */
    private final ExecutorService other = Executors.newSingleThreadExecutor();

    private int left;
    private final List<String> tasks = new ArrayList<>();
    private final WriterOwnership ownership = new WriterOwnership(() -> left++);

    @AfterEach
    void stopThreads() {
        other.shutdownNow();
    }

    private @Nullable Throwable elsewhere(Runnable task) throws InterruptedException {
        try {
            other.submit(task).get();
            return null;
        } catch (ExecutionException e) {
            return e.getCause();
        }
    }

    private void assertRefusedElsewhere() throws InterruptedException {
        assertEquals(SecondWriterException.class, elsewhere(ownership::admit).getClass());
    }

    private void assertTakenElsewhere() throws InterruptedException {
        assertNull(elsewhere(ownership::admit));
    }

    @Test
    void shouldKeepOthersOutUntilTheOwnerReleasesTheRole() throws InterruptedException {
        ownership.admit();
        ownership.admit();
        assertRefusedElsewhere();
        assertEquals(0, left);
        ownership.release();
        assertEquals(1, left);
        assertTakenElsewhere();
        assertThrows(SecondWriterException.class, ownership::admit);
        assertThrows(SecondWriterException.class, ownership::release);
    }

    /** The evictor, for which a summons waits, may need the same object meanwhile. */
    @Test
    void shouldAnswerASummonsWhileOthersGoOn() throws InterruptedException {
        ownership.admit();
        List<Boolean> ended = new ArrayList<>();
        ownership.summon(() -> {
            Thread evictor = new Thread(() -> ownership.bar(new Thread(() -> {})));
            evictor.start();
            try {
                evictor.join(TimeUnit.MINUTES.toMillis(2));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            ended.add(!evictor.isAlive());
        });
        ownership.takeTurns(this);
        assertEquals(List.of(true), ended);
    }

    @Test
    void shouldReleaseNothingWithoutAnOwner() {
        ownership.release();
        assertEquals(0, left);
    }

    @Test
    void shouldTakeTheRoleOfAThreadThatHasEnded() throws InterruptedException {
        Thread ended = new Thread(() -> {
            ownership.admit();
            ownership.beginClaim(3);
        });
        ended.start();
        ended.join();
        assertEquals(0, left);
        ownership.admit();
        assertEquals(1, left, "its claim is ended");
    }

    @Test
    void shouldRefuseAllButTheClaimsEndWhileOneIsOpen() throws InterruptedException {
        ownership.admit();
        ownership.beginClaim(3);
        String refused =
                assertThrows(IllegalStateException.class, ownership::admit).getMessage();
        assertEquals("a claim is neither committed nor aborted: source=3", refused);
        assertThrows(IllegalStateException.class, ownership::release);
        assertRefusedElsewhere();
        assertDoesNotThrow(ownership::own);
        ownership.endClaim();
        assertDoesNotThrow(ownership::admit);
        ownership.beginClaim(4);
        ownership.endTurn();
        assertEquals(1, left);
        assertTakenElsewhere();
    }

    @Test
    void shouldRefuseWhatAFunctionWritesAndThenGoOnAsBefore() throws InterruptedException {
        ownership.admit();
        ownership.enter();
        assertThrows(SecondWriterException.class, ownership::admit);
        assertThrows(SecondWriterException.class, ownership::endTurn);
        assertThrows(SecondWriterException.class, ownership::release);
        assertThrows(SecondWriterException.class, ownership::takeToClose);
        ownership.leave();
        assertDoesNotThrow(ownership::admit);
        ownership.beginClaim(3);
        ownership.enter();
        ownership.leave();
        assertThrows(IllegalStateException.class, ownership::admit);
        ownership.endClaim();
        assertDoesNotThrow(ownership::release);
        assertTakenElsewhere();
    }

    @Test
    void shouldAdmitOnlyWhoHasTheTurn() throws InterruptedException {
        Object turns = new Object();
        ownership.takeTurns(turns);
        assertThrows(SecondWriterException.class, ownership::admit);
        assertThrows(SecondWriterException.class, () -> ownership.take(new Object()));
        ownership.take(turns);
        assertDoesNotThrow(ownership::admit);
        assertRefusedElsewhere();
        assertEquals(
                SecondWriterException.class,
                elsewhere(() -> ownership.take(turns)).getClass());
        ownership.endTurn();
        assertThrows(SecondWriterException.class, ownership::admit);
        ownership.takeToClose();
        assertDoesNotThrow(ownership::admit, "turns have ended");
    }

    @Test
    void shouldHandOverToAThreadThatHasNotWritten() throws InterruptedException {
        ownership.admit();
        Thread[] next = new Thread[1];
        assertNull(elsewhere(() -> next[0] = Thread.currentThread()));
        ownership.handOver(next[0]);
        assertThrows(SecondWriterException.class, ownership::admit);
        assertThrows(SecondWriterException.class, () -> ownership.handOver(Thread.currentThread()));
        assertTakenElsewhere();
    }

    @Test
    void shouldNeverAdmitAThreadThatIsBarred() throws InterruptedException {
        ownership.bar(Thread.currentThread());
        ownership.bar(new Thread());
        assertThrows(SecondWriterException.class, ownership::admit);
        assertTakenElsewhere();
    }

    @Test
    void shouldAdmitNobodyWhenClosed() throws InterruptedException {
        ownership.admit();
        ownership.close();
        assertEquals(1, left);
        assertThrows(IllegalStateException.class, ownership::admit);
        assertEquals(IllegalStateException.class, elsewhere(ownership::admit).getClass());
    }

    @Test
    void shouldRunATaskBeforeTheOwnersNextWrite() throws InterruptedException {
        ownership.admit();
        ownership.summon(() -> tasks.add("replaced"));
        ownership.summon(() -> tasks.add("run"));
        assertRefusedElsewhere();
        assertEquals(List.of(), tasks);
        ownership.admit();
        ownership.admit();
        assertEquals(List.of("run"), tasks);
    }

    @Test
    void shouldRunATaskOfTheNextOwnerWhenThereIsNone() throws InterruptedException {
        ownership.summon(() -> tasks.add(Thread.currentThread().getName()));
        assertTakenElsewhere();
        assertEquals(1, tasks.size());
        assertThrows(SecondWriterException.class, ownership::admit);
    }

    @Test
    void shouldRunATaskWithinATurn() {
        Object turns = new Object();
        ownership.takeTurns(turns);
        ownership.take(turns);
        ownership.summon(() -> tasks.add("run"));
        assertDoesNotThrow(ownership::admit);
        assertEquals(List.of("run"), tasks);
    }

    @Test
    void shouldRunATaskAgainWhenItFails() {
        ownership.admit();
        ownership.summon(() -> {
            tasks.add("run");
            if (tasks.size() < 3) {
                throw new IllegalStateException("not yet");
            }
        });
        assertThrows(IllegalStateException.class, ownership::admit);
        assertThrows(IllegalStateException.class, ownership::admit);
        assertDoesNotThrow(ownership::admit);
        assertDoesNotThrow(ownership::admit);
        assertEquals(3, tasks.size());
    }

    @Test
    void shouldEndAnOpenClaimWhenItIsTakenToClose() {
        ownership.admit();
        ownership.beginClaim(3);
        ownership.takeToClose();
        assertEquals(1, left);
        assertDoesNotThrow(ownership::admit);
    }

    @Test
    void shouldNotBeTakenToCloseFromALivingWriter() throws InterruptedException {
        assertTakenElsewhere();
        assertThrows(SecondWriterException.class, ownership::takeToClose);
        assertThrows(SecondWriterException.class, ownership::admit);
        assertEquals(0, left);
    }

    @Test
    void shouldKnowWhetherThreadsTakeTurns() {
        assertFalse(ownership.inTurns());
        ownership.takeTurns(this);
        assertTrue(ownership.inTurns());
        ownership.takeToClose();
        assertFalse(ownership.inTurns());
    }

    /** Which may have to wait for what calls it. */
    @Test
    void shouldRefuseQuestionsOfCodeThatTheStoreCalls() throws InterruptedException {
        assertDoesNotThrow(ownership::refuseInside);
        ownership.admit();
        assertDoesNotThrow(ownership::refuseInside);
        ownership.enter();
        assertThrows(IllegalStateException.class, ownership::refuseInside);
        assertNull(elsewhere(ownership::refuseInside), "other threads may ask meanwhile");
        ownership.leave();
        assertDoesNotThrow(ownership::refuseInside);
        assertDoesNotThrow(ownership::refuseBarred);
        ownership.bar(Thread.currentThread());
        assertTrue(ownership.isBarred(Thread.currentThread()));
        assertThrows(IllegalStateException.class, ownership::refuseInside);
        assertThrows(SecondWriterException.class, ownership::refuseBarred);
        assertNull(elsewhere(ownership::refuseBarred));
        assertNull(elsewhere(ownership::refuseInside));
    }

    @Test
    void shouldRunATaskOfTheThreadThatTheRoleIsHandedTo() throws InterruptedException {
        ownership.admit();
        ownership.summon(() -> tasks.add(Thread.currentThread().getName()));
        Thread[] next = new Thread[1];
        assertNull(elsewhere(() -> next[0] = Thread.currentThread()));
        ownership.handOver(next[0]);
        assertEquals(List.of(), tasks);
        assertTakenElsewhere();
        assertEquals(List.of(next[0].getName()), tasks);
    }
}
