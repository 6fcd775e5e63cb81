package dev.loom.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.loom.log.Watermarks;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/** A record is stored plainly, then the tail published; who sees the tail must see the record. */
public final class TailPublishing {
    private static final int RECORD = 256;

    private TailPublishing() {}

    /** As it is, by the log's own class. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "before")
    @Outcome(id = "0, 7", expect = ACCEPTABLE, desc = "stored, not published")
    @Outcome(id = "64, 7", expect = ACCEPTABLE, desc = "after")
    @Outcome(id = "64, 0", expect = FORBIDDEN, desc = "published before it was stored")
    @State
    public static class Released {
        private final ByteBuffer bytes = ByteBuffer.allocateDirect(512).order(ByteOrder.LITTLE_ENDIAN);
        private final Watermarks watermarks = new Watermarks(bytes, 0);

        @Actor
        public void writer() {
            bytes.putLong(RECORD, 7);
            watermarks.tailRelease(64);
        }

        @Actor
        public void reader(JJ_Result result) {
            result.r1 = watermarks.tailAcquire();
            result.r2 = bytes.getLong(RECORD);
        }
    }

    /** Weakened: a plain tail, read twice as in a loop that a compiler may hoist. */
    @JCStressTest
    @Outcome(
            id = {"0, 0", "0, 7", "64, 7"},
            expect = ACCEPTABLE,
            desc = "in order")
    @Outcome(id = "64, 0", expect = ACCEPTABLE_INTERESTING, desc = "published before it was stored")
    @State
    public static class Plain {
        private final ByteBuffer bytes = ByteBuffer.allocateDirect(512).order(ByteOrder.LITTLE_ENDIAN);

        @Actor
        public void writer() {
            bytes.putLong(RECORD, 7);
            bytes.putLong(0, 64);
        }

        @Actor
        public void reader(JJ_Result result) {
            // reading the record early once lets a compiler use that value again
            long early = bytes.getLong(RECORD);
            result.r1 = bytes.getLong(0);
            result.r2 = early == 0 ? bytes.getLong(RECORD) : early;
        }
    }
}
