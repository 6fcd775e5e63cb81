package dev.loom.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.Snapshot;
import dev.loom.format.Formats;
import dev.loom.log.PageDescriptor;
import dev.loom.log.PageReader;
import dev.loom.query.model.Completeness.Limit;
import dev.loom.query.model.QueryBudget;
import dev.loom.query.model.QueryMemory;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.LongUnaryOperator;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How often a correlation with many causes reads them, and how much it reads of its budget. */
final class ManyCausesTest {
    private static final int CAUSES = 30_000;
    private static final int BATCHES = 4;
    private static final int BLOCK_LENGTH = PageReader.BLOCK_PAGES * PageDescriptor.PAGE_LENGTH;

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

    @Test
    void shouldShareItsBudgetWithTheCausesOfEachBatch() {
        try (Loom loom = Loom.open(
                LoomConfig.at(directory.resolve("budget")).clock(() -> nowNs).build())) {
            int causes = loom.defineSource("causes", Formats.parse("bytes"));
            int others = loom.defineSource("others", Formats.parse("bytes"));
            UnsafeBuffer payload = new UnsafeBuffer(new byte[10_000]);
            for (int i = 0; i < 1_000; i++) {
                nowNs += 10;
                loom.push(causes, payload, 0, 100);
                loom.push(others, payload, 0, payload.capacity());
            }
            try (Snapshot snapshot = loom.snapshot()) {
                Shared whole = share(snapshot, causes, others, Long.MAX_VALUE);
                assertEquals(new Shared(1_000, BATCHES, whole.bytesRead(), Limit.NONE), whole);
                int found = 0;
                for (long budget = 0; budget < whole.bytesRead(); budget += whole.bytesRead() / 40) {
                    Shared some = share(snapshot, causes, others, budget);
                    String context = "budget=" + budget + ", found=" + some;
                    assertTrue(some.bytesRead() <= budget + BLOCK_LENGTH, context);
                    boolean complete = some.matches() == 1_000;
                    assertEquals(complete ? Limit.NONE : Limit.BYTES, some.limit(), context);
                    assertTrue(!complete || budget > whole.bytesRead() - BLOCK_LENGTH, context);
                    assertTrue(some.matches() >= found, context);
                    found = some.matches();
                }
            }
        }
    }

    /** What a correlation did with a budget. */
    private record Shared(int matches, int batches, long bytesRead, Limit limit) {}

    private static Shared share(Snapshot snapshot, int causes, int others, long bytes) {
        int[] batches = {0};
        int matches = 0;
        try (Correlation.Cursor cursor = Correlation.of(snapshot, others, left -> {
                    batches[0]++;
                    return RawScan.of(snapshot, causes).budget(left).open();
                })
                .budget(new QueryBudget(bytes, Duration.ofMinutes(1)))
                .causesAtATime(1_000 / BATCHES)
                .open()) {
            while (cursor.next()) {
                matches++;
            }
            return new Shared(
                    matches,
                    batches[0],
                    cursor.statistics().bytesRead(),
                    cursor.completeness().limit());
        }
    }
}
