package dev.loom.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/**
 * The reader's protocol for pages in the ring: the writer recycles a place of two words that holds 1, 1, and the reader
 * copies it. Results are what a validated copy holds; -1, -1 is a copy that was thrown away. The accesses are those of
 * {@code HybridLog.beginPage} and {@code PageReader.copyFromRing}, on a direct buffer.
 */
public final class CopyAndValidate {
    static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    static final int OVERWRITTEN = 128;

    private CopyAndValidate() {}

    /** A ring of one place at offset 0, and its watermark. */
    abstract static class Ring {
        final ByteBuffer bytes = ByteBuffer.allocateDirect(256).order(ByteOrder.LITTLE_ENDIAN);

        Ring() {
            bytes.putLong(0, 1).putLong(64, 1);
        }

        void copy(JJ_Result result) {
            result.r1 = bytes.getLong(0);
            result.r2 = bytes.getLong(64);
        }

        void overwrite() {
            bytes.putLong(0, 2).putLong(64, 2);
        }

        void discardUnless(boolean valid, JJ_Result result) {
            if (!valid) {
                result.r1 = -1;
                result.r2 = -1;
            }
        }
    }

    /** As it is. */
    @JCStressTest
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "whole")
    @Outcome(id = "-1, -1", expect = ACCEPTABLE, desc = "discarded")
    @State
    public static class Fenced extends Ring {
        @Actor
        public void writer() {
            LONG.setOpaque(bytes, OVERWRITTEN, 1L);
            VarHandle.storeStoreFence();
            overwrite();
        }

        @Actor
        public void reader(JJ_Result result) {
            copy(result);
            VarHandle.acquireFence();
            discardUnless((long) LONG.getOpaque(bytes, OVERWRITTEN) == 0, result);
        }
    }

    /** Weakened: nothing but plain accesses. */
    @JCStressTest
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "whole")
    @Outcome(id = "-1, -1", expect = ACCEPTABLE, desc = "discarded")
    @Outcome(expect = ACCEPTABLE_INTERESTING, desc = "torn or overwritten, and yet validated")
    @State
    public static class Plain extends Ring {
        @Actor
        public void writer() {
            overwrite();
            bytes.putLong(OVERWRITTEN, 1);
        }

        @Actor
        public void reader(JJ_Result result) {
            boolean valid = bytes.getLong(OVERWRITTEN) == 0;
            copy(result);
            discardUnless(valid, result);
        }
    }

    /** Weakened: the writer does not fence. On x86 stores keep their order, so that only a compiler could break it. */
    @JCStressTest
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "whole")
    @Outcome(id = "-1, -1", expect = ACCEPTABLE, desc = "discarded")
    @Outcome(expect = ACCEPTABLE_INTERESTING, desc = "torn or overwritten, and yet validated")
    @State
    public static class WriterUnfenced extends Ring {
        @Actor
        public void writer() {
            bytes.putLong(OVERWRITTEN, 1);
            overwrite();
        }

        @Actor
        public void reader(JJ_Result result) {
            copy(result);
            VarHandle.acquireFence();
            discardUnless((long) LONG.getOpaque(bytes, OVERWRITTEN) == 0, result);
        }
    }

    /** Weakened: the reader does not fence. On x86 loads keep their order, so that only a compiler could break it. */
    @JCStressTest
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "whole")
    @Outcome(id = "-1, -1", expect = ACCEPTABLE, desc = "discarded")
    @Outcome(expect = ACCEPTABLE_INTERESTING, desc = "torn or overwritten, and yet validated")
    @State
    public static class ReaderUnfenced extends Ring {
        @Actor
        public void writer() {
            LONG.setOpaque(bytes, OVERWRITTEN, 1L);
            VarHandle.storeStoreFence();
            overwrite();
        }

        @Actor
        public void reader(JJ_Result result) {
            copy(result);
            discardUnless(bytes.getLong(OVERWRITTEN) == 0, result);
        }
    }
}
