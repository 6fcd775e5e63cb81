package dev.loom.cli.output;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TextWidthTest {
    /** As the East_Asian_Width of Unicode's UAX 11 has them. */
    @ParameterizedTest
    @CsvSource({
        "a, 1", "\u00e9, 1", "e\u0301, 1", "\u6570\u636e, 4", "\ud55c, 2", "\uff21, 2", "\ud83d\ude80, 2", "\u2705, 2",
        "\u274c, 2", "\u26a1, 2", "\u2728, 2", "\u2b50, 2", "\ud83e\udea8, 2", "\ud83d\udfe2, 2", "\u2713, 1",
                "\u2192, 1",
        "\u2588, 1", "\u2026, 1", "\u26a0, 1", "\u231a, 2", "\u231b, 2", "\u231c, 1", "\u2319, 1", "\ud83e\udeff, 2"
    })
    void shouldTellTheColumnsOfATerminal(String text, int columns) {
        assertEquals(columns, TextWidth.of(text));
    }
}
