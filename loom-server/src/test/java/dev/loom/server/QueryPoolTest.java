package dev.loom.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.server.http.ApiFailure;
import dev.loom.server.http.Load;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.util.component.AbstractLifeCycle;
import org.eclipse.jetty.util.thread.Scheduler;
import org.junit.jupiter.api.Test;

/** What waits for a turn, and what is kept of it. */
final class QueryPoolTest {
    /** Runs nothing by itself. */
    private static final class Deadlines extends AbstractLifeCycle implements Scheduler {
        private final List<Runnable> kept = new ArrayList<>();

        @Override
        public synchronized Task schedule(Runnable task, long delay, TimeUnit unit) {
            kept.add(task);
            return () -> {
                synchronized (this) {
                    return kept.remove(task);
                }
            };
        }

        synchronized List<Runnable> kept() {
            return List.copyOf(kept);
        }
    }

    private final Deadlines deadlines = new Deadlines();
    private final List<ApiFailure> refusals = new ArrayList<>();
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final Semaphore answered = new Semaphore(0);

    private static QueryPool newPool() {
        return new QueryPool(new QueryPool.Limits(1, 3, Duration.ofSeconds(30), 1), Set.of("q"));
    }

    private QueryPool.Turn execute(QueryPool pool, Runnable answer) {
        QueryPool.Turn turn = pool.turn(Load.QUERY, "q", answer);
        pool.execute(turn, deadlines, refusals::add);
        return turn;
    }

    private void occupy(QueryPool pool) throws InterruptedException {
        execute(pool, () -> {
            begun.countDown();
            try {
                goOn.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        begun.await();
    }

    @Test
    void shouldKeepNothingOfARequestThatIsAnswered() throws Exception {
        try (QueryPool pool = newPool()) {
            occupy(pool);
            for (int i = 0; i < 3; i++) {
                execute(pool, answered::release);
            }
            assertEquals(3, deadlines.kept().size());
            goOn.countDown();
            answered.acquire(3);
            assertEquals(List.of(), deadlines.kept());
            assertEquals(List.of(), refusals);
        }
    }

    @Test
    void shouldKeepNothingOfARequestThatIsGivenUp() throws Exception {
        try (QueryPool pool = newPool()) {
            occupy(pool);
            QueryPool.Turn turn = execute(pool, answered::release);
            assertTrue(turn.giveUp());
            assertFalse(turn.giveUp());
            assertEquals(List.of(), deadlines.kept());
            assertEquals(0, pool.queued(Load.QUERY));
            goOn.countDown();
        }
        assertEquals(0, answered.availablePermits());
    }

    @Test
    void shouldRefuseWhatHasWaitedTooLong() throws Exception {
        try (QueryPool pool = newPool()) {
            occupy(pool);
            QueryPool.Turn turn = execute(pool, answered::release);
            deadlines.kept().get(0).run();
            assertEquals(429, refusals.get(0).status());
            assertFalse(turn.giveUp());
            assertEquals(1, pool.refused());
            goOn.countDown();
        }
    }
}
