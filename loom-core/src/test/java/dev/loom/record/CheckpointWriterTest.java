package dev.loom.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.LossReason;
import dev.loom.io.Storage;
import dev.loom.log.LogKind;
import dev.loom.log.LogView;
import dev.loom.log.PageDescriptor;
import dev.loom.log.Segments;
import dev.loom.log.UnsharedLog;
import dev.loom.log.Watermarks;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** That a checkpoint of any length tells the totals of all sources. */
final class CheckpointWriterTest {
    private static final int PAGE = PageDescriptor.PAGE_LENGTH;
    private static final long STORE_ID = 7;
    private static final long END = 100L * PAGE;
    private static final long TIME = 1_000_000;

    @TempDir
    Path directory;

    private record Told(int source, long directory, long records, long bytes, long lost, long firstTimeNs) {}

    private final WriterSources sources = new WriterSources();
    private final List<Told> expected = new ArrayList<>();

    private Segments segments() {
        return new Segments(directory, 16L << 20);
    }

    private UnsharedLog log(int ring) {
        return new UnsharedLog(LogKind.TIME, STORE_ID, 1, Storage.DISK, segments(), 0, ring);
    }

    private void add(int id, long directoryAddress, long lost) {
        SourceTotals totals = new SourceTotals(directoryAddress, id * 3L, id * 1000L, TIME - id);
        sources.add(id, false, totals, lost);
        expected.add(new Told(id, directoryAddress, id * 3L, id * 1000L, lost, TIME - id));
    }

    private DirectoryReader reader(long end) {
        return new DirectoryReader(
                new LogView(LogKind.TIME, STORE_ID, Storage.DISK, segments(), Watermarks.fixed(0, end), null), end);
    }

    /** What the checkpoints tell, each from its first part to its last. */
    private static List<Told> told(DirectoryReader reader, long first, long previous) {
        List<Told> told = new ArrayList<>();
        assertTrue(reader.seek(first));
        assertTrue(reader.isFirstPart());
        boolean more = true;
        for (int part = 0; more; part++) {
            assertTrue(reader.isCheckpoint());
            assertEquals(part, reader.part());
            assertEquals(part == 0, reader.isFirstPart());
            assertEquals(END, reader.chunkAddress());
            assertEquals(TIME, reader.firstTimeNs());
            assertEquals(
                    previous, reader.buffer.getLong(reader.entry + TimeEntryDescriptor.PREVIOUS_CHECKPOINT_OFFSET));
            reader.forEachCheckpointed((id, directory, records, bytes, lost, firstNs) ->
                    told.add(new Told(id, directory, records, bytes, lost, firstNs)));
            more = !reader.isLastPart();
            assertTrue(!more || reader.next());
        }
        return told;
    }

    @Test
    void shouldTellTheTotalsOfAllSourcesWhateverItsLength() {
        for (int id = 1; id < 20_000; id += 1 + id % 3) {
            add(id, id * 8L, id % 2);
        }
        try (UnsharedLog log = log(4 * PAGE)) {
            CheckpointWriter writer = new CheckpointWriter(new TimeIndexWriter(log.log()), Long.MAX_VALUE, -1, 0);
            assertEquals(-1, writer.last());
            int[] rooms = new int[1];
            Runnable makeRoom = () -> {
                rooms[0]++;
                log.log().publishSealed();
                log.evict();
            };
            writer.write(sources.states(), END, TIME, makeRoom);
            long first = writer.last();
            writer.write(sources.states(), END, TIME, makeRoom);
            long second = writer.last();
            assertTrue(first >= PageDescriptor.HEADER_LENGTH && second > first);
            assertTrue(rooms[0] > 0, "longer than the ring");
            log.log().sealPage(TIME);
            try (DirectoryReader reader = reader(log.sync())) {
                assertEquals(expected, told(reader, first, -1));
                assertEquals(expected, told(reader, second, first));
                SourceTotals totals = new SourceTotals();
                assertTrue(reader.seek(first));
                assertTrue(reader.findCheckpointed(1, totals));
                assertEquals(8, totals.directoryAddress);
                assertEquals(3, totals.records);
                assertEquals(1000, totals.bytes);
                assertEquals(TIME - 1, totals.firstTimeNs);
                assertFalse(reader.findCheckpointed(2, totals));
            }
        }
    }

