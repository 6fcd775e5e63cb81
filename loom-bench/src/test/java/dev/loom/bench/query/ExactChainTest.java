package dev.loom.bench.query;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ExactChainTest {
    private static final long INTERVAL_NS = 1_000;
    private static final long RECORDS = 100_000;

    @TempDir
    private Path directory;

    /** Chains whose records are all, some, or hardly any of the log's. */
    @ParameterizedTest
    @ValueSource(doubles = {0.9, 0.01, 0.0005})
    void shouldMeetTheRecordsOfItsChainAlone(double part) {
        final SimulatedCapture telemetry = new SimulatedCapture(RECORDS, INTERVAL_NS, 47, 79);
        final long aboveNs = telemetry.latencyExceededBy(part);
        final List<Long> all = new ArrayList<>();
        for (long number = RECORDS - 1; number >= 0; number--) {
            if (!telemetry.isRequest(number) && telemetry.latencyNs(number) > aboveNs) {
                all.add(number);
            }
        }
        final int newest = all.size() / 4;
        final int oldest = all.size() / 2;
        final long fromNs = telemetry.timeNs(all.get(oldest));
        final long toNs = telemetry.timeNs(all.get(newest - 1));
        final List<Long> expected = all.subList(newest, oldest + 1);
        try (ExactChain chain = new ExactChain(directory, telemetry, aboveNs)) {
            final List<Long> actual = new ArrayList<>();
            final long met = chain.walk(fromNs, toNs, actual::add);

            assertEquals(expected, actual);
            assertEquals(oldest + 2, met, "those of the range, all newer ones, and the first that is older");
        }
    }
}
