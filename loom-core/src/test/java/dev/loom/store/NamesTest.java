package dev.loom.store;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NamesTest {
    @TempDir
    Path directory;

    @Test
    void shouldTakePrintableNamesUpTo255Characters() {
        for (String name : List.of("a", "a#-", "é", "𝒳", "a".repeat(255), "otlp.spans", "latency:op,key")) {
            assertDoesNotThrow(() -> Names.check("source", name), name);
        }
        for (String name :
                List.of("", " ", "a b", "a\u00a0b", "#a", "-a", "a\n", "\u200ea", "\ud800", "a".repeat(256))) {
            IllegalArgumentException refused =
                    assertThrows(IllegalArgumentException.class, () -> Names.check("source", name), name);
            assertEquals(
                    "bad source name: name=" + name
                            + ", expected=1 to 255 printable characters without spaces, not beginning with # or -",
                    refused.getMessage());
        }
    }

    @Test
    void shouldSayWhatABadNameIsOf() {
        try (Loom loom = Loom.open(LoomConfig.at(directory.resolve("store")).build())) {
            PayloadFormat format = Formats.parse("struct:a:i64");
            int source = loom.defineSource("s", format);
            IndexFunction function = IndexFunction.field(format, "a");
            IllegalArgumentException refused = assertThrows(
                    IllegalArgumentException.class, () -> loom.defineIndex(source, "#a", function, Bins.logLinear()));
            assertTrue(String.valueOf(refused.getMessage()).startsWith("bad index name: name=#a,"));
            refused = assertThrows(IllegalArgumentException.class, () -> loom.defineSource("#a", format));
            assertTrue(String.valueOf(refused.getMessage()).startsWith("bad source name: name=#a,"));
        }
    }
}