    @Test
    void shouldLeaveOutSourcesOfWhichThereIsNothingToTell() {
        add(2, 8, 0);
        add(4, SourceSlots.NO_DIRECTORY, 5);
        sources.add(5, false, new SourceTotals(), 0);
        sources.add(6, false, new SourceTotals(), 0);
        LossLedger ledger =
                new LossLedger(LossSlots.allocate(8), new LossCounts(ByteBuffer.allocateDirect(LossCounts.LENGTH), 0));
        ledger.add(sources.get(6), LossReason.SAMPLED, 9, 1, 2);
        ledger.add(sources.get(4), LossReason.SAMPLED, 9, 1, 2);
        try (UnsharedLog log = log(2 * PAGE)) {
            LossCheckpoint written = LossCheckpoint.write(log, sources, END, TIME);
            assertEquals(PageDescriptor.HEADER_LENGTH, written.address());
            assertEquals(PAGE, written.end());
            try (DirectoryReader reader = reader(written.end())) {
                assertEquals(expected, told(reader, written.address(), -1), "later markers tell of the others");
            }
        }
    }

    @Test
    void shouldBeDueAfterAsManyBytesAsItsLengthIsWorth() {
        try (UnsharedLog log = log(16 * PAGE)) {
            CheckpointWriter writer = new CheckpointWriter(new TimeIndexWriter(log.log()), Long.MAX_VALUE, 64, PAGE);
            assertEquals(64, writer.last());
            assertFalse(writer.due(PAGE + CheckpointWriter.INTERVAL_MIN - 1));
            assertTrue(writer.due(PAGE + CheckpointWriter.INTERVAL_MIN));
            add(1, 8, 0);
            writer.write(sources.states(), END, TIME, () -> {});
            assertFalse(writer.due(END + CheckpointWriter.INTERVAL_MIN - 1));
            assertTrue(writer.due(END + CheckpointWriter.INTERVAL_MIN));
            for (int id = 2; id < 20_000; id++) {
                add(id, 8, 0);
            }
            writer.write(sources.states(), END, TIME, () -> {});
            assertFalse(writer.due(END + CheckpointWriter.INTERVAL_MIN), "a long one");
            assertTrue(writer.due(END + (1L << 40)));
        }
    }

    @Test
    void shouldHaveRoomBesideTheOpenPageForAsManySourcesAsTheRingMayHaveAndNoMore() {
        for (int pages : new int[] {2, 3, 8, 64}) {
            try (UnsharedLog log = log(pages * PAGE)) {
                TimeIndexWriter index = new TimeIndexWriter(log.log());
                CheckpointWriter writer = new CheckpointWriter(index, Long.MAX_VALUE, -1, 0);
                add(1, 8, 0);
                do {
                    writer.write(sources.states(), END, TIME, () -> {});
                } while (log.log().remaining()
                        > TimeEntryDescriptor.LIST_OFFSET); // nothing more goes into the open page
                int most = RecordLog.sourcesMax(pages * PAGE);
                assertTrue(writer.hasRoom(most), "pages=" + pages);
                assertFalse(writer.hasRoom(most + 1), "pages=" + pages);
            }
        }
        assertTrue(RecordLog.sourcesMax(4 << 20) > SourceSlots.SOURCES_MAX, "the default ring");
    }

    @Test
    void shouldTellWhetherThereIsRoom() {
        try (UnsharedLog log = log(2 * PAGE)) {
            CheckpointWriter writer = new CheckpointWriter(new TimeIndexWriter(log.log()), Long.MAX_VALUE, -1, 0);
            assertTrue(writer.hasRoom(1));
            assertTrue(writer.hasPartRoom());
            assertFalse(writer.hasRoom(SourceSlots.SOURCES_MAX), "longer than the ring");
            add(1, 8, 0);
            int parts = 0;
            while (writer.hasPartRoom()) {
                writer.write(sources.states(), END, TIME, () -> {});
                parts++;
                assertTrue(parts < 10_000);
            }
            assertTrue(parts > 2);
            log.evict();
            assertTrue(writer.hasPartRoom());
        }
    }
}
