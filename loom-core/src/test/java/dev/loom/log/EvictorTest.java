package dev.loom.log;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The evictor's thread, without logs. */
final class EvictorTest {
    /** Counts the thread's steps, each of which syncs the schema, until it has ticked a few times. */
    private static final class Steps implements Durability {
        private static final int TICKS = 3;

        private final CountDownLatch ticks = new CountDownLatch(TICKS);
        private final AtomicInteger steps = new AtomicInteger();

        @Override
        public void syncSchema() {
            steps.incrementAndGet();
        }

        @Override
        public void writeMark(long[] durable) {}

        @Override
        public void tick() {
            ticks.countDown();
        }
    }

    @Test
    void shouldWakeForItsTicksAloneWhenIdle() throws InterruptedException {
        Steps steps = new Steps();
        Evictor evictor = Evictor.create(List.of(), 1, steps, TimeUnit.SECONDS.toNanos(1), 1 << 20);
        evictor.start();
        try {
            steps.ticks.await();
            // a park may end a little early, and then there is one more
            assertTrue(steps.steps.get() <= 1 + 3 * Steps.TICKS, "steps=" + steps.steps);
        } finally {
            evictor.close();
        }
    }
}
