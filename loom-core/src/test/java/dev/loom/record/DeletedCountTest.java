package dev.loom.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.filter.UnitFiles;
import dev.loom.io.Storage;
import dev.loom.log.LogKind;
import dev.loom.log.LogView;
import dev.loom.log.PageDescriptor;
import dev.loom.log.Segments;
import dev.loom.log.UnsharedLog;
import dev.loom.log.Watermarks;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the first checkpoint since says of deleted records, whole and with a page of it damaged. */
final class DeletedCountTest {
    private static final int PAGE = PageDescriptor.PAGE_LENGTH;
    private static final long STORE_ID = 7;
    private static final long BEGIN = 100L * PAGE;
    private static final int SOURCES = 20_000;

    @TempDir
    Path directory;

    private long timeTail;

    /** The sources of each page of the checkpoint: the odd ones. */
    private final Map<Long, List<Integer>> pages = new TreeMap<>();

    @BeforeEach
    void writeOneCheckpoint() {
        WriterSources sources = new WriterSources();
        for (int id = 1; id < SOURCES; id += 2) {
            sources.add(id, false, new SourceTotals(id * 8L, 3, 1000, 1), 0);
        }
        try (UnsharedLog log = new UnsharedLog(LogKind.TIME, STORE_ID, 1, Storage.DISK, segments(), 0, 4 * PAGE)) {
            new CheckpointWriter(new TimeIndexWriter(log.log()), Long.MAX_VALUE, -1, 0)
                    .write(sources.states(), BEGIN, 1, () -> {
                        log.log().publishSealed();
                        log.evict();
                    });
            log.log().sealPage(1);
            timeTail = log.sync();
        }
        try (DirectoryReader reader = new DirectoryReader(view().times(), timeTail)) {
            reader.toBegin();
            while (reader.next()) {
                reader.forEachCheckpointed((id, address, records, bytes, lost, firstNs) -> pages.computeIfAbsent(
                                PageDescriptor.pageAddress(reader.address()), page -> new ArrayList<>())
                        .add(id));
            }
        }
        assertTrue(pages.size() > 1, () -> "pages=" + pages.size());
        assertEquals(SOURCES / 2, pages.values().stream().mapToInt(List::size).sum());
    }

    private Segments segments() {
        return new Segments(directory, 16L << 20);
    }

    private SnapshotView view() {
        LogView times =
                new LogView(LogKind.TIME, STORE_ID, Storage.DISK, segments(), Watermarks.fixed(0, timeTail), null);
        LogView others =
                new LogView(LogKind.RECORD, STORE_ID, Storage.DISK, segments(), Watermarks.fixed(BEGIN, BEGIN), null);
        UnitFiles text = new UnitFiles(Storage.DISK, directory);
        return new SnapshotView(others, times, others, BEGIN, BEGIN, timeTail, 0, SourceSlots.allocate(1), text);
    }

    private void damage(long page) throws IOException {
        try (Stream<Path> files = Files.list(directory);
                FileChannel file = FileChannel.open(files.findFirst().orElseThrow(), StandardOpenOption.WRITE)) {
            assertEquals(PAGE, file.write(ByteBuffer.allocate(PAGE), page));
        }
    }

    @Test
    void shouldKnowWhichSourcesHaveDeletedRecords() {
        for (int id = 1; id < 200; id++) {
            assertEquals(id % 2 == 1, SourceCounter.hasDeleted(view(), id), "source=" + id);
        }
    }

    @Test
    void shouldNotTakeAMissingPartForOneWithoutTheSource() throws IOException {
        for (long page : List.copyOf(pages.keySet())) {
            damage(page);
            for (int id : List.of(pages.get(page).get(0), pages.get(page).get(1))) {
                assertTrue(SourceCounter.hasDeleted(view(), id), "source=" + id + ", page=" + page);
            }
        }
    }
}
