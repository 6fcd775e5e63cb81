package dev.loom.query.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.format.Formats;
import dev.loom.format.StructFormat;
import dev.loom.format.StructWriter;
import dev.loom.query.Group;
import dev.loom.query.GroupedAggregate;
import dev.loom.query.Groups;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Groups from an index by keys while the keys change: as few as fit a chunk, just too many, others in each chunk, some too long. What the
 * index answers alone must be what was pushed. {@code -Dloom.test.seed=N} repeats a run.
 */
class KeyedChunksTest {
    private static final StructFormat FORMAT = (StructFormat) Formats.parse("struct:ms:i64?,op:utf8?");
    private static final IndexFunction MS = IndexFunction.field(FORMAT, "ms");
    private static final int PHASES = 12;
    private static final int PHASE_RECORDS = 6_000;

    @TempDir
    Path directory;

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final UnsafeBuffer payload = new UnsafeBuffer(new byte[2_000]);
    private final Map<String, List<Long>> expected = new TreeMap<>();
    private final Map<String, Long> records = new TreeMap<>();

    private void push(Loom loom, int source, StructWriter writer, String op) {
        writer.begin(payload, 0);
        records.merge(op, 1L, Long::sum);
        if (random.nextInt(1_000) > 0) {
            long ms = Math.round(Math.exp(3 + 3 * random.nextGaussian()));
            writer.setLong(0, ms);
            expected.computeIfAbsent(op, unused -> new ArrayList<>()).add(ms);
        }
        writer.setUtf8(1, op);
        loom.push(source, payload, 0, Math.max(writer.finish(), 40));
    }

    @Test
    void shouldKeepKeysApartWhateverChunksHadBefore() {
        System.out.println("KeyedChunksTest: -Dloom.test.seed=" + seed);
        long fromBins = 0;
        try (Loom loom = Loom.open(LoomConfig.at(directory.resolve("store")).build())) {
            int source = loom.defineSource("a", FORMAT);
            Bins bins = random.nextBoolean() ? Bins.logLinear().withValues() : Bins.logLinear(random.nextInt(4));
            loom.defineIndex(source, "ms", MS, bins, List.of("op"));
            StructWriter writer = new StructWriter(FORMAT);
            for (int phase = 0; phase < PHASES; phase++) {
                int keys = new int[] {1, 16, 60, 63, 64, 65, 70, 1_000}[random.nextInt(8)];
                int first = random.nextInt(3) * 40;
                int lengthMax = random.nextInt(3) == 0 ? 600 : 10;
                for (int i = 0; i < PHASE_RECORDS; i++) {
                    int key = first + random.nextInt(keys);
                    push(loom, source, writer, "op" + key + "-".repeat(key % lengthMax));
                }
            }
            try (Snapshot snapshot = loom.snapshot();
                    Groups groups = GroupedAggregate.of(snapshot, source, MS)
                            .by("op")
                            .percentiles(50)
                            .run()) {
                fromBins += groups.statistics().chunksFromBins();
                check(groups);
            }
        }
        assertTrue(fromBins > 0, "no chunk was answered by keys");
    }

    private void check(Groups groups) {
        assertEquals(records.size(), groups.size());
        for (Group group : groups) {
            String op = group.key().get(0).text();
            String what = "seed=" + seed + ", op=" + op;
            List<Long> values = expected.getOrDefault(op, List.of());
            values.sort(null);
            assertEquals(records.get(op), group.records(), what);
            assertEquals(values.size(), group.count(), what);
            if (values.isEmpty()) {
                continue;
            }
            assertEquals(Long.toString(values.stream().mapToLong(v -> v).sum()), group.sum(), what);
            assertEquals(values.get(0), group.min().orElseThrow().longValue(), what);
            assertEquals(
                    values.get(values.size() - 1), group.max().orElseThrow().longValue(), what);
            assertEquals(
                    values.get((values.size() + 1) / 2 - 1),
                    group.percentile(50).orElseThrow().longValue(),
                    what);
        }
    }
}
