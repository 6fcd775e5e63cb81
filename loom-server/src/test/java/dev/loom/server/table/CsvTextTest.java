package dev.loom.server.table;

import static org.junit.jupiter.api.Assertions.assertEquals;

import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import dev.loom.server.text.TextBuffer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CsvTextTest {
    @Test
    void shouldWriteCellsThatReadBack() throws IOException {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        Random random = new Random(seed);
        // The oracle loses rows with a carriage return alone in quotes.
        String[] pieces = {"a", " ", ",", "\"", "\n", "\r\n", "é", "'", "x=1"};
        for (int round = 0; round < 10_000; round++) {
            List<String> cells = new ArrayList<>(List.of("first"));
            TextBuffer line = new TextBuffer(16);
            line.put("first");
            for (int i = random.nextInt(4); i > 0; i--) {
                StringBuilder cell = new StringBuilder(random.nextBoolean() ? "" : "b");
                for (int j = random.nextInt(5); j > 0; j--) {
                    cell.append(pieces[random.nextInt(pieces.length)]);
                }
                cells.add(cell.toString());
                line.put(',');
                put(line, cell.toString(), false);
            }
            line.put('\n');
            try (CsvReader<CsvRecord> oracle = CsvReader.builder().ofCsvRecord(line.toString())) {
                List<List<String>> rows = new ArrayList<>();
                oracle.forEach(row -> rows.add(List.copyOf(row.getFields())));
                assertEquals(List.of(cells), rows, "seed=" + seed + ", round=" + round);
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            ignoreLeadingAndTrailingWhitespace = false,
            value = {
                "=1+1|'=1+1",
                "+1|'+1",
                "-1|'-1",
                "@a|'@a",
                "`\ta`|`'\ta`",
                "`\ra`|`\"'\ra\"`",
                "=\"a\"|\"'=\"\"a\"\"\"",
                "a=1|a=1",
                " =1|\" =1\""
            })
    void shouldKeepASpreadsheetFromTakingTextForAFormula(String cell, String expected) {
        TextBuffer line = new TextBuffer(8);
        put(line, cell, true);
        assertEquals(expected, line.toString());
    }

    @Test
    void shouldLeaveAloneWhatIsNotGuarded() {
        TextBuffer line = new TextBuffer(8);
        put(line, "-1", false);
        put(line, "=x", false);
        assertEquals("-1=x", line.toString());
    }

    private static void put(TextBuffer line, String text, boolean guarded) {
        TextBuffer cell = new TextBuffer(8);
        cell.put(text);
        CsvText.putCell(line, cell, guarded);
    }
}
