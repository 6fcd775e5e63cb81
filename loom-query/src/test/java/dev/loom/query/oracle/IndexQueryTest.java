package dev.loom.query.oracle;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.LoomReader;
import dev.loom.api.Snapshot;
import dev.loom.api.Store;
import dev.loom.query.model.QueryStatistics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random queries on random stores: every operator answers as one that reads everything, with whatever indexes, and with
 * none.
 *
 * <p>{@code -Dloom.queries=N} sets how many, {@code -Dloom.test.seed=S} the seed.
 */
@Timeout(value = 180, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class IndexQueryTest {
    private static final int QUERIES_PER_STATE = 30;

    private QueryStatistics work = QueryStatistics.NONE;
    private long records;
    private int rebuilding;

    @TempDir
    Path temp;

    @Test
    void shouldAnswerAsAScanOfEverythingWhateverIndexesHold() throws IOException {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        int queries = Integer.getInteger("loom.queries", 3_000);
        System.out.println("IndexQueryTest: -Dloom.test.seed=" + seed + " queries=" + queries);
        int done = 0;
        // some seeds have no state while rebuilding among so few
        for (int i = 0; done < queries || rebuilding == 0; i++) {
            Random random = new Random(seed + i);
            Path directory = Files.createDirectory(temp.resolve("run-" + i));
            try (RandomStore store = new RandomStore(directory, random)) {
                for (int state = 0; state < 6 && (done < queries || rebuilding == 0); state++) {
                    int steps = 1 + random.nextInt(12);
                    for (int step = 0; step < steps; step++) {
                        store.step();
                    }
                    rebuilding += store.rebuilding() ? 1 : 0;
                    done += check(store, random);
                }
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("-Dloom.test.seed=" + (seed + i), e);
            }
        }
        System.out.println("IndexQueryTest states while rebuilding=" + rebuilding + " work=" + work);
        System.out.println("row=R11 faults=" + done + " checked=" + records + " seed=" + seed);
        assertTrue(rebuilding > 0);
        // a test of indexes that are not used would find nothing
        assertTrue(work.pagesSkippedByBins() > work.pagesRead() / 100, work::toString);
        assertTrue(work.chunksFromTotals() > work.chunksRead() / 1_000, work::toString);
        assertTrue(work.runs() > 0, work::toString);
        assertTrue(work.chunksFromBins() > work.chunksRead() / 500, work::toString);
    }

    private int check(RandomStore store, Random random) {
        if (random.nextInt(4) == 0) {
            try (LoomReader reader = LoomReader.attach(store.directory())) {
                return check(reader, store, random);
            }
        }
        return check(store.loom(), store, random);
    }

    private int check(Store store, RandomStore sources, Random random) {
        try (Snapshot snapshot = store.snapshot()) {
            QueryOracle oracle = new QueryOracle(snapshot, sources.source(random.nextInt(RandomStore.SOURCES)), random);
            if (random.nextInt(3) == 0) {
                // after the snapshot, which must not see it
                sources.push(200);
            }
            for (int i = 0; i < QUERIES_PER_STATE; i++) {
                oracle.query();
            }
            work = work.plus(oracle.work());
            records += oracle.rows();
        }
        return 3 * QUERIES_PER_STATE;
    }
}
