package dev.loom.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

final class SpreadTest {
    @Test
    void shouldGiveTheMiddleOfOddAndEvenCounts() {
        assertEquals(new Spread(2, 1, 9), Spread.of(9, 1, 2));
        assertEquals(new Spread(3, 1, 9), Spread.of(9, 4, 1, 2));
        assertEquals("3.0 [1.0, 9.0]", Spread.of(9, 4, 1, 2).text(1));
    }
}
