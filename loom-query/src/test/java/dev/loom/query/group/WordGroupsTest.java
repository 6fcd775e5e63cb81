package dev.loom.query.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.format.Formats;
import dev.loom.query.model.QueryMemory;
import dev.loom.value.KeyWords;
import dev.loom.value.RecordBatch;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** Groups found by words, against a map. {@code -Dloom.test.seed=N} repeats a run. */
class WordGroupsTest {
    private static final int PAYLOAD_LENGTH = 16;
    private static final int BATCHES = 500;

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final UnsafeBuffer payloads = new UnsafeBuffer(new byte[RecordBatch.RECORDS_MAX * PAYLOAD_LENGTH]);
    private final RecordBatch batch = new RecordBatch();
    private final int[] groups = new int[RecordBatch.RECORDS_MAX];

    @Test
    void shouldFindWhatWasNoted() {
        check(List.of("a"), Long.MAX_VALUE);
        check(List.of("a", "b"), Long.MAX_VALUE);
    }

    @Test
    void shouldNoteNoMoreWhenMemoryRunsOut() {
        check(List.of("a"), 1 << 16);
        check(List.of("b", "a"), 1 << 16);
    }

    private void check(List<String> fields, long bytesMax) {
        System.out.println("WordGroupsTest: -Dloom.test.seed=" + seed);
        KeyWords keys = Objects.requireNonNull(
                KeyWords.of(Formats.parse("struct:a:i64,b:i64"), fields, null, random.nextLong()));
        Map<List<Long>, Integer> noted = new HashMap<>();
        int refused = 0;
        try (GroupMemory memory = new GroupMemory(new QueryMemory(bytesMax))) {
            WordGroups table = new WordGroups(memory, keys);
            for (int round = 0; round < BATCHES; round++) {
                fill();
                long known = keys.read(batch) & random.nextLong();
                table.find(known, batch.count(), groups);
                for (int i = 0; i < batch.count(); i++) {
                    List<Long> key = List.of(value(i, 0), value(i, 1)).subList(0, fields.size());
                    boolean has = (known >>> i & 1) != 0;
                    assertEquals(has ? noted.getOrDefault(key, 0) : 0, groups[i], "seed=" + seed);
                }
                for (int i = 0; i < batch.count(); i++) {
                    List<Long> key = List.of(value(i, 0), value(i, 1)).subList(0, fields.size());
                    if ((known >>> i & 1) != 0 && !noted.containsKey(key)) {
                        int before = table.size();
                        table.add(i, noted.size() + 1);
                        if (table.size() > before) {
                            noted.put(key, noted.size() + 1);
                        } else {
                            refused++;
                        }
                    }
                }
            }
            assertEquals(noted.size(), table.size());
        }
        assertTrue(noted.size() > 100, "noted=" + noted.size());
        assertEquals(bytesMax < Long.MAX_VALUE, refused > 0, "refused=" + refused);
    }

    private long value(int i, int field) {
        return payloads.getLong(i * PAYLOAD_LENGTH + field * Long.BYTES, ByteOrder.LITTLE_ENDIAN);
    }

    private void fill() {
        batch.begin(0, 0);
        int count = 1 + random.nextInt(RecordBatch.RECORDS_MAX);
        for (int i = 0; i < count; i++) {
            long number = random.nextInt(20_000);
            payloads.putLong(i * PAYLOAD_LENGTH, number, ByteOrder.LITTLE_ENDIAN);
            payloads.putLong(i * PAYLOAD_LENGTH + Long.BYTES, number << Integer.SIZE, ByteOrder.LITTLE_ENDIAN);
            batch.add(payloads, i * PAYLOAD_LENGTH, PAYLOAD_LENGTH);
        }
    }
}
