package dev.loom.bench.groups;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Which answers count as equal, and that the same question differs by dialect alone. */
final class GroupQuestionTest {
    private static final List<List<Object>> STORE = List.of(List.of("a", 3L, 1.5), List.of("b", 4L, 2.5));

    private final GroupQuestion whole = new GroupQuestion("", snapshot -> List.of(), dialect -> "", false);
    private final GroupQuestion partial = new GroupQuestion("", snapshot -> List.of(), dialect -> "", true);

    @Test
    void shouldAgreeWhenOnlyFormsAndRoundingDiffer() {
        assertEquals(
                -1,
                whole.disagreement(STORE, List.of(List.of("a", "3", "1.5000000000000002"), List.of("b", "4", 2.5))));
    }

    @Test
    void shouldTellTheRowWhenCellsOrRowsDiffer() {
        assertEquals(1, whole.disagreement(STORE, List.of(List.of("a", 3, 1.5))));
        assertEquals(1, whole.disagreement(STORE, List.of(List.of("a", 3, 1.5), List.of("b", 4))));
        assertEquals(1, whole.disagreement(STORE, List.of(List.of("a", 3, 1.5), List.of("b", 5, 2.5))));
        assertEquals(1, whole.disagreement(STORE, List.of(List.of("a", 3, 1.5), List.of("c", 4, 2.5))));
        assertEquals(1, whole.disagreement(STORE, List.of(List.of("a", 3, 1.5), List.of("b", 4, 2.500001))));
        assertEquals(0, whole.disagreement(STORE, List.of(List.of("b", 4, 2.5), List.of("a", 3, 1.5))));
        assertEquals(1, whole.disagreement(STORE.subList(0, 1), STORE));
    }

    @Test
    void shouldAgreeInPartWhenAllRowsOfTheStoreAreInTheTable() {
        assertEquals(
                -1,
                partial.disagreement(STORE, List.of(List.of("b", 4, 2.5), List.of("c", 1, 1), List.of("a", 3, 1.5))));
        assertEquals(0, partial.disagreement(STORE, List.of(List.of("b", 4, 2.5), List.of("a", 2, 1.5))));
        assertEquals(0, partial.disagreement(List.of(), STORE));
    }

    @Test
    void shouldAskForTheNearestRankInEachDialect() {
        assertEquals("quantile_disc(latency_ns, [0.5, 0.99])", SqlDialect.DUCKDB.percentiles(50, 99));
        assertEquals(
                "quantilesExact(0.49999999999, 0.98999999999)(latency_ns)", SqlDialect.CLICKHOUSE.percentiles(50, 99));
    }
}
