package dev.loom.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.Bins;
import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.index.ActiveIndex;
import dev.loom.index.IndexSummary;
import dev.loom.log.LogKind;
import dev.loom.log.LogView;
import dev.loom.log.PageDescriptor;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each thing that a timestamp index may say wrong of its records is reported, once and where it is. The test changes what the writer
 * knows of a chunk before it writes the directory, or the entry in the ring, where no checksum protects it.
 */
final class IndexAuditTest {
    private static final int PAGE = PageDescriptor.PAGE_LENGTH;
    private static final int JUMBO = PAGE + 1000;
    private static final PayloadFormat FORMAT = Formats.parse("struct:v:i64,rest:bytes");

    @TempDir
    Path directory;

    private record Fault(LogKind log, long address, String message) {}

    /**
     * What an audit asked to have compared.
     *
     * @param same whether the values of the records that were read are those that the directory tells
     */
    private record Compared(int index, boolean same, long part, long chunkAddress) {}

    private final List<Fault> faults = new ArrayList<>();
    private final List<Compared> compared = new ArrayList<>();
    private final TreeMap<Integer, Index> indexes = new TreeMap<>();
    /** By the number of the comparison, where its bins end. */
    private final List<Long> binsEnds = new ArrayList<>();

    private final List<Long> binsAddresses = new ArrayList<>();
    private boolean definitionsLost;
    private long stopAt = Long.MAX_VALUE;
    private long read;
    private int pushed;
    private RecordLogFixture store;

    @BeforeEach
    void open() {
        store = new RecordLogFixture(directory, 4);
    }

    @AfterEach
    void close() {
        store.close();
    }

    private Index define(int id, int sourceId) {
        IndexFunction function = IndexFunction.field(FORMAT, "v");
        Index index = new Index(id, sourceId, "v" + id, Index.Kind.VALUE, function, Bins.logLinear(), 0, false);
        indexes.put(id, index);
        return index;
    }

    private void push(int source, int length) {
        byte[] payload = new byte[length];
        payload[0] = (byte) (1 + pushed++);
        assertTrue(store.log.push(source, payload) >= 0);
    }

    /** Fills the open page, so that the next record begins a chunk. */
    private void fillPage() {
        push(1, store.records.log().remaining() - RecordDescriptor.HEADER_LENGTH);
    }

    /** Three chunks in five pages: of sources 1 and 2, of these and a jumbo of source 2, and of source 1. */
    private void write(Runnable inTheSecond, Runnable afterwards) {
        push(1, 8);
        push(2, 20);
        push(1, 30);
        fillPage();
        push(2, 40);
        push(1, 9);
        push(2, JUMBO);
        inTheSecond.run();
        fillPage();
        push(1, 8);
        afterwards.run();
        store.log.sealWithCheckpoint();
    }

    private void write() {
        write(() -> {}, () -> {});
    }

    private void audit() {
        audit(store.snapshot());
    }

    private void audit(SnapshotView snapshot) {
        faults.clear();
        compared.clear();
        binsAddresses.clear();
        try (ReferencedRecords lookup = new ReferencedRecords(snapshot.records(), snapshot::recordTail, id -> null);
                IndexAudit audit = new IndexAudit(
                        snapshot.records(),
                        snapshot.recordTail(),
                        snapshot.times(),
                        snapshot.timeTail(),
                        indexes::get,
                        source -> definitionsLost,
                        lookup,
                        (index, found, listed, part, chunkAddress) -> {
                            compared.add(new Compared(index.id(), isSame(found, listed), part, chunkAddress));
                            binsAddresses.add(listed.binsAddress());
                            return compared.size() <= binsEnds.size() ? binsEnds.get(compared.size() - 1) : 0;
                        },
                        (log, address, message) -> faults.add(new Fault(log, address, message)),
                        address -> address >= stopAt)) {
            audit.run();
            read = audit.entries();
        }
    }

    private static boolean isSame(@Nullable ActiveIndex found, IndexSummary listed) {
        IndexSummary summary = new IndexSummary();
        if (found != null) {
            found.summarize(summary);
        }
        return found != null
                && summary.count() == listed.count()
                && summary.minKey() == listed.minKey()
                && summary.maxKey() == listed.maxKey();
    }

    /** The addresses of the index's entries. */
    private List<Long> entries() {
        List<Long> found = new ArrayList<>();
        SnapshotView snapshot = store.snapshot();
        try (DirectoryReader reader = new DirectoryReader(snapshot.times(), snapshot.timeTail())) {
            reader.toBegin();
            while (reader.next()) {
                found.add(reader.address());
            }
        }
        return found;
    }

    private UnsafeBuffer entriesRing() {
        return store.times.log().ring();
    }

    private void assertFault(LogKind log, long address, String message) {
        assertEquals(List.of(new Fault(log, address, message)), faults);
    }

