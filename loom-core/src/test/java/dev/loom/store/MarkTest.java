package dev.loom.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.StoreInfo.IndexState;
import dev.loom.io.FileId;
import dev.loom.io.ProcessId;
import dev.loom.log.LogKind;
import dev.loom.log.PageDescriptor;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What each step of a store's life changes in its mark, and what it leaves. */
final class MarkTest {
    private static final int PAGE = PageDescriptor.PAGE_LENGTH;
    private static final long SEGMENT = 16L * PAGE;
    private static final FileId FILE = new FileId(3, 4);
    private static final Mark.Owner OWNER = new Mark.Owner(new ProcessId(5, 6, 7), "boot", "host");
    private static final Path STAGING = Path.of("/staging");
    private static final long NONCE = 99;

    private static final Mark OPEN = new Mark(
            10,
            new Mark.Identity(7, SEGMENT, FILE, MarkFile.MINOR, false),
            new Mark.Session(2, false, OWNER, NONCE, STAGING),
            new Mark.Contents(
                    List.of(
                            new LogMark(1 << 20, 2 << 20, PAGE, 40L * PAGE),
                            new LogMark(1 << 19, 1 << 19, 0, 16L * PAGE),
                            new LogMark(1 << 19, 1 << 19, 0, 5L * PAGE)),
                    500,
                    100,
                    1234),
            Rebuild.NONE,
            IndexState.UNCHECKED);

    private static void assertSameStore(Mark mark) {
        assertEquals(7, mark.storeId());
        assertEquals(SEGMENT, mark.segmentLength());
        assertEquals(FILE, mark.file());
        assertEquals(2, mark.epoch());
        assertFalse(mark.closed());
        assertEquals(NONCE, mark.sessionNonce());
    }

    @Test
    void shouldGoOnWithTheNextNumber() {
        assertEquals(OPEN.contents(), OPEN.again().contents());
        assertEquals(11, OPEN.again().sequence());
        assertSameStore(OPEN.again());
        Mark advanced = OPEN.advanced(new long[] {50L * PAGE, 17L * PAGE, 6L * PAGE}, 600, 200, 2000);
        assertEquals(11, advanced.sequence());
        assertSameStore(advanced);
        assertArrayEquals(new long[] {50L * PAGE, 17L * PAGE, 6L * PAGE}, advanced.ends());
        assertEquals(600, advanced.schemaDurable());
        assertEquals(200, advanced.checkpoint());
        assertEquals(2000, advanced.lastTimeNs());
        assertEquals(PAGE, advanced.begin(LogKind.RECORD));
        assertEquals(1 << 20, advanced.ringLength(LogKind.RECORD));
        assertEquals(2 << 20, advanced.ringWanted(LogKind.RECORD));
        assertSame(IndexState.UNCHECKED, advanced.indexState());
    }

    @Test
    void shouldBeTakenFromItsOwner() {
        Mark taken = OPEN.takenOver();
        assertSameStore(taken);
        assertEquals(11, taken.sequence());
        assertEquals(new Mark.Owner(ProcessId.NONE, "boot", "host"), taken.owner());
        assertEquals(STAGING, taken.staging());
        assertEquals(OPEN.contents(), taken.contents());
    }

    @Test
    void shouldHaveStagingElsewhere() {
        Mark moved = OPEN.movedTo(Path.of("/other"));
        assertSameStore(moved);
        assertEquals(11, moved.sequence());
        assertEquals(Path.of("/other"), moved.staging());
        assertEquals(OWNER, moved.owner());
        assertEquals(OPEN.contents(), moved.contents());
        Mark adopted = OPEN.adopted();
        assertEquals(0, adopted.sessionNonce());
        assertEquals(Path.of(""), adopted.staging());
        assertEquals(10, adopted.sequence());
        assertEquals(OPEN.contents(), adopted.contents());
        assertEquals(OWNER, adopted.owner());
    }

