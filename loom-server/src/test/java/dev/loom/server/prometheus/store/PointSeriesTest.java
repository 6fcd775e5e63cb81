package dev.loom.server.prometheus.store;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.Snapshot;
import dev.loom.format.Formats;
import dev.loom.format.RecordLookup;
import dev.loom.query.model.QueryMemory;
import dev.loom.server.prometheus.promql.Matcher;
import dev.loom.server.prometheus.promql.SeriesSource.Selection;
import dev.loom.server.prometheus.promql.Steps;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

final class PointSeriesTest {
    private static final int PAIRS = 16;

    @TempDir
    private Path directory;

    /** Metrics whose attributes a sender gave one hash; of them one is asked for. What is not fast takes many minutes. */
    @Test
    @Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void shouldTakeMetricsOfOneHash() {
        String wanted = "Aa".repeat(PAIRS);
        Selection selection =
                new Selection(List.of(new Matcher("a", Matcher.Operator.EQUAL, wanted)), Steps.at(1_000), 1_000, null);
        try (Loom loom = Loom.open(LoomConfig.at(directory).build());
                Snapshot snapshot = loom.snapshot();
                RecordLookup lookup = snapshot.lookup()) {
            PointSeries series = new PointSeries(selection, QueryMemory.UNLIMITED);
            PointFields point = new PointFields(Formats.json(), lookup);
            for (int number = 0; number < 1 << PAIRS; number++) {
                StringBuilder attribute = new StringBuilder();
                for (int bit = 0; bit < PAIRS; bit++) {
                    attribute.append((number >> bit & 1) == 0 ? "Aa" : "BB");
                }
                byte[] json = ("{\"name\":\"m\",\"kind\":\"gauge\",\"value\":1,\"attributes\":{\"a\":\"" + attribute
                                + "\"}}")
                        .getBytes(StandardCharsets.UTF_8);
                point.read(new UnsafeBuffer(json), 0, json.length);
                series.add(500, point);
            }
            assertEquals(
                    List.of(wanted),
                    series.build().stream().map(each -> each.labels().get("a")).toList());
        }
    }
}