    private static String differs(long chunkAddress, String what) {
        return "directory differs from its chunk: chunk address=" + chunkAddress + "; it " + what;
    }

    @Test
    void shouldFindNoFaultInWhatTheWriterWrites() {
        write();
        audit();
        assertEquals(List.of(), faults);
        assertEquals(4 + 9, read, "entries and records");
        assertEquals(4, entries().size());
    }

    /** Changes what the writer knows of source 2 in the second chunk; what later entries count is as before. */
    private void assertFaultInDirectory(String what, Consumer<SourceState> change, Consumer<SourceTotals> mend) {
        write(() -> change.accept(store.sources.get(2)), () -> mend.accept(store.sources.get(2).totals));
        audit();
        assertFault(LogKind.TIME, entries().get(1), differs(PAGE, what));
    }

    @Test
    void shouldFindAWrongNumberOfRecords() {
        assertFaultInDirectory(
                "differs: source=2, records=3, expected=2",
                source -> source.chunkRecords++,
                totals -> totals.records--);
    }

    @Test
    void shouldFindAWrongNumberOfBytes() {
        assertFaultInDirectory(
                "differs: source=2, bytes=" + (JUMBO + 39) + ", expected=" + (JUMBO + 40),
                source -> source.chunkBytes--,
                totals -> totals.bytes++);
    }

    @Test
    void shouldFindAWrongFirstTime() {
        long timeNs = RecordLogFixture.FIRST_TIME + 4;
        assertFaultInDirectory(
                "differs: source=2, first time=" + (timeNs + 1) + ", expected=" + timeNs,
                source -> source.chunkFirstTimeNs++,
                totals -> {});
    }

    @Test
    void shouldFindAWrongLastTime() {
        long timeNs = RecordLogFixture.FIRST_TIME + 6;
        assertFaultInDirectory(
                "differs: source=2, last time=" + (timeNs - 1) + ", expected=" + timeNs,
                source -> source.lastTimeNs--,
                totals -> {});
    }

    @Test
    void shouldFindAWrongLastRecord() {
        write();
        audit();
        long last = store.sources.get(2).lastAddress;
        store.close();
        store = new RecordLogFixture(directory.resolve("changed"), 4);
        assertFaultInDirectory(
                "differs: source=2, last record=" + (last + 8) + ", expected=" + last,
                source -> source.lastAddress += 8,
                totals -> {});
    }

    @Test
    void shouldFindAChainThatLeadsElsewhere() {
        long[] before = new long[1];
        write(
                () -> {
                    before[0] = store.sources.get(2).totals.directoryAddress;
                    store.sources.get(2).totals.directoryAddress -= 8;
                },
                () -> {});
        audit();
        assertFault(
                LogKind.TIME,
                entries().get(1),
                differs(
                        PAGE,
                        "does not lead to the previous directory of a source: source=2, address=" + (before[0] - 8)
                                + ", expected=" + before[0]));
    }

    @Test
    void shouldFindAChainThatEndsTooEarly() {
        write(() -> store.sources.get(2).totals.directoryAddress = SourceSlots.NO_DIRECTORY, () -> {});
        audit();
        assertEquals(1, faults.size());
        assertTrue(faults.get(0).message.contains("source=2, address=-1, expected="), faults::toString);
    }

    /** The word with source and time of a record's header. */
    private void changeSource(long record, int from, int to) {
        UnsafeBuffer ring = store.records.log().ring();
        int at = (int) record + RecordDescriptor.WORD1_OFFSET;
        long word = ring.getLong(at, ByteOrder.LITTLE_ENDIAN);
        assertEquals(from, RecordDescriptor.sourceId(word));
        ring.putLong(at, word - from + to, ByteOrder.LITTLE_ENDIAN);
    }

    @Test
    void shouldFindSourcesThatADirectoryLacksAndThoseThatAreNotThere() {
        write();
        long chunk = PageDescriptor.pageAddress(store.records.log().tail() - 1);
        changeSource(chunk + PageDescriptor.HEADER_LENGTH, 1, 3);
        audit();
        List<Long> entries = entries();
        long last = entries.get(2);
        long checkpoint = entries.get(3);
        assertEquals(
                List.of(
                        new Fault(LogKind.TIME, last, differs(chunk, "lacks a source: source=3, records=1")),
                        new Fault(LogKind.TIME, last, differs(chunk, "lists a source that is not there: source=1"))),
                faults.subList(0, 2));
        assertTrue(
                faults.subList(2, faults.size()).stream().allMatch(fault -> fault.address == checkpoint),
                faults::toString);
        assertTrue(
                faults.stream().anyMatch(fault -> fault.message.endsWith("it lacks a source: source=3, records=1")),
                faults::toString);
    }

    private void assertFaultInCheckpoint(String what, Consumer<SourceTotals> change) {
        write(() -> {}, () -> change.accept(store.sources.get(2).totals));
        audit();
        assertFault(
                LogKind.TIME,
                entries().get(3),
                "checkpoint differs from the records: record address="
                        + store.records.log().tail() + "; it " + what);
    }