    @Test
    void shouldEndAndBeOwnedAgain() {
        FileId other = new FileId(8, 9);
        Mark ended = OPEN.ended(3, new long[] {PAGE, 0, 0}, 510, 101, 1235, other);
        assertTrue(ended.closed());
        assertEquals(11, ended.sequence());
        assertEquals(3, ended.epoch());
        assertEquals(Mark.Owner.NONE, ended.owner());
        assertEquals(NONCE, ended.sessionNonce());
        assertEquals(other, ended.file());
        assertArrayEquals(new long[] {PAGE, 0, 0}, ended.ends());
        assertEquals(510, ended.schemaDurable());
        assertSame(IndexState.UNCHECKED, ended.indexState());
        Rings rings = new Rings(1 << 21, 1 << 20, 1 << 22);
        Rings wanted = new Rings(1 << 23, 1 << 20, 1 << 22);
        Mark owned = ended.owned(OWNER, 5, STAGING, rings, wanted, IndexState.WHOLE, FILE);
        assertFalse(owned.closed());
        assertEquals(12, owned.sequence());
        assertEquals(3, owned.epoch());
        assertEquals(OWNER, owned.owner());
        assertEquals(5, owned.sessionNonce());
        assertEquals(STAGING, owned.staging());
        assertEquals(rings, Rings.of(owned));
        assertEquals(1 << 23, owned.ringWanted(LogKind.RECORD));
        assertSame(IndexState.WHOLE, owned.indexState());
        assertEquals(FILE, owned.file());
    }

    @Test
    void shouldLeaveTheAddressesOfIndexesThatAreGivenUp() {
        Mark without = OPEN.withoutIndexes();
        assertEquals(11, without.sequence());
        assertEquals(2 * SEGMENT, without.begin(LogKind.TIME), "16 pages end where a segment does");
        assertEquals(2 * SEGMENT, without.durable(LogKind.TIME));
        assertEquals(SEGMENT, without.begin(LogKind.CHUNK));
        assertEquals(SEGMENT, without.durable(LogKind.CHUNK));
        assertEquals(40L * PAGE, without.durable(LogKind.RECORD));
        assertEquals(-1, without.checkpoint());
        assertSame(IndexState.WHOLE, without.indexState());
        assertSameStore(without);
    }

    @Test
    void shouldGoOnBehindAGap() {
        Mark gap = OPEN.withGap(7L * PAGE);
        Rebuild rebuild = gap.rebuild();
        assertEquals(11, gap.sequence());
        assertEquals(16L * PAGE, rebuild.timeBegin());
        assertEquals(5L * PAGE, rebuild.chunkBegin());
        assertEquals(gap.durable(LogKind.TIME), rebuild.timeEnd());
        assertEquals(gap.durable(LogKind.CHUNK), rebuild.chunkEnd());
        assertTrue(rebuild.timeEnd() > 16L * PAGE + Rebuild.GAP_LENGTH && rebuild.timeEnd() % SEGMENT == 0);
        assertTrue(rebuild.timeEnd() <= 16L * PAGE + Rebuild.GAP_LENGTH + SEGMENT);
        assertEquals(0, rebuild.chunkEnd() % SEGMENT);
        assertEquals(7L * PAGE, rebuild.done());
        assertEquals(40L * PAGE, rebuild.to());
        assertTrue(rebuild.pending() && rebuild.exists() && gap.possible());
        assertEquals(0, gap.begin(LogKind.TIME));
        Mark behind = gap.withTimeIndex(rebuild.timeEnd() + PAGE, rebuild.timeEnd() + 64);
        assertEquals(rebuild.timeEnd() + PAGE, behind.durable(LogKind.TIME));
        assertEquals(rebuild.timeEnd() + 64, behind.checkpoint());
        assertEquals(rebuild, behind.rebuild());
        assertEquals(11, behind.sequence());
        Rebuild further = rebuild.advanced(17L * PAGE, 6L * PAGE, 40L * PAGE);
        assertFalse(further.pending());
        assertEquals(17L * PAGE, further.begin(LogKind.TIME));
        assertEquals(6L * PAGE, further.begin(LogKind.CHUNK));
        assertEquals(rebuild.timeEnd(), further.end(LogKind.TIME));
        assertEquals(rebuild.chunkEnd(), further.end(LogKind.CHUNK));
        assertEquals(0, further.begin(LogKind.RECORD));
        assertEquals(0, further.end(LogKind.RECORD));
        assertEquals(further, behind.with(further, IndexState.DAMAGED).rebuild());
        assertFalse(Rebuild.NONE.pending() || Rebuild.NONE.exists());
    }

    @Test
    void shouldBeginWithTheRecordsThatAreLeft() {
        assertEquals(3L * PAGE, OPEN.withRecordBegin(3L * PAGE).begin(LogKind.RECORD));
        assertEquals(40L * PAGE, OPEN.withRecordBegin(3L * PAGE).durable(LogKind.RECORD));
    }

