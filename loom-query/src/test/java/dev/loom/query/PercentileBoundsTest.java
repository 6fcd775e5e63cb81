package dev.loom.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.query.model.PercentileBounds;
import java.math.BigDecimal;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Percentiles by their bounds, of values whose distribution fills many bins. */
class PercentileBoundsTest {
    private static final PayloadFormat FORMAT = Formats.parse("struct:value:i64");
    private static final IndexFunction VALUE = IndexFunction.field(FORMAT, "value");
    private static final int RECORDS = 40_000;

    @TempDir
    Path directory;

    private final UnsafeBuffer payload = new UnsafeBuffer(new byte[64]);
    private final long[] sorted = new long[RECORDS];

    private Loom fill(int precision) {
        Loom loom = Loom.open(LoomConfig.at(directory.resolve("store")).build());
        int source = loom.defineSource("a", FORMAT);
        loom.defineIndex(source, "value", VALUE, Bins.logLinear(precision));
        Random random = new Random(precision);
        for (int i = 0; i < RECORDS; i++) {
            sorted[i] = Math.round(1_000 * Math.exp(5 + 2 * random.nextGaussian())) * (i % 5 == 0 ? -1 : 1);
            payload.putLong(0, sorted[i], ByteOrder.LITTLE_ENDIAN);
            loom.push(source, payload, 0, 64);
        }
        Arrays.sort(sorted);
        loom.close();
        return Loom.open(LoomConfig.at(directory.resolve("store")).build());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, 6})
    void shouldAnswerFromBinsAloneIfTheyAreAsFineAsWanted(int precision) {
        try (Loom loom = fill(precision);
                Snapshot snapshot = loom.snapshot()) {
            IndexedAggregate query = IndexedAggregate.of(snapshot, 1, VALUE).percentiles(1, 30, 50, 99, 99.99);
            IndexedAggregate.Result near = query.within(1.0 / (1 << precision)).run();
            // the last chunk is in no summary yet, and is read in each pass
            assertEquals(2, near.statistics().chunksRead(), () -> "" + near.statistics());
            near.bounds().forEach(this::check);
            assertEquals(5, near.bounds().size());
            IndexedAggregate.Result nearer =
                    query.within(0.4 / (1 << precision)).run();
            assertTrue(nearer.statistics().chunksRead() > 3, () -> "" + nearer.statistics());
            nearer.bounds().forEach(this::check);
            IndexedAggregate.Result exact = query.within(0).run();
            assertEquals(5, exact.percentiles().size());
            exact.bounds().forEach((p, bounds) -> {
                check(p, bounds);
                assertTrue(bounds.isExact());
            });
        }
    }

    private void check(BigDecimal p, PercentileBounds bounds) {
        long value = sorted[(int) Math.ceil(p.doubleValue() * RECORDS / 100) - 1];
        assertTrue(
                bounds.lower().longValue() <= value
                        && bounds.upper().longValue() >= value
                        && bounds.estimate() >= bounds.lower().doubleValue()
                        && bounds.estimate() <= bounds.upper().doubleValue(),
                () -> "p=" + p + ", value=" + value + ", found=" + bounds);
    }

    @Test
    void shouldRefuseWhatIsNoShare() {
        try (Loom loom = fill(3);
                Snapshot snapshot = loom.snapshot()) {
            IndexedAggregate query = IndexedAggregate.of(snapshot, 1, VALUE);
            for (double share : new double[] {-0.01, 1.01, Double.NaN, Double.POSITIVE_INFINITY}) {
                assertThrows(IllegalArgumentException.class, () -> query.within(share));
            }
        }
    }
}
