package dev.loom.query.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.Snapshot;
import dev.loom.query.GroupedAggregate;
import dev.loom.query.Groups;
import dev.loom.query.group.GroupOracle.Question;
import dev.loom.query.group.GroupOracle.Row;
import dev.loom.query.model.GroupOrder;
import dev.loom.query.model.GroupOrder.By;
import dev.loom.query.model.QueryIndex;
import dev.loom.query.model.QueryMemory;
import dev.loom.query.model.TimeRange;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Groups of random records by random questions, with indexes and without, in every order, against what the pushed records say. {@code
 * -Dloom.group.queries=N} for a long run, {@code -Dloom.test.seed=N} to repeat one.
 */
@Timeout(value = 180, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class GroupOracleTest {
    private static final int QUERIES = Integer.getInteger("loom.group.queries", 300);
    private static final int QUERIES_PER_STORE = 60;
    private static final int RECORDS = 4_000;
    private static final List<String> PERCENTILES = List.of("0", "25", "50", "99", "99.9", "100");

    @TempDir
    Path directory;

    private Random random = new Random();
    private long fromTotals;
    private long fromKeys;
    private long fromRuns;

    @Test
    void shouldGroupAsListsDo() {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        for (int done = 0; done < QUERIES; done += QUERIES_PER_STORE) {
            System.out.println("GroupOracleTest: -Dloom.test.seed=" + (seed + done));
            random = new Random(seed + done);
            try (GroupStore store = new GroupStore(directory.resolve("store-" + done), random)) {
                store.fill(RECORDS);
                try (Snapshot snapshot = store.loom().snapshot()) {
                    List<Integer> sizes = store.sources.stream()
                            .map(source -> source.rows.size())
                            .toList();
                    for (int i = 0; i < random.nextInt(300); i++) {
                        store.push();
                    }
                    for (int i = 0; i < QUERIES_PER_STORE; i++) {
                        int source = random.nextInt(sizes.size());
                        ask(store, store.sources.get(source), sizes.get(source), snapshot);
                    }
                }
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("-Dloom.test.seed=" + (seed + done), e);
            }
        }
        assertTrue(fromTotals > 0, "no chunk was answered by an index");
        assertTrue(fromRuns > 0, "no run was answered by an index by keys");
        assertTrue(fromKeys > 0, "no chunk was answered by an index by keys");
    }

    private void ask(GroupStore store, GroupStore.Source source, int size, Snapshot snapshot) {
        int function = random.nextInt(2);
        List<Row> rows = source.rows(function).subList(0, size);
        boolean values = random.nextInt(4) > 0;
        Question question = question(store, source, rows, values);
        GroupedAggregate query = values
                ? GroupedAggregate.of(snapshot, source.id, source.values.get(function))
                        .percentiles(question.percentiles())
                : GroupedAggregate.of(snapshot, source.id);
        if (question.eventTime()) {
            query.eventRange(GroupStore.clock(), question.range());
        } else {
            query.range(question.range());
        }
        if (question.distinct() != null) {
            query.distinct(question.distinct());
        }
        QueryMemory memory = new QueryMemory(1 << 28);
        query.by(question.by())
                .memory(memory)
                .step(Duration.ofNanos(question.stepNs()))
                .order(question.order())
                .limit(question.limit())
                .groupsMax(question.groupsMax())
                .restAsOther(question.groupsMax() < GroupedAggregate.GROUPS_MAX_DEFAULT)
                .use(QueryIndex.TIME, random.nextInt(4) > 0)
                .use(QueryIndex.ROLLUP, random.nextInt(4) > 0)
                .use(QueryIndex.CHUNK, random.nextInt(4) > 0);
        try (Groups groups = query.run()) {
            assertTrue(groups.completeness().complete());
            assertTrue(groups.distinctExact());
            fromTotals += groups.statistics().chunksFromTotals();
            fromRuns += question.by().isEmpty() ? 0 : groups.statistics().runs();
            fromKeys += question.by().isEmpty() ? 0 : groups.statistics().chunksFromBins();
            GroupOracle.check(rows, question, groups);
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(source.format + " " + question, e);
        }
        assertEquals(0, memory.reserved());
    }

    private Question question(GroupStore store, GroupStore.Source source, List<Row> rows, boolean values) {
        List<String> fields = new ArrayList<>(source.fields);
        Collections.shuffle(fields, random);
        List<List<String>> keyed = store.keyed(source);
        List<String> by = keyed.isEmpty() || random.nextInt(3) == 0
                ? List.copyOf(fields.subList(0, Math.min(fields.size(), random.nextInt(4))))
                : keyed.get(random.nextInt(keyed.size()));
        boolean event = source.format.equals(GroupStore.STRUCT) && random.nextInt(3) == 0;
        TimeRange range = range(rows);
        boolean stepped = random.nextBoolean() && range.fromNs() != Long.MIN_VALUE;
        long stepNs = 0;
        if (stepped) {
            long lengthNs = Math.max(1, Math.min(range.toNs(), store.nowNs()) - range.fromNs());
            stepNs = range.toNs() == Long.MAX_VALUE
                    ? 1L << (44 + random.nextInt(10))
                    : 1 + (random.nextBoolean() ? lengthNs / 3 : lengthNs / (1 + random.nextInt(200)));
        }
        List<BigDecimal> percentiles = new ArrayList<>();
        for (int i = random.nextInt(4); values && i > 0; i--) {
            BigDecimal p = new BigDecimal(PERCENTILES.get(random.nextInt(PERCENTILES.size())));
            if (!percentiles.contains(p)) {
                percentiles.add(p);
            }
        }
        return new Question(
                by,
                values,
                event,
                range,
                stepNs,
                percentiles,
                random.nextInt(3) == 0 ? source.fields.get(random.nextInt(source.fields.size())) : null,
                order(values),
                random.nextBoolean() ? Integer.MAX_VALUE : random.nextInt(8),
                random.nextInt(4) > 0 ? GroupedAggregate.GROUPS_MAX_DEFAULT : 1 + random.nextInt(10));
    }

    private TimeRange range(List<Row> rows) {
        long from = switch (random.nextInt(4)) {
            case 0 -> Long.MIN_VALUE;
            case 1 -> 0;
            default -> rows.get(random.nextInt(rows.size())).timeNs() + random.nextInt(3) - 1;
        };
        long to = random.nextInt(3) == 0
                ? Long.MAX_VALUE
                : rows.get(random.nextInt(rows.size())).timeNs() + random.nextInt(3) - 1;
        return new TimeRange(Math.min(from, to), Math.max(from, to));
    }

    private GroupOrder order(boolean values) {
        By[] orders = values ? By.values() : new By[] {By.KEY, By.COUNT, By.DISTINCT};
        By by = orders[random.nextInt(orders.length)];
        BigDecimal percentile =
                by == By.PERCENTILE ? new BigDecimal(PERCENTILES.get(random.nextInt(PERCENTILES.size()))) : null;
        return new GroupOrder(by, percentile, random.nextBoolean());
    }
}