    @Test
    void shouldKnowACopyByItsFile() {
        assertFalse(OPEN.copied(FILE, "boot"));
        assertTrue(OPEN.copied(new FileId(3, 5), "boot"));
        assertTrue(OPEN.copied(new FileId(2, 4), "boot"));
        assertFalse(OPEN.copied(new FileId(2, 4), "later boot"), "devices are numbered again");
        assertTrue(OPEN.copied(new FileId(3, 5), "later boot"));
        Mark ended = OPEN.ended(3, new long[] {0, 0, 0}, 0, -1, 0, FILE);
        assertFalse(ended.copied(new FileId(2, 5), "boot"), "nobody has the store");
    }

    private static Mark with(long segmentLength, long schema, Rebuild rebuild) {
        Mark.Contents contents = new Mark.Contents(OPEN.contents().logs(), schema, -1, 0);
        return new Mark(
                1,
                new Mark.Identity(7, segmentLength, FILE, MarkFile.MINOR, false),
                OPEN.session(),
                contents,
                rebuild,
                IndexState.WHOLE);
    }

    @Test
    void shouldBePossibleOnlyWithNumbersThatAStoreCanHave() {
        assertTrue(OPEN.possible());
        assertTrue(with(PAGE, 0, Rebuild.NONE).possible());
        assertFalse(with(0, 0, Rebuild.NONE).possible());
        assertFalse(with(-PAGE, 0, Rebuild.NONE).possible());
        assertFalse(with(PAGE + 1, 0, Rebuild.NONE).possible());
        assertFalse(with(SEGMENT, -1, Rebuild.NONE).possible());
        long tooLong = (PageDescriptor.ADDRESS_MAX / PAGE + 1) * PAGE;
        assertEquals(
                tooLong == PageDescriptor.ADDRESS_MAX,
                with(tooLong, 0, Rebuild.NONE).possible());
        assertTrue(with(SEGMENT, 0, new Rebuild(PAGE, 16L * PAGE, PAGE, 5L * PAGE, PAGE, 40L * PAGE))
                .possible());
        for (Rebuild rebuild : List.of(
                new Rebuild(1, 16L * PAGE, PAGE, 5L * PAGE, PAGE, 40L * PAGE),
                new Rebuild(PAGE, 16L * PAGE + 1, PAGE, 5L * PAGE, PAGE, 40L * PAGE),
                new Rebuild(PAGE, 17L * PAGE, PAGE, 5L * PAGE, PAGE, 40L * PAGE),
                new Rebuild(3L * PAGE, 2L * PAGE, PAGE, 5L * PAGE, PAGE, 40L * PAGE),
                new Rebuild(PAGE, 16L * PAGE, PAGE + 1, 5L * PAGE, PAGE, 40L * PAGE),
                new Rebuild(PAGE, 16L * PAGE, PAGE, 6L * PAGE, PAGE, 40L * PAGE),
                new Rebuild(PAGE, 16L * PAGE, PAGE, 5L * PAGE, PAGE + 1, 40L * PAGE),
                new Rebuild(PAGE, 16L * PAGE, PAGE, 5L * PAGE, PAGE, 40L * PAGE - 1),
                new Rebuild(PAGE, 16L * PAGE, PAGE, 5L * PAGE, 3L * PAGE, 2L * PAGE),
                new Rebuild(PAGE, 16L * PAGE, PAGE, 5L * PAGE, PAGE, 41L * PAGE))) {
            assertFalse(with(SEGMENT, 0, rebuild).possible(), rebuild::toString);
        }
    }

    @Test
    void shouldTrySmallerRingsUnlessTheyAreFixed() {
        Rings rings = new Rings(32 << 20, 1 << 20, 4 << 20);
        assertEquals((32L + 1 + 4) << 20, rings.length());
        assertEquals(List.of(rings), rings.andSmaller(true, true));
        assertEquals(
                List.of(rings, new Rings(16 << 20, 1 << 20, 4 << 20), new Rings(8 << 20, 1 << 20, 4 << 20)),
                rings.andSmaller(false, true));
        assertEquals(
                List.of(rings, new Rings(32 << 20, 1 << 20, 2 << 20), new Rings(32 << 20, 1 << 20, 1 << 20)),
                rings.andSmaller(true, false));
        assertEquals(5, rings.andSmaller(false, false).size());
        assertEquals(
                new Rings(8 << 20, 1 << 20, 1 << 20),
                rings.andSmaller(false, false).get(4));
    }
}