    @Test
    void shouldFindWrongTotalsInACheckpoint() {
        assertFaultInCheckpoint("differs: source=2, records=4, expected=3", totals -> totals.records++);
    }

    @Test
    void shouldFindWrongBytesInACheckpoint() {
        assertFaultInCheckpoint(
                "differs: source=2, bytes=" + (JUMBO + 61) + ", expected=" + (JUMBO + 60), totals -> totals.bytes++);
    }

    @Test
    void shouldFindAWrongFirstTimeInACheckpoint() {
        long timeNs = RecordLogFixture.FIRST_TIME + 1;
        assertFaultInCheckpoint(
                "differs: source=2, first time=" + (timeNs - 1) + ", expected=" + timeNs,
                totals -> totals.firstTimeNs--);
    }

    @Test
    void shouldFindACheckpointThatNamesAnotherDirectory() {
        write();
        long last = store.sources.get(2).totals.directoryAddress;
        store.close();
        store = new RecordLogFixture(directory.resolve("changed"), 4);
        assertFaultInCheckpoint(
                "does not lead to the last directory of a source: source=2, address=" + (last - 8) + ", expected="
                        + last,
                totals -> totals.directoryAddress -= 8);
    }

    @Test
    void shouldFindASourceThatACheckpointLacks() {
        assertFaultInCheckpoint("lacks a source: source=2, records=3", SourceTotals::clear);
    }

    @Test
    void shouldFindACheckpointThatDoesNotLeadToTheOneBefore() {
        write();
        push(1, 8);
        store.log.sealWithCheckpoint();
        audit();
        assertEquals(List.of(), faults);
        List<Long> entries = entries();
        long first = entries.get(3);
        long second = entries.get(5);
        entriesRing().putLong((int) second + TimeEntryDescriptor.PREVIOUS_CHECKPOINT_OFFSET, first - 8);
        audit();
        assertFault(
                LogKind.TIME,
                second,
                "checkpoint differs from the records: record address="
                        + store.records.log().tail() + "; it does not lead to the previous one: address=" + (first - 8)
                        + ", expected=" + first);
        entriesRing().putLong((int) second + TimeEntryDescriptor.PREVIOUS_CHECKPOINT_OFFSET, -1);
        audit();
        assertEquals(List.of(), faults, "none is always possible");
    }

    /** Changes a number in an entry of the ring, and audits. */
    private void auditWith(long entry, int offset, long add) {
        write();
        audit();
        assertEquals(List.of(), faults);
        int at = (int) (long) entries().get((int) entry) + offset;
        entriesRing().putLong(at, entriesRing().getLong(at, ByteOrder.LITTLE_ENDIAN) + add, ByteOrder.LITTLE_ENDIAN);
        audit();
    }

    @Test
    void shouldFindADirectoryThatIsNotInTheOrderOfTheChunks() {
        auditWith(2, TimeEntryDescriptor.ADDRESS_OFFSET, -3L * PAGE);
        assertEquals(
                new Fault(
                        LogKind.TIME,
                        entries().get(2),
                        differs(0, "is not in the order of the chunks: expected=" + 3L * PAGE)),
                faults.get(0));
    }

    @Test
    void shouldFindADirectoryThatEndsBehindTheRecords() {
        auditWith(2, TimeEntryDescriptor.PAGES_OFFSET, 5);
        assertEquals(
                new Fault(
                        LogKind.TIME,
                        entries().get(2),
                        differs(3L * PAGE, "ends behind the records: end=" + 9L * PAGE)),
                faults.get(0));
    }

    @Test
    void shouldFindADirectoryThatEndsBehindItsChunk() {
        auditWith(0, TimeEntryDescriptor.PAGES_OFFSET, 1);
        assertEquals(
                new Fault(
                        LogKind.TIME,
                        entries().get(0),
                        differs(0, "ends behind its chunk: end=" + 2L * PAGE + ", expected=" + PAGE)),
                faults.get(0));
        assertEquals(1, faults.size(), faults::toString);
    }

    @Test
    void shouldFindADirectoryThatEndsBeforeItsChunk() {
        auditWith(1, TimeEntryDescriptor.PAGES_OFFSET, -1);
        assertEquals(
                new Fault(LogKind.TIME, entries().get(1), differs(PAGE, "ends before its chunk: end=" + 2L * PAGE)),
                faults.stream()
                        .filter(fault -> fault.message.contains("ends before"))
                        .findFirst()
                        .orElseThrow());
    }

    @Test
    void shouldFindADirectoryThatBeginsWithinAChunk() {
        auditWith(1, TimeEntryDescriptor.ADDRESS_OFFSET, PAGE);
        Fault within = new Fault(
                LogKind.TIME, entries().get(1), differs(2L * PAGE, "begins within another: address=" + 2 * PAGE));
        assertTrue(faults.contains(within), faults::toString);
    }

