package dev.loom.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.query.model.QueryIndex;
import java.math.BigDecimal;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs of chunks have the values that are rare, so that exact percentiles near the end ask no chunk for them. */
class RareValuesTest {
    private static final PayloadFormat FORMAT = Formats.parse("struct:value:i64");
    private static final IndexFunction VALUE = IndexFunction.field(FORMAT, "value");
    private static final int RECORDS = 120_000;
    private static final Pattern COVERED = Pattern.compile("chunks covered=([0-9]+)");

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());

    @TempDir
    Path directory;

    @Test
    void shouldFindRareValuesInRuns() {
        System.out.println("RareValuesTest: -Dloom.test.seed=" + seed);
        Random random = new Random(seed);
        UnsafeBuffer payload = new UnsafeBuffer(new byte[64]);
        long[] sorted = new long[RECORDS];
        try (Loom loom = Loom.open(LoomConfig.at(directory.resolve("store")).build())) {
            int source = loom.defineSource("a", FORMAT);
            loom.defineIndex(source, "value", VALUE, Bins.logLinear().withValues());
            for (int i = 0; i < RECORDS; i++) {
                sorted[i] = Math.round(1_000_000 * Math.exp(random.nextGaussian() / 2));
                payload.putLong(0, sorted[i], ByteOrder.LITTLE_ENDIAN);
                loom.push(source, payload, 0, 64);
            }
        }
        Arrays.sort(sorted);
        try (Loom loom = Loom.open(LoomConfig.at(directory.resolve("store")).build())) {
            assertTrue(loom.finishRollups((done, total) -> true));
            try (Snapshot snapshot = loom.snapshot()) {
                for (double p : new double[] {0.01, 1, 99.9}) {
                    IndexedAggregate query =
                            IndexedAggregate.of(snapshot, 1, VALUE).percentiles(p);
                    IndexedAggregate.Result with = query.run();
                    IndexedAggregate.Result without =
                            query.use(QueryIndex.ROLLUP, false).run();
                    BigDecimal asked = BigDecimal.valueOf(p);
                    long right = sorted[(int) Math.ceil(p * RECORDS / 100) - 1];
                    assertEquals(right, with.percentiles().get(asked).longValue(), "seed=" + seed);
                    assertEquals(right, without.percentiles().get(asked).longValue());
                    // in each pass, only the chunks behind the last run are asked by themselves
                    assertTrue(chunksAsked(with) < 40, () -> with.statistics().toString());
                    assertTrue(
                            chunksAsked(without) > 200,
                            () -> without.statistics().toString());
                }
            }
        }
    }

    private static int chunksAsked(IndexedAggregate.Result result) {
        Matcher covered = COVERED.matcher(result.statistics().plan().get(0));
        assertTrue(covered.find(), () -> result.statistics().toString());
        return Integer.parseInt(covered.group(1));
    }
}
