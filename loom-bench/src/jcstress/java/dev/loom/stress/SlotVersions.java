package dev.loom.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import dev.loom.record.LossSlots;
import dev.loom.record.SourceSlots;
import dev.loom.record.SourceTotals;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJJ_Result;

/** The slots that the writer changes under its readers, by their own classes. */
public final class SlotVersions {
    private SlotVersions() {}

    /** A slot is read whole: all of its fields before a change, or all after it. */
    @JCStressTest
    @Outcome(id = "0, 0, 0", expect = ACCEPTABLE, desc = "before")
    @Outcome(id = "1, 1, 1", expect = ACCEPTABLE, desc = "between")
    @Outcome(id = "2, 2, 2", expect = ACCEPTABLE, desc = "after")
    @Outcome(
            id = "-1, -1, -1",
            expect = ACCEPTABLE,
            desc = "the writer was stopped in the middle, and the reader says so")
    @State
    public static class SourceSlot {
        private final SourceSlots slots = SourceSlots.allocate(1);
        private final SourceTotals written = new SourceTotals();
        private final SourceTotals read = new SourceTotals();

        private void put(long value) {
            written.records = value;
            written.bytes = value;
            written.firstTimeNs = value;
            slots.put(0, written);
        }

        @Actor
        public void writer() {
            put(1);
            put(2);
        }

        @Actor
        public void reader(JJJ_Result result) {
            boolean whole = slots.get(0, read);
            result.r1 = whole ? read.records : -1;
            result.r2 = whole ? read.bytes : -1;
            result.r3 = whole ? read.firstTimeNs : -1;
        }
    }

    /** A directory found by its slot is published: the reader that sees the address sees the counts of it too. */
    @JCStressTest
    @Outcome(id = "-1, 0, 0", expect = ACCEPTABLE, desc = "before")
    @Outcome(id = "-1, 7, 7", expect = ACCEPTABLE, desc = "counts are set first")
    @Outcome(id = "8, 7, 7", expect = ACCEPTABLE, desc = "after")
    @Outcome(
            id = "-1, -1, -1",
            expect = ACCEPTABLE,
            desc = "the writer was stopped in the middle, and the reader says so")
    @State
    public static class DirectoryOfSlot {
        private final SourceSlots slots = SourceSlots.allocate(1);
        private final SourceTotals written = new SourceTotals();
        private final SourceTotals read = new SourceTotals();

        @Actor
        public void writer() {
            written.records = 7;
            written.bytes = 7;
            written.directoryAddress = 8;
            slots.put(0, written);
        }

        @Actor
        public void reader(JJJ_Result result) {
            result.r1 = slots.directoryAcquire(0);
            boolean whole = slots.get(0, read);
            result.r2 = whole ? read.records : -1;
            result.r3 = whole ? read.bytes : -1;
        }
    }

    /** A slot without losses is whole from the start; {@code unchanged} tells of no change that did not happen. */
    @JCStressTest
    @Outcome(id = "0, 0, 1", expect = ACCEPTABLE, desc = "before")
    @Outcome(id = "0, 0, 0", expect = ACCEPTABLE, desc = "not consistent, and known to be")
    @Outcome(id = "0, 5, 0", expect = ACCEPTABLE, desc = "not consistent, and known to be")
    @Outcome(id = "5, 0, 0", expect = ACCEPTABLE, desc = "not consistent, and known to be")
    @Outcome(id = "5, 5, 0", expect = ACCEPTABLE, desc = "not known to be consistent")
    @Outcome(id = "5, 5, 1", expect = ACCEPTABLE, desc = "after")
    @State
    public static class LossSlot {
        private final LossSlots slots = LossSlots.allocate(1);

        @Actor
        public void writer() {
            slots.beginChange();
            slots.put(0, 5, 5, 0, 0);
            slots.endChange();
        }

        @Actor
        public void reader(JJJ_Result result) {
            long sequence = slots.sequenceAcquire();
            result.r1 = slots.lost(0);
            result.r2 = slots.unmarked(0);
            result.r3 = slots.unchanged(sequence) ? 1 : 0;
        }
    }
}