    @Test
    void shouldFindAWrongTimeOfAChunk() {
        auditWith(1, TimeEntryDescriptor.FIRST_TIME_OFFSET, 1);
        assertTrue(faults.get(0).message.startsWith(differs(PAGE, "differs: first time=")), "of the chunk: " + faults);
        assertTrue(faults.get(1).message.startsWith(differs(PAGE, "differs: source=2, first time=")));
    }

    @Test
    void shouldFindAWrongEndOfAChunksTimes() {
        auditWith(1, TimeEntryDescriptor.LAST_TIME_OFFSET, 1);
        assertTrue(faults.get(0).message.startsWith(differs(PAGE, "differs: last time=")), faults::toString);
    }

    @Test
    void shouldFindAPageThatBeginsAtAnotherTimeThanItsFirstEntry() {
        auditWith(0, TimeEntryDescriptor.FIRST_TIME_OFFSET, 1);
        assertEquals(
                new Fault(
                        LogKind.TIME,
                        0,
                        "page begins at another time than its first entry: time=" + RecordLogFixture.FIRST_TIME
                                + ", entry=" + (RecordLogFixture.FIRST_TIME + 1)),
                faults.get(0));
    }

    @Test
    void shouldFindWhatIsNoEntry() {
        write();
        long second = entries().get(1);
        entriesRing().putByte((int) second + TimeEntryDescriptor.TYPE_OFFSET, (byte) 7);
        audit();
        assertEquals(new Fault(LogKind.TIME, second, "no entry begins here: address=" + second), faults.get(0));
    }

    @Test
    void shouldFindAnEntryThatLacksParts() {
        write();
        long second = entries().get(1);
        int flags = (int) second + TimeEntryDescriptor.FLAGS_OFFSET;
        entriesRing().putByte(flags, (byte) TimeEntryDescriptor.FLAG_FIRST);
        audit();
        assertEquals(
                new Fault(LogKind.TIME, second, "directory lacks its last part: address=" + second), faults.get(0));
        entriesRing().putByte(flags, (byte) TimeEntryDescriptor.FLAG_LAST);
        audit();
        assertFault(LogKind.TIME, second, "entry lacks the part before: address=" + second);
    }

    @Test
    void shouldFindAnEntryWhoseListEndsElsewhere() {
        write();
        long second = entries().get(1);
        int sources = (int) second + TimeEntryDescriptor.SOURCES_OFFSET;
        entriesRing().putShort(sources, (short) 1, ByteOrder.LITTLE_ENDIAN);
        audit();
        String malformed = "entry is malformed: address=" + second + ", reason=";
        assertTrue(faults.get(0).address == second && faults.get(0).message.startsWith(malformed), faults::toString);
        entriesRing().putShort(sources, (short) 3, ByteOrder.LITTLE_ENDIAN);
        audit();
        assertEquals(
                new Fault(LogKind.TIME, second, differs(PAGE, "lists a source without records: source=0")),
                faults.get(0),
                "its padding");
    }

    @Test
    void shouldFindACheckpointOfOtherRecords() {
        write();
        long checkpoint = entries().get(3);
        long end = store.records.log().tail();
        int at = (int) checkpoint + TimeEntryDescriptor.ADDRESS_OFFSET;
        entriesRing().putLong(at, end + PAGE, ByteOrder.LITTLE_ENDIAN);
        audit();
        assertFault(
                LogKind.TIME,
                checkpoint,
                "checkpoint differs from the records: record address=" + (end + PAGE) + "; it ends behind them");
        entriesRing().putLong(at, end - PAGE, ByteOrder.LITTLE_ENDIAN);
        audit();
        assertFault(
                LogKind.TIME,
                checkpoint,
                "checkpoint differs from the records: record address=" + (end - PAGE)
                        + "; it is not in the order of the chunks: expected=" + end);
    }

    /** What no directory covers is read all the same, and counted. */
    @Test
    void shouldCountRecordsWithoutADirectory() {
        write();
        long second = entries().get(1);
        int type = (int) second + TimeEntryDescriptor.TYPE_OFFSET;
        entriesRing().putByte(type, (byte) 7);
        audit();
        List<Fault> found = faults.stream()
                .filter(fault -> fault.address != second)
                .filter(fault -> !fault.message.contains("does not lead to"))
                .toList();
        assertEquals(List.of(), found, "the checkpoint's counts are those of all records");
        assertEquals(3 + 9, read);
    }

    @Test
    void shouldReadOnlyUntilItIsStopped() {
        write();
        stopAt = 0;
        audit();
        assertEquals(0, read);
        stopAt = PAGE;
        audit();
        assertEquals(List.of(), faults);
        assertTrue(read > 4 && read < 4 + 9, "read=" + read);
    }

