package dev.loom.query.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.Snapshot;
import dev.loom.query.Group;
import dev.loom.query.Groups;
import dev.loom.query.model.Completeness;
import dev.loom.query.model.GroupLimitException;
import dev.loom.query.model.GroupOrder;
import dev.loom.query.model.QueryBudget;
import dev.loom.query.model.QueryIndex;
import dev.loom.query.model.QueryMemory;
import dev.loom.query.model.TimeRange;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Record i of 2000 arrives at 1000 i ns; its own time is 5 (i mod 40), but every hundredth has none. */
final class GroupServiceTest {
    private static final int COUNT = 2_000;

    @TempDir
    Path directory;

    private final QueryMemory memory = new QueryMemory(64 << 20);
    private volatile boolean cancelled;
    private final QueryService service = TimedStore.service(memory, () -> cancelled);
    private final Results results = new Results();
    private TimedStore store;

    private static final class Results implements ResultHandler {
        private final List<Group> groups = new ArrayList<>();
        private @Nullable TimeRange covered;
        private @Nullable Completeness missing;
        private @Nullable String nothing;
        private @Nullable Groups answer;

        @Override
        public void onGroups(GroupRequest request, TimeRange times, Completeness lacking, Groups found) {
            missing = lacking;
            covered = times;
            answer = found;
            found.forEach(groups::add);
        }

        @Override
        public void onValues(ValuesRequest request, Groups found) {
            found.forEach(groups::add);
        }

        @Override
        public void onNothing(String reason) {
            nothing = reason;
        }

        String keysAndCounts() {
            return groups.stream()
                    .map(group ->
                            (group.isOther() ? "other" : group.key().get(0).text()) + '=' + group.count())
                    .collect(Collectors.joining(" "));
        }
    }

    @BeforeEach
    void fill() {
        store = new TimedStore(directory);
        for (int i = 0; i < COUNT; i++) {
            store.push(i % 100 == 0 ? -1 : 5 * (i % 40), 200);
        }
    }

    @AfterEach
    void close() {
        store.close();
        assertEquals(0, memory.reserved());
    }

    /** Runs a request whose answer keeps its memory reserved. */
    private QueryReport runApart(QueryRequest request) {
        try (Snapshot snapshot = store.snapshot()) {
            return TimedStore.service(QueryMemory.UNLIMITED, () -> false).run(snapshot, request, results);
        }
    }

    private QueryReport run(QueryRequest request) {
        try (Snapshot snapshot = store.snapshot()) {
            return service.run(snapshot, request, results);
        }
    }

    private GroupRequest byTime(RecordSelection records, @Nullable Duration step, GroupRequest.Caps caps) {
        return new GroupRequest(
                records,
                "i",
                new GroupRequest.Keys(List.of("t"), step == null ? null : new HistogramRequest.Steps(step, 1)),
                List.of(BigDecimal.valueOf(50)),
                "i",
                GroupOrder.ascending(GroupOrder.By.KEY),
                Integer.MAX_VALUE,
                caps,
                QueryLimits.NONE);
    }

    private RecordSelection all(String... where) {
        return store.records(TimeRange.ALL, false, where);
    }

    @Test
    void shouldHandOverGroupsAndWhatTheyCover() {
        QueryReport report = run(byTime(all("t >= 0"), null, GroupRequest.Caps.DEFAULT));
        assertEquals(40, results.groups.size());
        for (int i = 0; i < 40; i++) {
            int residue = i;
            List<Integer> members = new ArrayList<>();
            for (int n = 0; n < COUNT; n++) {
                if (n % 40 == residue && n % 100 != 0) {
                    members.add(n);
                }
            }
            Group group = results.groups.get(i);
            assertEquals(5L * i, group.key().get(0).longValue());
            assertEquals(members.size(), group.count());
            assertEquals(members.size(), group.distinct());
            assertEquals(
                    members.get((members.size() + 1) / 2 - 1).longValue(),
                    group.percentiles().get(BigDecimal.valueOf(50)).longValue());
        }
        assertEquals(new TimeRange(0, (COUNT - 1) * 1_000L + 1), results.covered);
        assertTrue(report.completeness().complete());
        assertTrue(report.statistics().bytesRead() > 0);
        assertEquals(1, report.scans());
    }

    @Test
    void shouldKeepTheRangeAskedForAndReplaceItsOpenEnds() {
        run(byTime(store.records(new TimeRange(500_000, Long.MAX_VALUE), false), null, GroupRequest.Caps.DEFAULT));
        assertEquals(new TimeRange(500_000, (COUNT - 1) * 1_000L + 1), results.covered);
        run(byTime(store.records(new TimeRange(Long.MIN_VALUE, 9_000_000), false), null, GroupRequest.Caps.DEFAULT));
        assertEquals(new TimeRange(0, 9_000_000), results.covered);
        run(byTime(store.records(new TimeRange(-7, 70), false), null, GroupRequest.Caps.DEFAULT));
        assertEquals(new TimeRange(-7, 70), results.covered);
    }

