package dev.loom.bench.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

final class LineBufferTest {
    @Test
    void shouldWriteNumbersAsTheyAreWrittenElsewhere() {
        final LineBuffer lines = new LineBuffer(1);
        final StringBuilder expected = new StringBuilder();
        for (final long number : List.of(0L, 9L, 10L, 99L, 100L, Long.MAX_VALUE, -1L, Long.MIN_VALUE)) {
            lines.text("a=");
            lines.number(number);
            expected.append("a=").append(number);
        }

        assertEquals(expected.toString(), new String(lines.bytes(), 0, lines.length(), StandardCharsets.US_ASCII));
        lines.clear();
        assertEquals(0, lines.length());
    }
}