    @Test
    void shouldFindDisorderInTheRecords() {
        write();
        UnsafeBuffer ring = store.records.log().ring();
        int second = PageDescriptor.HEADER_LENGTH + RecordDescriptor.alignedLength(8);
        long word0 = ring.getLong(second, ByteOrder.LITTLE_ENDIAN);
        ring.putLong(second, word0 | 1L << RecordDescriptor.BACK_SHIFT, ByteOrder.LITTLE_ENDIAN);
        audit();
        assertFault(
                LogKind.RECORD,
                second,
                "record does not lead to the previous one of its source: source=2, distance=8, expected=0");
        ring.putLong(second, word0, ByteOrder.LITTLE_ENDIAN);
        int at = second + RecordDescriptor.WORD1_OFFSET;
        long word1 = ring.getLong(at, ByteOrder.LITTLE_ENDIAN);
        ring.putLong(at, RecordDescriptor.word1(2, 5), ByteOrder.LITTLE_ENDIAN);
        audit();
        assertEquals(LogKind.RECORD, faults.get(0).log);
        int third = second + RecordDescriptor.alignedLength(20);
        assertEquals(
                new Fault(
                        LogKind.RECORD,
                        third,
                        "time decreases: time=" + (RecordLogFixture.FIRST_TIME + 2) + ", previous="
                                + (RecordLogFixture.FIRST_TIME + 5)),
                faults.get(0));
        ring.putLong(at, word1, ByteOrder.LITTLE_ENDIAN);
        ring.putLong(third, 0, ByteOrder.LITTLE_ENDIAN);
        audit();
        assertFault(LogKind.RECORD, third, "no record begins here: address=" + third);
    }

    private void index(Index... defined) {
        List<ActiveIndex> active = new ArrayList<>();
        for (Index index : defined) {
            active.add(new ActiveIndex(index, null));
        }
        store.sources.index(defined[0].sourceId(), active);
    }

    @Test
    void shouldHaveEachIndexComparedThatADirectoryLists() {
        index(define(1, 1), define(2, 1));
        index(define(3, 2));
        write();
        audit();
        List<Long> entries = entries();
        assertEquals(
                List.of(
                        new Compared(1, true, entries.get(0), 0),
                        new Compared(2, true, entries.get(0), 0),
                        new Compared(3, true, entries.get(0), 0),
                        new Compared(3, true, entries.get(1), PAGE),
                        new Compared(1, true, entries.get(1), PAGE),
                        new Compared(2, true, entries.get(1), PAGE),
                        new Compared(1, true, entries.get(2), 3L * PAGE),
                        new Compared(2, true, entries.get(2), 3L * PAGE)),
                compared);
    }

    @Test
    void shouldFindAnIndexThatNothingDefinesUnlessDefinitionsAreLost() {
        index(define(1, 1));
        write();
        indexes.clear();
        audit();
        List<Long> entries = entries();
        String what = "lists an index that nothing defines: index=1";
        assertEquals(
                List.of(
                        new Fault(LogKind.TIME, entries.get(0), differs(0, what)),
                        new Fault(LogKind.TIME, entries.get(1), differs(PAGE, what)),
                        new Fault(LogKind.TIME, entries.get(2), differs(3L * PAGE, what))),
                faults);
        definitionsLost = true;
        audit();
        assertEquals(List.of(), faults);
        assertEquals(List.of(), compared);
    }

    @Test
    void shouldFindAnIndexOfAnotherSource() {
        index(define(1, 1));
        write();
        define(1, 2);
        audit();
        String what = "lists an index of another source: source=1, index=1";
        assertEquals(new Fault(LogKind.TIME, entries().get(0), differs(0, what)), faults.get(0));
        assertEquals(
                3, faults.stream().filter(fault -> fault.message.endsWith(what)).count());
        assertEquals(List.of(), compared);
    }

    @Test
    void shouldKnowWhichChunkAListedSourceIsOf() {
        write();
        SnapshotView snapshot = store.snapshot();
        try (ListedChunks chunks = new ListedChunks(snapshot, indexes::get)) {
            assertEquals(0, chunks.seek(0));
            List<Long> starts = new ArrayList<>();
            while (chunks.next()) {
                starts.add(chunks.start());
                assertEquals(
                        chunks.start() < 3L * PAGE ? 2 : 1, chunks.sources().size());
                for (ListedChunk.ListedSource source : chunks.sources()) {
                    assertEquals(chunks.lastEntry(), source.part());
                    assertTrue(source.lastRecord() >= chunks.start() && source.lastRecord() < chunks.end());
                    long previous = chunks.chunkOf(source.previous());
                    assertTrue(previous < chunks.start());
                    assertEquals(source.previous() < 0, previous < 0);
                }
            }
            assertEquals(List.of(0L, (long) PAGE, 3L * PAGE), starts);
            assertEquals(ListedChunks.UNKNOWN, chunks.chunkOf(3));
            assertEquals(PAGE, chunks.seek(PAGE));
            assertTrue(chunks.next());
            assertEquals(PAGE, chunks.start());
            assertEquals(3L * PAGE, chunks.end());
            assertEquals(3L * PAGE, chunks.seek(2L * PAGE), "where the chunk before ends");
            assertTrue(chunks.next());
            assertEquals(3L * PAGE, chunks.start());
            long end = store.records.log().tail();
            assertEquals(end, chunks.seek(end + PAGE), "a checkpoint is passed over");
            assertFalse(chunks.next());
            assertEquals(0, chunks.seek(0));
            assertTrue(chunks.next());
            assertEquals(0, chunks.start());
        }
    }

