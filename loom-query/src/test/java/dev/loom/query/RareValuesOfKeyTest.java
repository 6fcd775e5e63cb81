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
import dev.loom.query.model.QueryStatistics;
import dev.loom.query.model.ValueRange;
import dev.loom.query.where.Where;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Values that are rare for a key and frequent for another, such as a send that takes as long as any wait. */
final class RareValuesOfKeyTest {
    private static final PayloadFormat FORMAT = Formats.parse("struct:ns:i64,call:i64,more:i64");
    private static final IndexFunction NS = IndexFunction.field(FORMAT, "ns");
    private static final int RECORDS = 400_000;
    private static final int EVERY = 50_001;
    /** The last page is read, whatever is asked, in each walk; the largest values take two. */
    private static final int READ_ALWAYS = 2;

    private static final Where SENDS = Where.parse("call == 1");

    @TempDir
    Path directory;

    private final List<Long> rare = new ArrayList<>();

    private Loom open() {
        return Loom.open(LoomConfig.at(directory.resolve("store")).build());
    }

    /** Waits take a millisecond, all but a few sends one to two microseconds. */
    private Loom store() {
        try (Loom loom = open()) {
            push(loom);
        }
        Loom loom = open();
        assertTrue(loom.finishRollups((done, total) -> true));
        return loom;
    }

    private void push(Loom loom) {
        int source = loom.defineSource("calls", FORMAT);
        loom.defineIndex(source, "by-call", NS, Bins.logLinear(), List.of("call"));
        UnsafeBuffer payload = new UnsafeBuffer(new byte[3 * Long.BYTES]);
        for (int i = 0; i < RECORDS; i++) {
            boolean send = i % 2 == 1;
            boolean slow = send && i % EVERY == 0;
            long ns = slow ? 900_000 + i : send ? 1_000 + i % 1_000 : 1_000_000 + i;
            payload.putLong(0, ns, ByteOrder.LITTLE_ENDIAN);
            payload.putLong(Long.BYTES, send ? 1 : 2, ByteOrder.LITTLE_ENDIAN);
            loom.push(source, payload, 0, payload.capacity());
            if (slow) {
                rare.add(0, ns);
            }
        }
    }

    private static List<Long> values(QueryCursor opened, List<QueryStatistics> work) {
        List<Long> values = new ArrayList<>();
        try (QueryCursor cursor = opened) {
            while (cursor.next()) {
                values.add(cursor.buffer().getLong(cursor.offset(), ByteOrder.LITTLE_ENDIAN));
            }
            work.add(cursor.statistics());
        }
        return values;
    }

    @Test
    void shouldReadOnlyChunksWithRareValuesOfTheKey() {
        try (Loom loom = store();
                Snapshot snapshot = loom.snapshot()) {
            for (boolean runs : new boolean[] {true, false}) {
                List<QueryStatistics> work = new ArrayList<>();
                IndexedScan scan = IndexedScan.of(snapshot, 1, NS)
                        .where(SENDS)
                        .values(ValueRange.above(500_000))
                        .use(QueryIndex.ROLLUP, runs);
                assertEquals(rare, values(scan.open(), work));
                RawScan conditions = RawScan.of(snapshot, 1)
                        .where(Where.parse("call == 1 and ns > 500000"))
                        .use(QueryIndex.ROLLUP, runs);
                assertEquals(rare, values(conditions.open(), work));
                TopRecords top =
                        TopRecords.of(snapshot, 1, NS, rare.size()).where(SENDS).use(QueryIndex.ROLLUP, runs);
                assertEquals(rare, values(top.open(), work));
                for (QueryStatistics each : work) {
                    assertTrue(each.chunksRead() <= rare.size() + READ_ALWAYS, each::toString);
                }
            }
        }
    }

    /** Between the least and the greatest value of the key, where only its bins tell. */
    @Test
    void shouldReadOnlyChunksWhoseBinsOfTheKeyHaveTheRange() {
        try (Loom loom = store();
                Snapshot snapshot = loom.snapshot()) {
            List<QueryStatistics> work = new ArrayList<>();
            IndexedScan scan = IndexedScan.of(snapshot, 1, NS)
                    .where(SENDS)
                    .values(ValueRange.atLeast(500_000).to(ValueRange.atMost(800_000)));
            assertEquals(List.of(), values(scan.open(), work));
            assertTrue(
                    work.get(0).chunksRead() <= READ_ALWAYS, () -> work.get(0).toString());
        }
    }
}
