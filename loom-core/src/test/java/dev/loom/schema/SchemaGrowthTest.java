package dev.loom.schema;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.loom.api.Index;
import dev.loom.api.Source;
import dev.loom.schema.SchemaEntry.IndexClosed;
import dev.loom.schema.SchemaEntry.IndexDefined;
import dev.loom.schema.SchemaEntry.SourceClosed;
import dev.loom.schema.SchemaEntry.SourceDefined;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class SchemaGrowthTest {
    private static SchemaEntry source(int id, String name) {
        return new SourceDefined(id, name, "bytes", Map.of());
    }

    private static long allocated() {
        return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
    }

    /** What a definition copies of the others: before, all of them. */
    @Test
    void shouldCopyLittleWhenADefinitionIsAddedToMany() {
        List<SchemaEntry> entries = new ArrayList<>();
        for (int id = 1; id <= 16_000; id++) {
            entries.add(source(id, "source-" + id));
        }
        Schema schema = Schema.EMPTY.with(entries);
        int rounds = 100;
        long before = allocated();
        for (int i = 1; i <= rounds; i++) {
            schema = schema.with(List.of(source(16_000 + i, "more-" + i)));
        }
        long each = (allocated() - before) / rounds;
        assertTrue(each < 16_384, "allocated bytes: each=" + each);
        assertEquals(16_000 + rounds, schema.lastId());
        assertEquals(16_000 + rounds, schema.openSources());
    }

    @Test
    void shouldAgreeWithASimpleModelWhenEntriesAreRandom() {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        System.out.println("SchemaGrowthTest: -Dloom.test.seed=" + seed);
        Random random = new Random(seed);
        TreeMap<Integer, String> names = new TreeMap<>();
        Map<String, Integer> open = new LinkedHashMap<>();
        TreeMap<Integer, Boolean> indexes = new TreeMap<>();
        Schema schema = Schema.EMPTY;
        for (int step = 0; step < 5_000; step++) {
            Schema before = schema;
            int sources = before.sources().size();
            String name = "n" + random.nextInt(300);
            int some = names.isEmpty() ? 1 : 1 + random.nextInt(names.lastKey());
            SchemaEntry entry;
            switch (random.nextInt(4)) {
                case 0, 1 -> {
                    if (open.containsKey(name)) {
                        entry = new SourceClosed(open.remove(name));
                    } else {
                        int id = names.isEmpty() ? 1 : names.lastKey() + 1 + random.nextInt(3);
                        names.put(id, name);
                        open.put(name, id);
                        entry = source(id, name);
                    }
                }
                case 2 -> {
                    int id = indexes.isEmpty() ? 1 : indexes.lastKey() + 1;
                    entry = new IndexDefined(id, some, "i", "value", "lambda:f64:1:score", "log-linear:3", 0);
                    if (names.containsKey(some)) {
                        indexes.put(id, true);
                    }
                }
                default -> {
                    int id = indexes.isEmpty() ? 1 : 1 + random.nextInt(indexes.lastKey());
                    entry = new IndexClosed(id);
                    indexes.computeIfPresent(id, (key, value) -> false);
                }
            }
            schema = before.with(List.of(entry));
            assertEquals(sources, before.sources().size(), "the schema before is as it was");
        }
        assertEquals(
                List.copyOf(names.keySet()),
                schema.sources().stream().map(Source::id).toList());
        assertEquals(open.size(), schema.openSources());
        assertEquals(names.lastKey(), schema.lastId());
        for (Map.Entry<String, Integer> each : open.entrySet()) {
            assertEquals(
                    each.getValue(), schema.source(each.getKey()).orElseThrow().id());
        }
        for (Map.Entry<Integer, String> each : names.entrySet()) {
            Source source = schema.source(each.getKey());
            assertNotNull(source);
            assertEquals(each.getValue(), source.name());
            assertEquals(!each.getKey().equals(open.get(each.getValue())), source.closed());
            Source named = schema.source(each.getValue()).orElseThrow();
            assertTrue(!named.closed() || named.id() >= source.id(), "of closed ones the last");
        }
        assertFalse(indexes.isEmpty());
        assertEquals(
                List.copyOf(indexes.keySet()),
                schema.indexes().stream().map(Index::id).toList());
        assertEquals(indexes.values().stream().filter(isOpen -> isOpen).count(), schema.openIndexes());
        long bySource = 0;
        for (int id : names.keySet()) {
            bySource += schema.indexes(id).size();
        }
        assertEquals(indexes.size(), bySource);
    }
}