    @Test
    void shouldListNoChunkWhoseDirectoryIsDamaged() {
        write();
        long second = entries().get(1);
        entriesRing().putByte((int) second + TimeEntryDescriptor.FLAGS_OFFSET, (byte) TimeEntryDescriptor.FLAG_FIRST);
        try (ListedChunks chunks = new ListedChunks(store.snapshot(), indexes::get)) {
            chunks.seek(0);
            assertTrue(chunks.next());
            assertTrue(chunks.next());
            assertEquals(3L * PAGE, chunks.start());
        }
        entriesRing().putByte((int) second + TimeEntryDescriptor.FLAGS_OFFSET, (byte)
                (TimeEntryDescriptor.FLAG_FIRST | TimeEntryDescriptor.FLAG_LAST));
        entriesRing().putShort((int) second + TimeEntryDescriptor.SOURCES_OFFSET, (short) 1, ByteOrder.LITTLE_ENDIAN);
        try (ListedChunks chunks = new ListedChunks(store.snapshot(), indexes::get)) {
            chunks.seek(0);
            assertTrue(chunks.next());
            assertTrue(chunks.next());
            assertEquals(3L * PAGE, chunks.start());
        }
    }

    /** What is listed in several parts: as many sources as take more than one, or the indexes of one source. */
    private void writeParts(int sources, int indexesOfTheFirst) {
        store.close();
        store = new RecordLogFixture(directory.resolve("parts"), sources);
        Index[] defined = new Index[indexesOfTheFirst];
        for (int i = 0; i < indexesOfTheFirst; i++) {
            defined[i] = define(i + 1, 1);
        }
        if (indexesOfTheFirst > 0) {
            index(defined);
        }
        for (int chunk = 0; chunk < 2; chunk++) {
            for (int id = 1; id <= sources; id++) {
                store.clockNs += sources > 1 ? 1L << 20 : 0;
                push(id, 8);
            }
            if (chunk == 0) {
                fillPage();
            }
        }
        store.log.sealWithCheckpoint();
    }

    @Test
    void shouldFindPartsThatDifferFromTheFirst() {
        writeParts(2000, 0);
        audit();
        assertEquals(List.of(), faults);
        List<Long> entries = entries();
        long part = entries.get(1);
        String differs = differs(0, "differs from its first part: address=" + entries.get(0));
        for (int offset : new int[] {
            TimeEntryDescriptor.PAGES_OFFSET,
            TimeEntryDescriptor.FIRST_TIME_OFFSET,
            TimeEntryDescriptor.LAST_TIME_OFFSET,
            TimeEntryDescriptor.BINS_BEGIN_OFFSET,
            TimeEntryDescriptor.BINS_END_OFFSET
        }) {
            int at = (int) part + offset;
            byte before = entriesRing().getByte(at);
            entriesRing().putByte(at, (byte) (before ^ 2));
            audit();
            assertTrue(faults.contains(new Fault(LogKind.TIME, part, differs)), "offset=" + offset + ": " + faults);
            entriesRing().putByte(at, before);
        }
        audit();
        assertEquals(List.of(), faults);
    }

    @Test
    void shouldFindASourceThatGoesOnWithOtherNumbers() {
        writeParts(1, 1000);
        audit();
        assertTrue(compared.size() == 2000 && compared.stream().allMatch(Compared::same), "each index twice");
        List<Fault> right =
                faults.stream().filter(fault -> !fault.message.contains("bins")).toList();
        assertEquals(List.of(), right);
        long part = entries().get(1);
        int list = (int) part + TimeEntryDescriptor.LIST_OFFSET;
        // id, no records, bytes, two times, last record, the way to the part before: each its lowest bit
        for (int number = 0; number < 7; number++) {
            int at = list + number;
            byte before = entriesRing().getByte(at);
            entriesRing().putByte(at, (byte) (before ^ 1));
            audit();
            Fault first = faults.get(0);
            String what = number == 1 ? "lists a source twice: source=1" : "lists a source without records: source=";
            assertTrue(
                    first.address == part && first.message.startsWith(differs(0, what)),
                    "number=" + number + ": " + first);
            entriesRing().putByte(at, before);
        }
    }

