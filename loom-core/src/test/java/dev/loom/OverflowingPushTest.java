package dev.loom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.api.RecordCursor;
import dev.loom.api.Snapshot;
import dev.loom.api.ValueType;
import dev.loom.api.ValueUnit;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Records pushed at the end of recursions, whose stack mostly overflows in the push. */
final class OverflowingPushTest {
    private static final int ROUNDS = Integer.getInteger("loom.test.overflows", 100);
    private static final long STACK_LENGTH = 256 << 10;
    private static final PayloadFormat FORMAT = Formats.struct("a:i64,b:i64,c:i64");

    @TempDir
    Path temp;

    private final UnsafeBuffer payload = new UnsafeBuffer(new byte[24]);
    private int[] sources = {};
    private final long[] taken = new long[2];
    private long overflows;

    private enum Indexed {
        NOTHING,
        FIELD,
        FUNCTION
    }

    @SuppressWarnings("InfiniteRecursion")
    private void recurse(Loom loom, int depth) {
        int i = depth % 5 == 0 ? 1 : 0;
        payload.putLong(0, depth);
        if (loom.push(sources[i], payload, 0, payload.capacity()) >= 0) {
            taken[i]++;
        }
        recurse(loom, depth + 1);
    }

    private void define(Loom loom, int source, Indexed indexed) {
        if (indexed == Indexed.FIELD) {
            loom.defineIndex(source, "a", IndexFunction.field(FORMAT, "a"), Bins.logLinear());
        } else if (indexed == Indexed.FUNCTION) {
            IndexFunction function = IndexFunction.of(
                    "own",
                    ValueType.I64,
                    ValueUnit.NONE,
                    (buffer, offset, length, value) -> value.setInteger(buffer.getLong(offset)));
            loom.defineIndex(source, "own", function, Bins.logLinear());
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldKeepAllThatWasTaken(Indexed indexed) throws Exception {
        Path store = temp.resolve("store");
        try (Loom loom = Loom.open(
                LoomConfig.at(store).recordRingBytes(LoomConfig.RING_BYTES_MIN).build())) {
            sources = new int[] {loom.defineSource("s", FORMAT), loom.defineSource("t", FORMAT)};
            define(loom, sources[0], indexed);
            define(loom, sources[1], indexed);
            List<Throwable> others = new ArrayList<>();
            Thread recursing = new Thread(
                    null,
                    () -> {
                        for (int i = 0; i < ROUNDS; i++) {
                            try {
                                recurse(loom, 1);
                            } catch (StackOverflowError e) {
                                overflows++;
                            } catch (Throwable e) {
                                others.add(e);
                            }
                        }
                        loom.releaseWriter();
                    },
                    "recursing",
                    STACK_LENGTH);
            recursing.start();
            recursing.join();
            assertEquals(List.of(), others);
            assertEquals(ROUNDS, overflows);
            requireAll(loom);
        }
        List<String> problems = new ArrayList<>();
        StoreVerifier.verify(store, (file, offset, message) -> problems.add(file + " " + offset + " " + message));
        assertEquals(List.of(), problems);
    }

    private void requireAll(Loom loom) {
        try (Snapshot snapshot = loom.snapshot()) {
            for (int i = 0; i < sources.length; i++) {
                long found = 0;
                try (RecordCursor cursor = snapshot.newestFirst(sources[i], Long.MIN_VALUE, Long.MAX_VALUE)) {
                    while (cursor.next()) {
                        found++;
                    }
                }
                long least = taken[i];
                long all = found;
                assertTrue(all >= least && all <= least + overflows, () -> "found=" + all + ", taken=" + least);
                assertEquals(all, snapshot.statistics(sources[i]).records());
            }
        }
    }
}
