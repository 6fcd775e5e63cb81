package dev.loom.faults;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.query.Group;
import dev.loom.query.GroupedAggregate;
import dev.loom.query.Groups;
import dev.loom.query.model.GroupOrder;
import dev.loom.query.model.GroupOrder.By;
import dev.loom.query.model.QueryMemory;
import dev.loom.query.model.TimeRange;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;

/**
 * A grouped aggregate, some of whose allocations fail: it then holds no memory, and the next one answers. Loaded by {@link
 * AllocationFaultsLoader}, and so known to the test as a function alone: of a folder and {@code fill} or {@code query}; it gives what is
 * wrong.
 */
public final class GroupScenario implements BiFunction<Path, String, List<String>> {
    static final String THREAD = "grouper";

    private static final PayloadFormat JSON = Formats.parse("json");
    private static final int GROUPS = 300;
    private static final int RECORDS = 3_000;

    private final List<String> wrong = new ArrayList<>();

    @Override
    public List<String> apply(Path directory, String role) {
        if (role.equals("fill")) {
            fill(directory);
        } else {
            try (LoomReader reader = LoomReader.attach(directory);
                    Snapshot snapshot = reader.snapshot()) {
                query(snapshot);
            }
        }
        return wrong;
    }

    private static void fill(Path directory) {
        long[] nowNs = {0};
        try (Loom loom = Loom.open(LoomConfig.at(directory)
                .recordRingBytes(LoomConfig.RING_BYTES_MIN)
                .timeRingBytes(LoomConfig.RING_BYTES_MIN)
                .chunkRingBytes(LoomConfig.RING_BYTES_MIN)
                .clock(() -> nowNs[0])
                .build())) {
            int source = loom.defineSource("a", JSON);
            for (int i = 0; i < RECORDS; i++) {
                nowNs[0] = i;
                String text = "{\"k\":\"group " + i % GROUPS + "\",\"v\":" + i + ",\"d\":" + i % 7 + "}";
                loom.push(source, text.getBytes(StandardCharsets.UTF_8));
            }
        }
    }

    private void query(Snapshot snapshot) {
        QueryMemory memory = new QueryMemory(1 << 28);
        BufferPoolMXBean direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .findFirst()
                .orElseThrow();
        Thread thread = Thread.currentThread();
        String name = thread.getName();
        long before = direct.getMemoryUsed();
        thread.setName(THREAD);
        AllocationFaults.arm(true);
        try {
            ask(snapshot, memory);
        } catch (OutOfMemoryError e) {
            // whoever asked gets it
        } catch (QueryMemory.Exhausted e) {
            expect(e.getCause() instanceof OutOfMemoryError, e.toString());
        } finally {
            AllocationFaults.arm(false);
            thread.setName(name);
        }
        expect(memory.reserved() == 0, "reserved=" + memory.reserved());
        expect(direct.getMemoryUsed() <= before, "direct memory: more=" + (direct.getMemoryUsed() - before));
        String answer = ask(snapshot, memory);
        expect(answer.equals("300 groups, 2300 rows, 3000 records, 3000 distinct"), answer);
        expect(memory.reserved() == 0, "reserved at the end=" + memory.reserved());
    }

    private static String ask(Snapshot snapshot, QueryMemory memory) {
        long records = 0;
        long distinct = 0;
        try (Groups groups = GroupedAggregate.of(
                        snapshot, snapshot.source("a").orElseThrow().id(), IndexFunction.field(JSON, "v"))
                .by("k")
                .distinct("d")
                .percentiles(50, 99)
                .order(new GroupOrder(By.PERCENTILE, BigDecimal.valueOf(90), true))
                .range(new TimeRange(0, RECORDS))
                .step(Duration.ofNanos(400))
                .memory(memory)
                .run()) {
            for (Group group : groups) {
                records += group.records();
                distinct += group.distinct();
            }
            return groups.found() + " groups, " + groups.size() + " rows, " + records + " records, " + distinct
                    + " distinct";
        }
    }

    private void expect(boolean holds, String what) {
        if (!holds) {
            wrong.add(what);
        }
    }
}
