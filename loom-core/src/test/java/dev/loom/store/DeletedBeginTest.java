package dev.loom.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.StoreAccess;
import dev.loom.format.Formats;
import dev.loom.io.Storage;
import dev.loom.log.PageDescriptor;
import dev.loom.record.AscendingChunks;
import dev.loom.record.Chunks;
import dev.loom.record.DescendingChunks;
import dev.loom.record.SnapshotView;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The oldest segments were deleted, and the index of the rest is damaged: no walk leads below what is left. */
final class DeletedBeginTest {
    private static final int SEGMENT_LENGTH = 512 << 10;
    private static final int RECORDS = 20_000;

    /** Enough that the directories of the first chunks fill a page. */
    private static final int SOURCES = 400;

    @TempDir
    Path temp;

    private List<Path> segments(String log) throws IOException {
        try (Stream<Path> files = Files.list(temp.resolve("store").resolve(log))) {
            return files.sorted().toList();
        }
    }

    @Test
    void shouldNotLeadBelowTheBeginWhereTheIndexIsDamaged() throws Exception {
        Path store = temp.resolve("store");
        try (Loom loom =
                Loom.open(StoreAccess.small(store).segmentBytes(SEGMENT_LENGTH).build())) {
            for (int source = 1; source <= SOURCES; source++) {
                loom.defineSource("source" + source, Formats.bytes());
            }
            byte[] payload = new byte[100];
            for (int i = 0; i < RECORDS; i++) {
                loom.push(1 + i % SOURCES, payload);
            }
        }
        List<Path> records = segments("record");
        assertTrue(records.size() > 2);
        Files.delete(records.get(0));
        Files.delete(records.get(1));
        int entries = PageDescriptor.PAGE_LENGTH;
        List<Path> times = segments("time");
        try (FileChannel file = FileChannel.open(times.get(0), StandardOpenOption.WRITE)) {
            // the first page names chunks that are gone; no other page can be read
            assertTrue(file.size() > entries, "size=" + file.size());
            while (entries < file.size()) {
                entries += file.write(ByteBuffer.allocate(PageDescriptor.PAGE_LENGTH), entries);
            }
        }
        try (AttachedStore attached = AttachedStore.attach(store, Storage.DISK);
                StoreSnapshot snapshot = (StoreSnapshot) attached.snapshot()) {
            SnapshotView view = snapshot.view();
            assertEquals(2L * SEGMENT_LENGTH, view.recordBegin());
            List<String> parts = List.of(view.recordBegin() + " " + view.recordTail());
            assertEquals(parts, parts(new DescendingChunks(view, 1, Long.MAX_VALUE)));
            assertEquals(parts, parts(new AscendingChunks(view, 1, Long.MIN_VALUE, Long.MAX_VALUE, 0)));
        }
    }

    private static List<String> parts(Chunks walk) {
        List<String> parts = new ArrayList<>();
        try (walk) {
            while (walk.next()) {
                assertFalse(walk.listed());
                parts.add(walk.start() + " " + walk.end());
            }
        }
        return parts;
    }
}
