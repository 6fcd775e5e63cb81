package dev.loom.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.PushStatus;
import dev.loom.api.Snapshot;
import dev.loom.format.Formats;
import dev.loom.query.model.Completeness;
import dev.loom.query.model.TimeRange;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The paper's Figure 9, "Loom API", operation by operation, as far as there are no indexes in it. */
class Figure9Test {
    @TempDir
    Path dir;

    private long now = 1_000;

    @Test
    void shouldReadLikeTheFigure() {
        LoomConfig config = LoomConfig.at(dir)
                .recordRingBytes(LoomConfig.RING_BYTES_MIN)
                .clock(() -> now)
                .build();
        try (Loom loom = Loom.open(config)) {
            // Schema operators

            // define_source(source_id): define a new source
            int requests = loom.defineSource("app.requests", Formats.parse("text"));
            int syscalls = loom.defineSource("os.syscalls", Formats.parse("text"));

            // Data ingest operators

            // push(source_id, bytes): write records from a source with content bytes
            now = 2_000;
            loom.push(requests, bytes("GET /a"));
            loom.push(syscalls, bytes("recvfrom"));
            now = 3_000;
            loom.push(requests, bytes("GET /b"));
            loom.push(syscalls, bytes("sendto"));

            // sync(source_id): make all records from a source visible to queriers

            // Query operators

            // raw_scan(source_id, t_range, func): scan a source in a time range
            List<String> seen = new ArrayList<>();
            try (Snapshot snapshot = loom.snapshot()) {
                Completeness completeness = RawScan.of(snapshot, requests)
                        .range(new TimeRange(2_000, 3_001))
                        .forEach((timeNs, buffer, offset, length) ->
                                seen.add(timeNs + " " + buffer.getStringWithoutLengthAscii(offset, length)));
                assertTrue(completeness.complete());
            }
            assertEquals(List.of("3000 GET /b", "2000 GET /a"), seen);

            // close_source(source_id): remove an existing source
            loom.closeSource(requests);
            assertEquals(PushStatus.SOURCE_CLOSED, loom.push(requests, bytes("GET /c")));
            loom.push(syscalls, bytes("close"));

            // what was pushed before stays
            try (Snapshot snapshot = loom.snapshot()) {
                assertEquals(2, snapshot.statistics(requests).records());
                assertEquals(3, snapshot.statistics(syscalls).records());
            }
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
