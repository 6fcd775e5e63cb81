package dev.loom.cli.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.loom.api.ProgressHandler;
import dev.loom.cli.console.Interruption;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LimitEnforcementTest {
    private final Interruption interruption = new Interruption();

    /** A store on a file system that frees the space of a deletion some steps later, as btrfs does. */
    private static final class LateStore implements LimitEnforcement.Store {
        private final int latency;
        private final int segments;
        private final int wanted;
        private int deleted;
        private int freed;
        private int idleSteps;

        LateStore(int latency, int segments, int wanted) {
            this.latency = latency;
            this.segments = segments;
            this.wanted = wanted;
        }

        @Override
        public void step() {
            if (freed == deleted && isShort() && deleted < segments) {
                deleted++;
                idleSteps = 0;
            } else if (++idleSteps >= latency) {
                freed = deleted;
            }
        }

        @Override
        public long begin() {
            return deleted;
        }

        @Override
        public boolean isShort() {
            return freed < wanted;
        }

        @Override
        public @Nullable String problem() {
            return isShort() && freed == segments ? "nothing left" : null;
        }
    }

    @Test
    void shouldGoOnOnceFreedSpaceIsThere() throws InterruptedException {
        LateStore store = new LateStore(3, 9, 4);
        assertNull(LimitEnforcement.run(store, ProgressHandler.NONE, interruption));
        assertEquals(4, store.begin());
    }

    @Test
    void shouldTellWhatIsMissedOnceNothingIsLeft() throws InterruptedException {
        LateStore store = new LateStore(2, 3, 4);
        assertEquals("nothing left", LimitEnforcement.run(store, ProgressHandler.NONE, interruption));
        assertEquals(3, store.begin());
    }

    @Test
    void shouldNotWaitForSpaceOnceInterrupted() throws InterruptedException {
        interruption.request();
        assertNotNull(LimitEnforcement.run(new LateStore(Integer.MAX_VALUE, 3, 4), ProgressHandler.NONE, interruption));
    }
}
