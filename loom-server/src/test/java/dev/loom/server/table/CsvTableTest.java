package dev.loom.server.table;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.loom.format.Field;
import dev.loom.format.Formats;
import dev.loom.query.column.Column;
import dev.loom.server.json.JsonResults;
import dev.loom.server.json.RecordPrinter;
import dev.loom.server.text.DataOutput;
import dev.loom.server.time.TimePrinter;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class CsvTableTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    private CsvTable table(boolean safe) {
        return new CsvTable(new DataOutput(out, false), new TimePrinter(ZoneOffset.UTC), safe, false);
    }

    private List<String> ended(CsvTable table) {
        table.end(Map.of("complete", true));
        return out.toString(StandardCharsets.UTF_8).lines().toList();
    }

    @Test
    void shouldGuardTextsInColumnsThatShouldHoldNumbers() {
        CsvTable table = table(true);
        RecordPrinter printer =
                table.records("s", JsonResults.chosen(Formats.json(), List.of("a:i64", "b:i64", "c")), false);
        byte[] json = "{\"a\":\"=1+1\",\"b\":-2,\"c\":\"+3\"}".getBytes(StandardCharsets.UTF_8);
        printer.print(0, 8, new UnsafeBuffer(json), 0, json.length);
        assertEquals(
                List.of("time,ts,source,addr,a,b,c", "1970-01-01T00:00:00.000000000Z,0,s,8,'=1+1,-2,'+3"),
                ended(table));
    }

    @Test
    void shouldWriteWhatIsMissingAsNothingAndAnEmptyTextInQuotes() {
        CsvTable table = table(false);
        table.begin(List.of(
                new Column("a", Field.Type.UTF8), new Column("b,c", Field.Type.I64), new Column("d", Field.Type.F64)));
        Map<String, @Nullable Object> row = new HashMap<>();
        row.put("a", "");
        row.put("d", Double.NaN);
        table.add(row);
        table.add(Map.of("a", "x\ny", "b,c", 1L, "other", true));
        assertEquals(List.of("a,\"b,c\",d", "\"\",,NaN", "\"x", "y\",1,"), ended(table));
    }
}
