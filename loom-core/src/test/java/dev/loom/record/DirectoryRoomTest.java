package dev.loom.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.LoomConfig;
import dev.loom.api.Bins;
import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.index.ActiveIndex;
import dev.loom.index.ChunkIndexWriter;
import dev.loom.io.Storage;
import dev.loom.log.LogKind;
import dev.loom.log.PageDescriptor;
import dev.loom.log.Segments;
import dev.loom.log.UnsharedLog;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** That the directory of any chunk has room in the ring of the timestamp index, and takes no more than was asked for. */
final class DirectoryRoomTest {
    /** One for each record of two pages: a chunk has as many of short records around a jumbo. */
    private static final int SOURCES_MAX =
            2 * ((PageDescriptor.PAGE_LENGTH - PageDescriptor.HEADER_LENGTH) / RecordDescriptor.HEADER_LENGTH);

    private static final PayloadFormat FORMAT = Formats.parse("struct:v:i64");
    private static final long FIRST_TIME = 1L << 50;
    private static final long TIME_RANGE = 2 * RecordDescriptor.TIME_DELTA_MAX;
    private static final long FAR = 1L << 60;

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final UnsafeBuffer payload = new UnsafeBuffer(new byte[Long.BYTES]);

    @TempDir
    Path directory;

    @Test
    void shouldNeverAskForMoreThanTheRingHasBesideTheOpenPage() {
        for (long ring = LoomConfig.RING_BYTES_MIN; ring <= LoomConfig.RING_BYTES_MAX; ring *= 2) {
            int indexes = RecordLog.indexesMax((int) ring);
            int pages = TimeEntryDescriptor.pagesMax(TimeEntryDescriptor.directoryLengthMax(SOURCES_MAX + 1, indexes));
            assertTrue(pages <= ring / PageDescriptor.PAGE_LENGTH - 1, "ring=" + ring + ", pages=" + pages);
        }
    }

    @Test
    void shouldWriteTheLongestDirectoriesIntoTheRoomAskedFor() {
        System.out.println("DirectoryRoomTest: -Dloom.test.seed=" + seed);
        for (int ring = LoomConfig.RING_BYTES_MIN; ring <= 8 * LoomConfig.RING_BYTES_MIN; ring *= 2) {
            int indexesMax = RecordLog.indexesMax(ring);
            writeChunks(ring, SOURCES_MAX, indexesMax, SOURCES_MAX);
            writeChunks(ring, SOURCES_MAX, indexesMax, 1);
            writeChunks(ring, 1 + random.nextInt(SOURCES_MAX), 1 + random.nextInt(indexesMax), 1 + random.nextInt(100));
            // more than may be open: some that were closed since the chunk began, and others that were defined
            writeChunks(ring, SOURCES_MAX, 2 * indexesMax, 2);
        }
    }

    /** @param indexed over how many sources the indexes are spread */
    private void writeChunks(int ring, int sourceCount, int indexCount, int indexed) {
        String what = "seed=" + seed + ", ring=" + ring + ", sources=" + sourceCount + ", indexes=" + indexCount
                + ", indexed sources=" + indexed;
        try (UnsharedLog timeLog = log(LogKind.TIME, ring);
                UnsharedLog chunkLog = log(LogKind.CHUNK, LoomConfig.RING_BYTES_MIN)) {
            TimeIndexWriter index = new TimeIndexWriter(timeLog.log());
            ChunkDirectory chunks = new ChunkDirectory(
                    index, new ChunkIndexWriter(chunkLog.log()), SourceSlots.allocate(SourceSlots.SOURCES_MAX));
            List<SourceState> sources = sources(sourceCount, indexCount, Math.min(indexed, sourceCount));
            for (long chunkAddress = 0; chunkAddress < 3; chunkAddress++) {
                int taken = addAll(chunks, sources, chunkAddress);
                assertTrue(taken <= index.indexesMax(), what);
                chunkLog.evict();
                assertTrue(chunks.binsHaveRoom(), what);
                timeLog.evict();
                assertTrue(chunks.hasRoom(), what);
                int lists = TimeEntryDescriptor.directoryLengthMax(sourceCount + 1, taken);
                long before = timeLog.log().pageAddress();
                boolean open = timeLog.log().pageOpen();
                chunks.write(chunkAddress, 1, FIRST_TIME, FIRST_TIME + TIME_RANGE);
                long begun = (timeLog.log().pageAddress() - before) / PageDescriptor.PAGE_LENGTH + (open ? 0 : 1);
                assertTrue(begun <= TimeEntryDescriptor.pagesMax(lists), () -> what + ", pages=" + begun);
            }
        }
    }

    /** As little apart as makes every number of the directory long. */
    private int addAll(ChunkDirectory chunks, List<SourceState> sources, long chunkAddress) {
        int taken = 0;
        for (SourceState source : sources) {
            chunks.add(source, chunkAddress, FIRST_TIME + TIME_RANGE);
            source.chunkRecords = SOURCES_MAX;
            source.chunkBytes = RecordDescriptor.JUMBO_LENGTH_MAX + 2L * PageDescriptor.PAGE_LENGTH;
            source.lastAddress = chunkAddress + RecordDescriptor.JUMBO_LENGTH_MAX + 2L * PageDescriptor.PAGE_LENGTH;
            source.lastTimeNs = FIRST_TIME;
            taken += source.summary.count();
            for (int i = 0; i < 3 && source.indexed; i++) {
                payload.putLong(0, random.nextLong(), ByteOrder.LITTLE_ENDIAN);
                source.summary.add(payload, 0, Long.BYTES, chunkAddress);
            }
        }
        return taken;
    }

    /** Of the highest ids, so that these are long too. */
    private static List<SourceState> sources(int sourceCount, int indexCount, int indexed) {
        List<SourceState> sources = new ArrayList<>();
        int index = 1 << 24;
        for (int i = 0; i < sourceCount; i++) {
            SourceState source = new SourceState(SourceSlots.SOURCES_MAX - 1 - i);
            source.totals.directoryAddress = Long.BYTES;
            List<ActiveIndex> indexes = new ArrayList<>();
            for (int j = i; i < indexed && j < indexCount; j += indexed) {
                indexes.add(new ActiveIndex(definition(index++, source.id), null));
            }
            source.summary.define(indexes);
            sources.add(source);
        }
        assertEquals(indexCount, index - (1 << 24));
        return sources;
    }

    private static Index definition(int id, int sourceId) {
        IndexFunction function = IndexFunction.field(FORMAT, "v");
        return new Index(id, sourceId, "v", Index.Kind.VALUE, function, Bins.match(1), 0, false);
    }

    private UnsharedLog log(LogKind kind, int ring) {
        Segments segments = new Segments(directory, 1L << 30);
        return new UnsharedLog(kind, 1, 1, Storage.DISK, segments, FAR, ring);
    }
}
