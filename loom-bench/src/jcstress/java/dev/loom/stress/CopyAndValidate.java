package dev.loom.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;

import dev.loom.log.HybridLog;
import dev.loom.log.PageDescriptor;
import java.nio.ByteBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJJ_Result;

/**
 * The reader's protocol for pages in the ring: the writer replaces an evicted page, whose base time and first word are
 * 1, by one whose are 2, while a reader asks for the old one. Writer and reader are {@link HybridLog} and {@code
 * PageReader}; each weakened test replaces one of the two. Results are the base time and the word that the reader gets,
 * and 1 if it discarded a copy.
 */
public final class CopyAndValidate {
    /** As in the picture of {@link PageDescriptor}. */
    private static final int BASE_TIME_OFFSET = 24;

    /** As in the picture of {@link dev.loom.log.Watermarks}. */
    private static final int OVERWRITTEN_OFFSET = 16;

    private static final int EVICTED_OFFSET = 128;

    private static final int WORD_OFFSET = PageDescriptor.HEADER_LENGTH;
    private static final int TAIL = WORD_OFFSET + Long.BYTES;

    private CopyAndValidate() {}

    /** Fills the first page of a log, and seals it. */
    static void fill(HybridLog log) {
        begin(log, 1);
        log.advance(log.remaining());
        log.sealPage(1);
        log.publish();
        log.publishSealed();
    }

    private static void begin(HybridLog log, long value) {
        log.beginPage(value, value, false);
        log.ringBytes().putLong(log.offset(), value);
    }

    /** A ring full of a page that is evicted. */
    abstract static class Ring {
        private final RingPlace place = new RingPlace();
        private final HybridLog log = place.newLog();

        Ring() {
            fill(log);
            place.live.putLong(EVICTED_OFFSET, PageDescriptor.PAGE_LENGTH);
        }

        /** The log's way to replace the page. */
        final void replace() {
            begin(log, 2);
        }

        /** The log's way to read the page. */
        final void read(JJJ_Result result) {
            PlaceReader reader = PlaceReader.at(place);
            reader.read(TAIL);
            result.r1 = reader.baseTimeNs();
            result.r2 = reader.word(WORD_OFFSET);
            result.r3 = reader.lapped() ? 1 : 0;
        }

        final void announcePlain() {
            place.live.putLong(OVERWRITTEN_OFFSET, PageDescriptor.PAGE_LENGTH);
        }

        final void overwritePlain() {
            ByteBuffer ring = place.ring;
            ring.putLong(BASE_TIME_OFFSET, 2).putLong(WORD_OFFSET, 2);
        }

        final void copyPlain(JJJ_Result result) {
            result.r1 = place.ring.getLong(BASE_TIME_OFFSET);
            result.r2 = place.ring.getLong(WORD_OFFSET);
        }

        final boolean validPlain() {
            return place.live.getLong(OVERWRITTEN_OFFSET) == 0;
        }

        final void discardUnless(boolean valid, JJJ_Result result) {
            if (!valid) {
                result.r1 = 1;
                result.r2 = 1;
                result.r3 = 1;
            }
        }
    }

    /** As it is. */
    @JCStressTest
    @Outcome(id = "1, 1, 0", expect = ACCEPTABLE, desc = "from the ring, or from the file at once")
    @Outcome(id = "1, 1, 1", expect = ACCEPTABLE, desc = "from the file, after a copy that was discarded")
    @State
    public static class Shipped extends Ring {
        @Actor
        public void writer() {
            replace();
        }

        @Actor
        public void reader(JJJ_Result result) {
            read(result);
        }
    }

    /** Weakened: the writer announces after it has overwritten. */
    @JCStressTest
    @Outcome(
            id = {"1, 1, 0", "1, 1, 1"},
            expect = ACCEPTABLE,
            desc = "whole")
    @Outcome(expect = ACCEPTABLE_INTERESTING, desc = "torn or overwritten, and yet validated")
    @State
    public static class AnnouncedLate extends Ring {
        @Actor
        public void writer() {
            overwritePlain();
            // as long as it takes to fill a little of the page, or no reader would fit in between
            for (int i = 0; i < 20; i++) {
                Thread.onSpinWait();
            }
            announcePlain();
        }

        @Actor
        public void reader(JJJ_Result result) {
            read(result);
        }
    }

    /** Weakened: the reader validates before it copies. */
    @JCStressTest
    @Outcome(
            id = {"1, 1, 0", "1, 1, 1"},
            expect = ACCEPTABLE,
            desc = "whole")
    @Outcome(expect = ACCEPTABLE_INTERESTING, desc = "torn or overwritten, and yet validated")
    @State
    public static class ValidatedEarly extends Ring {
        @Actor
        public void writer() {
            replace();
        }

        @Actor
        public void reader(JJJ_Result result) {
            boolean valid = validPlain();
            copyPlain(result);
            discardUnless(valid, result);
        }
    }

    /** Weakened: the writer does not fence. On x86 stores keep their order, so that only a compiler could break it. */
    @JCStressTest
    @Outcome(
            id = {"1, 1, 0", "1, 1, 1"},
            expect = ACCEPTABLE,
            desc = "whole")
    @Outcome(expect = ACCEPTABLE_INTERESTING, desc = "torn or overwritten, and yet validated")
    @State
    public static class WriterUnfenced extends Ring {
        @Actor
        public void writer() {
            announcePlain();
            overwritePlain();
        }

        @Actor
        public void reader(JJJ_Result result) {
            read(result);
        }
    }

    /** Weakened: the reader does not fence. On x86 loads keep their order, so that only a compiler could break it. */
    @JCStressTest
    @Outcome(
            id = {"1, 1, 0", "1, 1, 1"},
            expect = ACCEPTABLE,
            desc = "whole")
    @Outcome(expect = ACCEPTABLE_INTERESTING, desc = "torn or overwritten, and yet validated")
    @State
    public static class ReaderUnfenced extends Ring {
        @Actor
        public void writer() {
            replace();
        }

        @Actor
        public void reader(JJJ_Result result) {
            copyPlain(result);
            discardUnless(validPlain(), result);
        }
    }
}
