package dev.loom.query.group;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.query.GroupedAggregate;
import dev.loom.query.Groups;
import dev.loom.query.model.GroupOrder;
import dev.loom.query.model.GroupOrder.By;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Groups in the order of their sums, of which those of integers and those with fractions share doubles. */
final class GroupSumOrderTest {
    private static final PayloadFormat FORMAT = Formats.parse("json");
    private static final int GROUPS = 200;
    private static final int ORDERS = 8;

    /** Values of a group; each sum is 2^53 as a double. The first two are equal, so that keys decide, and the third is greater. */
    private static final List<List<String>> SUMS = List.of(
            List.of("9007199254740991", "0.5", "0.5"), List.of("9007199254740992"), List.of("9007199254740993"));

    private static final int GREATER = 2;

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);

    @TempDir
    Path directory;

    @Test
    void shouldOrderGroupsBySumsThatShareADoubleWhateverTheOrderOfArrival() {
        System.out.println("GroupSumOrderTest: -Dloom.test.seed=" + seed);
        int[] kinds = random.ints(GROUPS, 0, SUMS.size()).toArray();
        List<Long> expected = new ArrayList<>();
        for (boolean greater : new boolean[] {false, true}) {
            for (int key = 0; key < GROUPS; key++) {
                if (kinds[key] == GREATER == greater) {
                    expected.add((long) key);
                }
            }
        }
        List<Integer> keys = new ArrayList<>();
        for (int key = 0; key < GROUPS; key++) {
            keys.add(key);
        }
        try (Loom loom = Loom.open(LoomConfig.at(directory).build())) {
            for (int order = 0; order < ORDERS; order++) {
                int source = loom.defineSource("s" + order, FORMAT);
                Collections.shuffle(keys, random);
                for (int key : keys) {
                    SUMS.get(kinds[key]).forEach(value -> push(loom, source, key, value));
                }
                assertEquals(expected, keys(loom, source), "order=" + order);
            }
        }
    }

    private static void push(Loom loom, int source, int key, String value) {
        byte[] json = ("{\"k\":" + key + ",\"v\":" + value + "}").getBytes(StandardCharsets.UTF_8);
        loom.push(source, new UnsafeBuffer(json), 0, json.length);
    }

    private static List<Long> keys(Loom loom, int source) {
        List<Long> keys = new ArrayList<>();
        try (Snapshot snapshot = loom.snapshot();
                Groups groups = GroupedAggregate.of(snapshot, source, IndexFunction.field(FORMAT, "v"))
                        .by("k")
                        .order(GroupOrder.ascending(By.SUM))
                        .run()) {
            groups.forEach(group -> keys.add(group.key().get(0).longValue()));
        }
        return keys;
    }
}
