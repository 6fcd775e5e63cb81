package dev.loom.bench.search;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.Snapshot;
import dev.loom.format.Formats;
import dev.loom.query.ProgressiveCount;
import dev.loom.query.TextSearch;
import dev.loom.query.model.TimeRange;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Estimates of a store whose counts are known. */
final class EstimateErrorsTest {
    private static final int LINES = 8_000;
    private static final int HALF = LINES / 2;

    /** A third of the first half of the lines have the word, and every other one of the second. */
    @Test
    void shouldTellHowFarEstimatesAreFromTheCounts(@TempDir Path directory) {
        final long[] timeNs = {0};
        try (Loom loom = Loom.open(LoomConfig.at(directory)
                .stagingDirectory(directory)
                .clock(() -> timeNs[0])
                .textIndexShare(0) // what it has built by then would decide how near the estimates are
                .build())) {
            final int source = loom.defineSource("log", Formats.text());
            for (int i = 0; i < LINES; i++) {
                timeNs[0] = i;
                final String word = i % (i < HALF ? 3 : 2) == 0 ? "found" : "other";
                loom.push(source, (word + " ".repeat(4_000)).getBytes(StandardCharsets.UTF_8));
            }
            final List<ProgressiveCount.Counts> rounds = new ArrayList<>();
            final ProgressiveCount.Counts exact;
            try (Snapshot snapshot = loom.snapshot()) {
                exact = TextSearch.of(snapshot, snapshot.source("log").orElseThrow(), "found")
                        .progressive()
                        .range(new TimeRange(0, LINES))
                        .step(Duration.ofNanos(HALF))
                        .firstSample(40)
                        .run(rounds::add);
            }
            assertEquals(1334, exact.count(0));
            assertEquals(HALF / 2, exact.count(1));
            assertTrue(!rounds.isEmpty(), "there was no estimate");
            final EstimateErrors errors = new EstimateErrors();
            double sums = 0;
            double steps = 0;
            double most = 0;
            for (ProgressiveCount.Counts counts : rounds) {
                errors.add(new CountRound(2_000_000, 1_000_000, counts), exact);
                final double off = Math.abs(counts.count() / 3334.0 - 1);
                sums += off;
                most = Math.max(most, off);
                steps += (Math.abs(counts.count(0) - 1334) + Math.abs(counts.count(1) - 2000)) / 3334.0;
            }
            assertTrue(most > 0, "the estimates were exact: rounds=" + rounds.size());
            assertEquals(rounds.size(), errors.questions());
            assertEquals(most, errors.mostOfSums(), 1e-12);
            assertEquals(sums / rounds.size(), errors.meanOfSums(), 1e-12);
            assertEquals(steps / rounds.size(), errors.meanOfSteps(), 1e-12);
            assertEquals(2, errors.latencies().mean());
            assertEquals(1, errors.latencies().cpu());
            errors.add(new CountRound(2_000_000, 1_000_000, exact), exact);
            assertEquals(sums / (rounds.size() + 1), errors.meanOfSums(), 1e-12);
        }
    }
}
