package dev.loom.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.format.Formats;
import dev.loom.query.model.QueryIndex;
import dev.loom.query.where.Where;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An index holds one number of a record, an expression may hold of any in an array: both have to agree. */
class ArrayIndexTest {
    @TempDir
    Path dir;

    @Test
    void shouldFindElementsOfArraysWithAndWithoutAnIndex() {
        try (Loom loom = Loom.open(LoomConfig.at(dir).recordRingBytes(1 << 20).build())) {
            int source = loom.defineSource("json", Formats.parse("json"));
            loom.defineIndex(source, "port", IndexFunction.field(Formats.parse("json"), "port"), Bins.logLinear());
            int records = 20_000;
            int arrays = 0;
            for (int i = 0; i < records; i++) {
                boolean array = i / 2_000 % 3 == 1 && i % 500 == 0;
                arrays += array ? 1 : 0;
                push(loom, source, array ? "{\"port\":[1,7777]}" : "{\"port\":" + i % 100 + "}");
            }
            assertTrue(arrays > 0);
            try (Snapshot snapshot = loom.snapshot()) {
                for (String expression : List.of("port == 7777", "port > 5000", "port in (7777, 200)", "port != 1")) {
                    long without = count(snapshot, source, expression, false);
                    assertEquals(without, count(snapshot, source, expression, true), expression);
                }
                assertEquals(arrays, count(snapshot, source, "port == 7777", true));
                assertEquals(arrays, count(snapshot, source, "port == 7777 and port == 1", true));
                try (QueryCursor cursor = RawScan.of(snapshot, source)
                        .where(Where.parse("port == 7777"))
                        .open()) {
                    while (cursor.next()) {}
                    // chunks without an array are still passed over
                    assertTrue(
                            cursor.statistics().chunksRead() < 15,
                            cursor.statistics().toString());
                }
            }
        }
    }

    private static long count(Snapshot snapshot, int source, String expression, boolean index) {
        long count = 0;
        try (QueryCursor cursor = RawScan.of(snapshot, source)
                .where(Where.parse(expression))
                .use(QueryIndex.CHUNK, index)
                .open()) {
            while (cursor.next()) {
                count++;
            }
        }
        return count;
    }

    private static void push(Loom loom, int source, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        loom.push(source, new UnsafeBuffer(bytes), 0, bytes.length);
    }
}
