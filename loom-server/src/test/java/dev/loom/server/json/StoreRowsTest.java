package dev.loom.server.json;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.loom.api.Source;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class StoreRowsTest {
    private static Map<String, @Nullable Object> row(PayloadFormat format) {
        Source source = new Source(1, "s", format, false, Map.of());
        return StoreRows.source(source, new Source.Statistics(0, 0, 0, 0, 0, 0, 0));
    }

    @Test
    void shouldSayWhyASourceIsReadAsBytesWhenItsFormatCannotBeMade() {
        Map<String, @Nullable Object> row = row(Formats.parseOrBytes("ours:a", null));
        assertEquals("bytes", row.get("format"));
        String failure = String.valueOf(row.get("format_failure"));
        assertEquals("unknown payload format: name=ours", failure.split(",", 2)[0]);
        assertFalse(row(Formats.bytes()).containsKey("format_failure"));
    }
}
