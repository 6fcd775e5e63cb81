package dev.loom.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.loom.api.Pressure;
import dev.loom.log.Durability;
import dev.loom.log.Evictor;
import dev.loom.log.HybridLog;
import dev.loom.log.PageDescriptor;
import dev.loom.log.SegmentBudget;
import dev.loom.record.LossCounts;
import dev.loom.record.LossSlots;
import dev.loom.record.PressureGauge;
import dev.loom.record.RecordDescriptor;
import dev.loom.record.RecordLog;
import dev.loom.record.SourceSlots;
import dev.loom.record.SourceTotals;
import dev.loom.record.WriterSources;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJJ_Result;
import org.openjdk.jcstress.infra.results.JJ_Result;

/** A record is stored plainly, then the tail published; who sees the tail must see the record. */
public final class TailPublishing {
    private static final int RECORD = 256;

    private TailPublishing() {}

    /**
     * As it is: {@link RecordLog} pushes a second record, and {@code PageReader} reads below the tail that it sees.
     * Results are what the tail has grown by, the second record's back-pointer in bytes, and its payload.
     */
    @JCStressTest
    @Outcome(id = "0, 0, 0", expect = ACCEPTABLE, desc = "before")
    @Outcome(id = "24, 24, 7", expect = ACCEPTABLE, desc = "after")
    @Outcome(expect = FORBIDDEN, desc = "published before it was stored")
    @State
    public static class Pushed {
        private static final int FIRST = PageDescriptor.HEADER_LENGTH;
        private static final int SECOND = FIRST + RecordDescriptor.alignedLength(Long.BYTES);
        private static final UnsafeBuffer PAYLOAD = new UnsafeBuffer(ByteBuffer.allocateDirect(Long.BYTES));
        /** Of the indexes, which nothing is written to, since the chunk stays open. */
        private static final HybridLog UNUSED = new RingPlace().newLog();

        private static final SourceSlots SLOTS = SourceSlots.allocate(2);
        private static final LossSlots LOSSES = LossSlots.allocate(2);
        private static final LossCounts LOSS_COUNTS = new LossCounts(ByteBuffer.allocateDirect(LossCounts.LENGTH), 0);
        private static final PressureGauge GAUGE =
                new PressureGauge(ByteBuffer.allocateDirect(PressureGauge.LENGTH), 0);
        private static final Evictor EVICTOR =
                Evictor.create(List.of(), RingPlace.STORE_ID, new NoDurability(), SegmentBudget.UNLIMITED, 1, 1);

        static {
            PAYLOAD.putLong(0, 7, ByteOrder.LITTLE_ENDIAN);
        }

        private final RingPlace place = new RingPlace();
        private final RecordLog log;

        public Pushed() {
            WriterSources sources = new WriterSources();
            sources.add(1, false, new SourceTotals(), 0);
            log = new RecordLog(new RecordLog.Parts(
                    place.newLog(),
                    UNUSED,
                    UNUSED,
                    sources,
                    SLOTS,
                    LOSSES,
                    LOSS_COUNTS,
                    System::nanoTime,
                    EVICTOR,
                    GAUGE,
                    Pressure.DROP_NEWEST,
                    Long.MAX_VALUE,
                    0,
                    -1));
            log.push(1, PAYLOAD, 0, Long.BYTES);
            log.ownership().release();
        }

        @Actor
        public void writer() {
            log.push(1, PAYLOAD, 0, Long.BYTES);
        }

        @Actor
        public void reader(JJJ_Result result) {
            PlaceReader reader = PlaceReader.at(place);
            long tail = reader.tailAcquire();
            if (tail > SECOND) {
                reader.read(tail);
                result.r1 = tail - SECOND;
                result.r2 = RecordDescriptor.back(reader.word(SECOND));
                result.r3 = reader.word(SECOND + RecordDescriptor.HEADER_LENGTH);
            }
        }

        /** Of an evictor without logs. */
        private static final class NoDurability implements Durability {
            @Override
            public void syncSchema() {}

            @Override
            public void writeMark(long[] durable) {}

            @Override
            public void tick() {}
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