    /** Where the bins of each comparison end, if they follow each other. */
    private void followBins() {
        List<Long> begins = new ArrayList<>(binsAddresses);
        List<Compared> each = new ArrayList<>(compared);
        SnapshotView snapshot = store.snapshot();
        binsEnds.clear();
        try (DirectoryReader reader = new DirectoryReader(snapshot.times(), snapshot.timeTail())) {
            for (int i = 0; i < each.size(); i++) {
                boolean last = i + 1 == each.size() || each.get(i + 1).part != each.get(i).part;
                assertTrue(reader.seek(each.get(i).part));
                binsEnds.add(last ? reader.binsEnd() : begins.get(i + 1));
            }
        }
    }

    @Test
    void shouldFindBinsThatDoNotFollowEachOther() {
        index(define(1, 1), define(2, 1));
        write();
        audit();
        List<Compared> each = new ArrayList<>(compared);
        assertEquals(6, each.size());
        followBins();
        audit();
        assertEquals(List.of(), faults);
        for (int i = 0; i < 6; i++) {
            long end = binsEnds.get(i);
            binsEnds.set(i, end + 8);
            audit();
            long part = each.get(i).part;
            String expected = i % 2 == 0
                    ? "passes over bins: index=2, address=" + end + ", expected=" + (end + 8)
                    : "differs: end of its bins=" + end + ", expected=" + (end + 8);
            assertFault(LogKind.TIME, part, differs(each.get(i).chunkAddress, expected));
            binsEnds.set(i, SummaryComparison.UNKNOWN);
            audit();
            assertEquals(List.of(), faults, "what can't be read may end anywhere");
            binsEnds.set(i, end);
        }
        int begin = (int) each.get(2).part + TimeEntryDescriptor.BINS_BEGIN_OFFSET;
        long before = entriesRing().getLong(begin, ByteOrder.LITTLE_ENDIAN);
        entriesRing().putLong(begin, before - 8, ByteOrder.LITTLE_ENDIAN);
        audit();
        assertEquals(
                new Fault(
                        LogKind.TIME,
                        each.get(2).part,
                        differs(PAGE, "has its bins elsewhere: begin=" + (before - 8) + ", expected=" + before)),
                faults.get(0));
    }

    /** Chunks whose entries are each in a page of the index's own, with checkpoints after the third and the last. */
    private void writePages() {
        index(define(1, 1));
        for (int chunk = 0; chunk < 6; chunk++) {
            push(1, 8);
            push(2, chunk % 3 == 1 ? JUMBO : 30);
            push(1, 9);
            if (chunk % 3 == 2) {
                store.log.sealWithCheckpoint();
            } else {
                store.log.seal();
            }
        }
        store.evict();
    }

    private static LogView onDisk(LogView view) {
        return new LogView(view.kind(), view.storeId(), view.storage(), view.segments(), view.watermarks(), null);
    }

    /** As read from the files alone. */
    private SnapshotView files() {
        SnapshotView now = store.snapshot();
        return new SnapshotView(
                onDisk(now.records()),
                onDisk(now.times()),
                onDisk(now.chunks()),
                now.recordBegin(),
                now.recordTail(),
                store.times.watermarks().tailAcquire(),
                now.chunkTail(),
                now.slots(),
                now.text());
    }

    private static void flip(RecordLogFixture.Part log, long address) throws IOException {
        try (RandomAccessFile file =
                new RandomAccessFile(log.segments().file(address).toFile(), "rw")) {
            file.seek(address);
            int before = file.read();
            file.seek(address);
            file.write(before ^ 1);
        }
    }

    @Test
    void shouldFindNoFaultInWhatCannotBeRead() throws IOException {
        writePages();
        audit(files());
        long all = read;
        List<Fault> right = List.copyOf(faults);
        assertEquals(
                List.of(),
                right.stream().filter(fault -> !fault.message.contains("bins")).toList());
        long timePages = store.times.log().tail() / PAGE;
        long recordPages = store.records.log().tail() / PAGE;
        assertEquals(8, timePages);
        assertEquals(8, recordPages);
        for (long page = 0; page < timePages; page++) {
            flip(store.times, page * PAGE + 100);
            for (long with = -1; with < recordPages; with++) {
                if (with >= 0) {
                    flip(store.records, with * PAGE + 100);
                }
                audit(files());
                assertTrue(right.containsAll(faults), "time page=" + page + ", record page=" + with + ": " + faults);
                assertTrue(read < all, "read=" + read);
                if (with >= 0) {
                    flip(store.records, with * PAGE + 100);
                }
            }
            flip(store.times, page * PAGE + 100);
        }
        audit(files());
        assertEquals(all, read);
    }

    @Test
    void shouldFindNoFaultInWhatIsLeftWhenTheBeginningIsDeleted() {
        writePages();
        // the two logs are not deleted at one place: each begins at a segment
        for (long times = 0; times < 7; times++) {
            store.times.watermarks().beginRelease(times * PAGE);
            for (long records = times; records < 7; records++) {
                store.records.watermarks().beginRelease(records * PAGE);
                audit(files());
                assertEquals(
                        List.of(),
                        faults.stream()
                                .filter(fault -> !fault.message.contains("bins"))
                                .toList(),
                        "times=" + times + ", records=" + records);
            }
            store.records.watermarks().beginRelease(0);
        }
    }

