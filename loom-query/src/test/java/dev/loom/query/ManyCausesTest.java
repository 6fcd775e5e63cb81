package dev.loom.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.Snapshot;
import dev.loom.format.Formats;
import dev.loom.query.model.QueryMemory;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.function.LongUnaryOperator;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How often a correlation with many causes reads them. */
final class ManyCausesTest {
    private static final int CAUSES = 30_000;

    @TempDir
    Path directory;

    private long nowNs = 1_000_000;
    private int opened;

    @Test
    void shouldReadManyCausesOnceWhenThereIsMemory() {
        assertEquals(1, passes(QueryMemory.UNLIMITED, i -> i));
        assertEquals(1, passes(new QueryMemory(12 << 20), i -> CAUSES - i));
    }

    @Test
    void shouldReadThemInPartsWhenThereIsLittleMemory() {
        QueryMemory memory = new QueryMemory(2_200 << 10);
        int passes = passes(memory, i -> i);
        assertTrue(passes > 1 && passes <= CAUSES / 4096 + 1, () -> "passes=" + passes);
        assertEquals(0, memory.reserved());
    }

    /** Matches each cause with the one record at its own time; how often the causes were read. */
    private int passes(QueryMemory memory, LongUnaryOperator order) {
        try (Loom loom = Loom.open(LoomConfig.at(directory.resolve("store" + opened))
                .clock(() -> nowNs)
                .build())) {
            int causes = loom.defineSource("causes", Formats.parse("struct:ts:i64"));
            int others = loom.defineSource("others", Formats.parse("struct:ts:i64"));
            UnsafeBuffer payload = new UnsafeBuffer(new byte[8]);
            for (int i = 0; i < CAUSES; i++) {
                nowNs += 10;
                payload.putLong(0, 1_000_000_000 + order.applyAsLong(i) * 10, ByteOrder.LITTLE_ENDIAN);
                loom.push(causes, payload, 0, 8);
                loom.push(others, payload, 0, 8);
            }
            int before = opened;
            try (Snapshot snapshot = loom.snapshot();
                    Correlation.Cursor cursor = Correlation.of(snapshot, others, () -> {
                                opened++;
                                return RawScan.of(snapshot, causes)
                                        .memory(memory)
                                        .open();
                            })
                            .eventTime(OperatorStore.clock(), OperatorStore.clock())
                            .memory(memory)
                            .open()) {
                int found = 0;
                while (cursor.next()) {
                    found++;
                }
                assertEquals(CAUSES, found);
                assertEquals(CAUSES, cursor.causes());
            }
            return opened - before;
        }
    }
}
