package dev.loom.bench.figure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class FigureCellsTest {
    private final FigureCells cells = new FigureCells(new FigureResult("0", "title", "command", Map.of())
            .panel(FigurePanel.bars("ms", "title", "x", "ms"))
            .panel(FigurePanel.bars("empty", "title", "x", "ms"))
            .row("ms", "one", "a", 2, 4, 8)
            .row("ms", "two", "a", 8, 2, 6)
            .row("ms", "one", "b", 0, 1_234_567, 123.4)
            .row("ms", "shorter", "a", 4));

    @Test
    void shouldTellSeriesAndPlacesInTheirOrder() {
        assertEquals(List.of("one", "two", "shorter"), cells.series("ms"));
        assertEquals(List.of("a", "b"), cells.places("ms"));
        assertEquals(List.of(), cells.series("empty"));
        assertTrue(cells.has("ms", "one", "b"));
        assertFalse(cells.has("ms", "two", "b"));
    }

    @Test
    void shouldCompareRoundByRound() {
        assertEquals("0.75 [0.50, 4.0]", cells.ratio("ms", "two", "one", "a"));
        assertEquals("-2.0 [-2.0, 6.0]", cells.difference("ms", "two", "one", "a"));
        assertEquals("-", cells.ratio("ms", "shorter", "one", "a"));
        assertEquals("-", cells.ratio("ms", "one", "one", "b"));
        assertEquals("-", cells.ratio("ms", "two", "one", "b"));
    }

    @Test
    void shouldRoundByTheSize() {
        assertEquals("123 [0, 1,234,567]", cells.values("ms", "one", "b", 1));
        assertEquals("0.40 [0.20, 0.80]", cells.values("ms", "one", "a", 0.1));
        assertEquals("0.040 [0.020, 0.080]", cells.values("ms", "one", "a", 0.01));
        assertEquals("0.10 [0.050, 0.20]", cells.values("ms", "one", "a", 0.025));
        assertEquals("0 [0, 0.001]", cells.values("ms", "one", "a", 0.0001));
        assertEquals("1,000 [500, 2,000]", cells.values("ms", "one", "a", 249.95));
        assertEquals("19.9 [9.9, 40]", cells.values("ms", "one", "a", 4.97));
        assertEquals("4.0", cells.median("ms", "one", "a"));
        assertEquals("-", cells.median("ms", "two", "b"));
    }
}