    /** A checkpoint tells what was counted before, so that the next one can be compared. */
    @Test
    void shouldCountOnFromACheckpointWhenTheBeginningIsDeleted() {
        store.log.push(1, new byte[8]);
        store.log.sealWithCheckpoint();
        long begin = store.records.log().tail();
        push(1, 8);
        store.log.seal();
        store.sources.get(1).totals.records++;
        store.log.sealWithCheckpoint();
        store.evict();
        store.records.watermarks().beginRelease(begin);
        audit(files());
        assertFault(
                LogKind.TIME,
                entries().get(3),
                "checkpoint differs from the records: record address="
                        + store.records.log().tail() + "; it differs: source=1, records=3, expected=2");
    }

    @Test
    void shouldFindARecordSpanningPagesThatIsIncomplete() {
        write();
        UnsafeBuffer ring = store.records.log().ring();
        int fragment = 2 * PAGE + PageDescriptor.HEADER_LENGTH;
        long word0 = ring.getLong(fragment, ByteOrder.LITTLE_ENDIAN);
        ring.putLong(fragment, word0 - 1, ByteOrder.LITTLE_ENDIAN);
        audit();
        assertFault(LogKind.RECORD, PAGE, "record spanning pages is incomplete: page address=" + PAGE);
    }

    @Test
    void shouldListNoChunkWhosePartsDiffer() {
        writeParts(2000, 0);
        int at = (int) (long) entries().get(1) + TimeEntryDescriptor.LAST_TIME_OFFSET;
        entriesRing().putByte(at, (byte) (entriesRing().getByte(at) ^ 2));
        try (ListedChunks chunks = new ListedChunks(store.snapshot(), indexes::get)) {
            chunks.seek(0);
            assertTrue(chunks.next());
            assertEquals(PAGE, chunks.start(), "the next one is whole");
            assertEquals(2000, chunks.sources().size());
            assertFalse(chunks.next());
        }
    }

    @Test
    void shouldReadTheChunkThatIsOpen() {
        write();
        audit();
        long before = read;
        push(1, 8);
        push(1, 8);
        audit();
        assertEquals(List.of(), faults);
        assertEquals(before + 2, read);
        store.records.log().ring().putLong((int) store.sources.get(1).lastAddress, 0);
        audit();
        assertFault(
                LogKind.RECORD,
                store.sources.get(1).lastAddress,
                "no record begins here: address=" + store.sources.get(1).lastAddress);
    }

    @Test
    void shouldCompareACheckpointWithRecordsThatHaveNoDirectory() {
        write(() -> {}, () -> store.sources.get(1).totals.records++);
        entriesRing().putByte((int) (long) entries().get(1) + TimeEntryDescriptor.TYPE_OFFSET, (byte) 7);
        audit();
        assertTrue(
                faults.stream()
                        .anyMatch(fault -> fault.message.endsWith("it differs: source=1, records=7, expected=6")),
                faults::toString);
    }

    @Test
    void shouldFindASourceThatALaterCheckpointLacks() {
        write();
        push(1, 8);
        store.log.seal();
        store.sources.get(2).totals.clear();
        store.log.sealWithCheckpoint();
        audit();
        assertFault(
                LogKind.TIME,
                entries().get(5),
                "checkpoint differs from the records: record address="
                        + store.records.log().tail() + "; it lacks a source: source=2, records=3");
    }

    @Test
    void shouldFindACheckpointWhoseListEndsElsewhere() {
        write();
        long checkpoint = entries().get(3);
        int sources = (int) checkpoint + TimeEntryDescriptor.SOURCES_OFFSET;
        entriesRing().putShort(sources, (short) 1, ByteOrder.LITTLE_ENDIAN);
        audit();
        assertTrue(
                faults.stream()
                        .anyMatch(fault -> fault.address == checkpoint
                                && fault.message.startsWith("entry is malformed: address=" + checkpoint)),
                faults::toString);
    }

    @Test
    void shouldFindNoFaultInBinsThatBeginALaterPage() {
        writePages();
        audit();
        followBins();
        audit();
        assertEquals(List.of(), faults);
        int begin = (int) compared.get(2).part % RecordLogFixture.RING + TimeEntryDescriptor.BINS_BEGIN_OFFSET;
        long before = entriesRing().getLong(begin, ByteOrder.LITTLE_ENDIAN);
        assertEquals(0, before % PAGE);
        entriesRing().putLong(begin, before + 8, ByteOrder.LITTLE_ENDIAN);
        audit();
        assertTrue(faults.get(0).message.contains("has its bins elsewhere: begin=" + (before + 8)), faults::toString);
    }
}