    @Test
    void shouldCoverTheTimesThatRecordsCarry() {
        QueryReport report = run(byTime(store.records(TimeRange.ALL, true), null, GroupRequest.Caps.DEFAULT));
        assertEquals(new TimeRange(0, 196), results.covered);
        assertTrue(report.completeness().complete());
        assertTrue(report.withoutTime() > 0);
        assertEquals(40, results.groups.size());
    }

    @Test
    void shouldMakeTheLastStepWholeUnlessTheRangeEndsWithin() {
        run(byTime(all(), Duration.ofNanos(300_000), GroupRequest.Caps.DEFAULT));
        assertEquals(new TimeRange(0, 2_100_000), results.covered);
        assertTrue(results.groups.stream()
                .allMatch(group -> group.range().toNs() - group.range().fromNs() == 300_000));
        results.groups.clear();
        run(byTime(
                store.records(new TimeRange(100_000, 1_950_000), false),
                Duration.ofNanos(300_000),
                GroupRequest.Caps.DEFAULT));
        assertEquals(new TimeRange(100_000, 1_950_000), results.covered);
        assertEquals(
                50_000,
                results.groups.stream()
                        .mapToLong(group -> group.range().toNs() - group.range().fromNs())
                        .min()
                        .orElseThrow());
    }

    /** The first record is at 0: steps begin where they would if there were records from the start of the range on. */
    @Test
    void shouldBeginStepsAtAnOrigin() {
        for (long originNs : new long[] {-1_000_050, -100_050, 199_950, 3_000_000_000_199_950L}) {
            run(new GroupRequest(
                    store.records(new TimeRange(-1_000_050, Long.MAX_VALUE), false),
                    null,
                    new GroupRequest.Keys(
                            List.of(), new HistogramRequest.Steps(Duration.ofNanos(300_000), 1, originNs)),
                    List.of(),
                    null,
                    GroupOrder.COUNT,
                    1,
                    GroupRequest.Caps.DEFAULT,
                    QueryLimits.NONE));
            assertEquals(new TimeRange(-100_050, 199_950), results.groups.get(0).range(), "origin=" + originNs);
            assertEquals(200, results.groups.get(0).records());
            assertEquals(new TimeRange(199_950, 499_950), results.groups.get(1).range());
            results.groups.clear();
        }
    }

    /** Requires that histograms and counts over steps say how many records were lost. */
    private void requireLostOfSteps(long lost) {
        HistogramRequest.Steps steps = new HistogramRequest.Steps(Duration.ofNanos(300_000), 1);
        for (QueryRequest request : List.of(
                new HistogramRequest(all(), null, false, 1, steps, QueryLimits.NONE),
                new CountRequest(all("i > 5"), steps, 0, QueryLimits.NONE))) {
            assertEquals(lost, runApart(request).completeness().lost());
        }
    }

    /** Records that were lost where the source has none are lost from its steps as well. */
    @Test
    void shouldTellOfLossesBeforeAndBehindTheSteps() {
        store.lose(7, 2_500_000);
        QueryReport report = run(byTime(all(), Duration.ofNanos(300_000), GroupRequest.Caps.DEFAULT));
        assertEquals(7, report.completeness().lost());
        assertEquals(report.completeness(), results.missing);
        assertEquals(1, report.scans());
        requireLostOfSteps(7);
        RecordSelection behind = store.records(new TimeRange(2_200_000, Long.MAX_VALUE), false);
        assertEquals(
                7,
                run(byTime(behind, Duration.ofNanos(10), GroupRequest.Caps.DEFAULT))
                        .completeness()
                        .lost());
        RecordSelection before = store.records(new TimeRange(Long.MIN_VALUE, 2_200_000), false);
        assertEquals(
                0,
                run(byTime(before, Duration.ofNanos(300_000), GroupRequest.Caps.DEFAULT))
                        .completeness()
                        .lost());
    }

    /** The loss reaches from before the last record to behind it: the steps and what is behind them lack the same records. */
    @Test
    void shouldCountALossOnceThatReachesBeyondTheSteps() {
        store.lose(7, 1_990_000, 2_500_000);
        assertEquals(
                7,
                run(byTime(all(), null, GroupRequest.Caps.DEFAULT))
                        .completeness()
                        .lost());
        QueryReport report = run(byTime(all(), Duration.ofNanos(300_000), GroupRequest.Caps.DEFAULT));
        assertEquals(7, report.completeness().lost());
        requireLostOfSteps(7);
    }

