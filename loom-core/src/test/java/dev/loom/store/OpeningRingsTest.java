package dev.loom.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.StoreAccess;
import dev.loom.format.Formats;
import dev.loom.io.Storage;
import dev.loom.record.RecordLog;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rings that the opening chooses by itself. */
final class OpeningRingsTest {
    private static final int SMALL = LoomConfig.RING_BYTES_MIN;

    @TempDir
    Path directory;

    /** Earlier versions limited sources by their ids alone; commands open a store without naming a ring. */
    @Test
    void shouldTakeALongerTimeRingForMoreSourcesThanTheLastSessionsHasRoomFor() {
        int sources = RecordLog.sourcesMax(SMALL); // and source 0
        int last = 0;
        try (Loom loom = Loom.open(StoreAccess.small(directory)
                .timeRingBytes(2 * SMALL)
                .sourcesMax(sources)
                .build())) {
            for (int i = 0; i < sources; i++) {
                last = loom.defineSource("source-" + i, Formats.bytes());
            }
        }
        MarkFile file = new MarkFile(Storage.DISK, new StoreFiles(directory).mark());
        file.writeTwice(MarkForgery.closedWithTimeRing(file.read(), SMALL));
        for (int records = 1; records <= 2; records++) {
            try (Loom loom = Loom.open(LoomConfig.at(directory).build())) {
                assertEquals(2 * SMALL, loom.info().times().ringBytes());
                assertTrue(loom.push(last, new byte[1]) >= 0);
                assertEquals(records, loom.snapshot().statistics(last).records());
            }
        }
    }
}