    @Test
    void shouldStepOverTheTimesThatRecordsCarry() {
        run(byTime(store.records(TimeRange.ALL, true), Duration.ofNanos(60), GroupRequest.Caps.DEFAULT));
        assertEquals(new TimeRange(0, 240), results.covered);
        for (Group group : results.groups) {
            long own = group.key().get(0).longValue();
            assertEquals(new TimeRange(own / 60 * 60, own / 60 * 60 + 60), group.range());
        }
        assertEquals(40, results.groups.size());
    }

    @Test
    void shouldTellThatThereIsNothing() {
        run(byTime(store.records(new TimeRange(5_000_000, 6_000_000), false), null, GroupRequest.Caps.DEFAULT));
        assertEquals("no records in the range", results.nothing);
        assertNotNull(results.answer);
        results.answer = null;
        run(byTime(
                store.records(new TimeRange(5_000_000, 6_000_000), false),
                Duration.ofNanos(10),
                GroupRequest.Caps.DEFAULT));
        assertNull(results.answer);
    }

    @Test
    void shouldListValuesByTheirCounts() {
        run(new ValuesRequest(all("i < 100"), "t", 2, GroupRequest.Caps.DEFAULT, QueryLimits.NONE));
        assertEquals("5=3 10=3 other=94", results.keysAndCounts());
    }

    @Test
    void shouldRefuseOneGroupMoreThanTheCap() {
        GroupRequest.Caps exactly = new GroupRequest.Caps(41, 1 << 20, false);
        run(byTime(all(), null, exactly));
        assertEquals(41, results.groups.size());
        GroupRequest one = byTime(all(), null, new GroupRequest.Caps(40, 1 << 20, false));
        GroupLimitException refused = assertThrows(GroupLimitException.class, () -> run(one));
        assertEquals(40, refused.max());
        assertEquals(41, refused.found());
        assertEquals(0, memory.reserved());
        results.groups.clear();
        run(byTime(all(), null, new GroupRequest.Caps(40, 1 << 20, true)));
        assertEquals(41, results.groups.size());
        assertTrue(results.groups.get(40).isOther());
    }

    @Test
    void shouldEndWithWhatItHasWhenCancelledOrOverBudget() {
        cancelled = true;
        QueryReport report = run(byTime(all(), null, GroupRequest.Caps.DEFAULT));
        assertEquals(Completeness.Limit.CANCELLED, report.completeness().limit());
        cancelled = false;
        QueryLimits little = new QueryLimits(new QueryBudget(1, Duration.ofDays(1)), QueryIndex.ALL);
        report = run(new ValuesRequest(all(), "t", 9, GroupRequest.Caps.DEFAULT, little));
        assertEquals(Completeness.Limit.BYTES, report.completeness().limit());
        QueryLimits noTime = new QueryLimits(new QueryBudget(Long.MAX_VALUE, Duration.ZERO), QueryIndex.ALL);
        report = run(new ValuesRequest(all(), "t", 9, GroupRequest.Caps.DEFAULT, noTime));
        assertEquals(Completeness.Limit.TIME, report.completeness().limit());
    }

    @Test
    void shouldRefuseRequestsThatMakeNoSense() {
        refuse("by: unknown field: field=nothing", "i", List.of("nothing"), null, GroupOrder.COUNT, 1);
        refuse("by names a field twice: t,t", "i", List.of("t", "t"), null, GroupOrder.COUNT, 1);
        refuse("distinct: unknown field: field=x", "i", List.of("t"), "x", GroupOrder.COUNT, 1);
        refuse("percentile needs a field", null, List.of("t"), null, GroupOrder.COUNT, 1);
        refuse(
                "order by distinct needs distinct values",
                "i",
                List.of("t"),
                null,
                GroupOrder.ascending(GroupOrder.By.DISTINCT),
                1);
        refuse("limit is negative: -1", "i", List.of("t"), null, GroupOrder.COUNT, -1);
        assertThrows(RequestException.class, () -> new GroupRequest.Caps(0, 1, false));
        assertThrows(RequestException.class, () -> new GroupRequest.Caps(1, 1 << 23, false));
    }

    private void refuse(
            String message,
            @Nullable String field,
            List<String> by,
            @Nullable String distinct,
            GroupOrder order,
            int limit) {
        RequestException refused = assertThrows(
                RequestException.class,
                () -> new GroupRequest(
                        all(),
                        field,
                        new GroupRequest.Keys(by, null),
                        List.of(BigDecimal.ONE),
                        distinct,
                        order,
                        limit,
                        GroupRequest.Caps.DEFAULT,
                        QueryLimits.NONE));
        assertTrue(String.valueOf(refused.getMessage()).startsWith(message), refused.getMessage());
    }
}
