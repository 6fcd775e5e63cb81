package dev.loom.cli.input;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import dev.loom.cli.console.Interruption;
import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CsvRowsTest {
    private static final int ROW_BYTES_MAX = 1000;

    @Test
    void shouldReadRandomFilesAsAnotherReaderDoes() throws IOException {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int round = 0; round < 2_000; round++) {
            String text = randomCsv(random);
            List<List<String>> expected = new ArrayList<>();
            try (CsvReader<CsvRecord> oracle = CsvReader.builder()
                    .allowExtraFields(true)
                    .allowMissingFields(true)
                    .ofCsvRecord(text)) {
                oracle.forEach(row -> expected.add(List.copyOf(row.getFields())));
            }
            assertEquals(expected, read(text, random), "seed=" + seed + ", round=" + round + ", text=" + text);
        }
    }

    private static String randomCsv(Random random) {
        String newline = random.nextBoolean() ? "\n" : "\r\n";
        StringBuilder text = new StringBuilder();
        int rows = random.nextInt(6);
        for (int row = 0; row < rows; row++) {
            int cells = 1 + random.nextInt(4);
            for (int cell = 0; cell < cells; cell++) {
                text.append(cell == 0 ? "" : ",").append(random.nextBoolean() ? plain(random) : quoted(random));
            }
            text.append(row == rows - 1 && random.nextBoolean() ? "" : newline);
            text.append(random.nextInt(10) == 0 && row < rows - 1 ? newline : "");
        }
        return text.toString();
    }

    private static String plain(Random random) {
        String[] pieces = {"", "a", "1", " ", "é", "x\"y", "=", "𝄞", "long text "};
        return pieces[random.nextInt(pieces.length)] + (random.nextBoolean() ? "z" : "");
    }

    private static String quoted(Random random) {
        String[] pieces = {"", "\"\"", ",", "\n", "\r\n", "a", "é", " "};
        StringBuilder text = new StringBuilder("\"");
        for (int i = random.nextInt(5); i > 0; i--) {
            text.append(pieces[random.nextInt(pieces.length)]);
        }
        return text.append('"').toString();
    }

    private static List<List<String>> read(String text, Random random) throws IOException {
        List<List<String>> rows = new ArrayList<>();
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        try (InputWindow window = window(new TrickleStream(bytes, random, 1 + random.nextInt(30)))) {
            CsvRows csv = new CsvRows(window, 1_000_000);
            while (csv.next()) {
                assertNull(csv.problem());
                rows.add(cells(csv));
            }
            assertEquals(bytes.length, window.consumedBytes());
        }
        return rows;
    }

    @Test
    void shouldTellTheLineOfEachRow() throws IOException {
        try (CsvFixture csv = new CsvFixture("a,b\n\n\"1\n2\",x\r\n\r\n3,4")) {
            assertEquals(List.of("1:a|b", "3:1\n2|x", "6:3|4"), csv.all());
        }
    }

    @Test
    void shouldTellABadRowWithItsBytesAndGoOnAtTheNextLine() throws IOException {
        try (CsvFixture csv = new CsvFixture("1,2\n\"a\"b,\"c\nd\"\n3,4\n")) {
            assertEquals("1:1|2", csv.next());
            assertEquals("2!text after the closing quote of cell 1", csv.next());
            assertEquals("\"a\"b,\"c\n", csv.rawText());
            assertEquals("3:d\"", csv.next());
            assertEquals("4:3|4", csv.next());
        }
    }

    @Test
    void shouldGoOnAfterTheLineOfAQuoteThatIsNotClosed() throws IOException {
        try (CsvFixture csv = new CsvFixture("1,\"2\n3,4\n5,6\n")) {
            assertEquals(List.of("1!quoted cell is not closed", "2:3|4", "3:5|6"), csv.all());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "\""})
    void shouldPassOverARowThatIsTooLong(String first) throws IOException {
        String tooLong = first + "y".repeat(5 * ROW_BYTES_MAX);
        try (CsvFixture csv = new CsvFixture("1,2\n" + tooLong + "\n3,4\n")) {
            assertEquals(List.of("1:1|2", "2!row is longer than 1000 bytes", "3:3|4"), csv.all());
        }
    }

    /** Of an input that goes on; an interruption ends the wait for the rest. */
    @ParameterizedTest
    @ValueSource(strings = {"5", "5,6", "5,\"6", "5,\"6\n7,8\n9,0\n", "5,\"6\"", "5,\"6\"\r", "5,\"6\"\""})
    void shouldTellWhichRowsAreWholeWhenInterrupted(String begun) throws IOException {
        Interruption interruption = new Interruption();
        try (PipedOutputStream pipe = new PipedOutputStream();
                PipedInputStream in = new PipedInputStream(pipe)) {
            pipe.write(("1,2\n\"3\n\",4\n" + begun).getBytes(StandardCharsets.UTF_8));
            try (InputWindow window = new InputWindow(in, interruption)) {
                CsvRows rows = new CsvRows(window, ROW_BYTES_MAX);
                assertTrue(rows.next() && rows.whole());
                interruption.request();
                assertTrue(rows.next() && rows.whole());
                assertTrue(rows.next());
                assertFalse(rows.whole(), () -> String.valueOf(rows.problem()));
            }
        }
    }

    @Test
    void shouldSkipAByteOrderMark() throws IOException {
        try (CsvFixture csv = new CsvFixture("\uFEFFa,b\n")) {
            csv.rows.skipByteOrderMark();
            assertEquals(List.of("1:a|b"), csv.all());
        }
        try (CsvFixture csv = new CsvFixture("a")) {
            csv.rows.skipByteOrderMark();
            assertEquals(List.of("1:a"), csv.all());
        }
    }

    @Test
    void shouldLookAheadWithoutConsuming() throws IOException {
        try (CsvFixture csv = new CsvFixture("1,2\n\"a\"\"b\",c\n5,6")) {
            int second = csv.rows.peek(0);
            assertEquals(List.of("1", "2"), cells(csv.rows));
            int third = csv.rows.peek(second);
            assertEquals(List.of("a\"b", "c"), cells(csv.rows));
            int end = csv.rows.peek(third);
            assertEquals(List.of("5", "6"), cells(csv.rows));
            assertEquals(-1, csv.rows.peek(end));
            assertEquals(List.of("1:1|2", "2:a\"b|c", "3:5|6"), csv.all());
        }
    }

    private static List<String> cells(CsvRows csv) {
        List<String> cells = new ArrayList<>();
        for (int i = 0; i < csv.cellCount(); i++) {
            cells.add(new String(csv.array(i), csv.offset(i), csv.length(i), StandardCharsets.UTF_8));
        }
        return cells;
    }

    private static InputWindow window(TrickleStream stream) {
        return new InputWindow(stream, new Interruption());
    }

    /** Rows as {@code line:cell|cell}, or {@code line!problem}. */
    private static final class CsvFixture implements AutoCloseable {
        private final InputWindow window;
        private final CsvRows rows;

        private CsvFixture(String text) {
            window = window(new TrickleStream(text.getBytes(StandardCharsets.UTF_8), new Random(1), 64));
            rows = new CsvRows(window, ROW_BYTES_MAX);
        }

        private String next() throws IOException {
            assertTrue(rows.next());
            return rows.line() + (rows.problem() == null ? ":" + String.join("|", cells(rows)) : "!" + rows.problem());
        }

        private List<String> all() throws IOException {
            List<String> texts = new ArrayList<>();
            while (rows.next()) {
                texts.add(rows.line()
                        + (rows.problem() == null ? ":" + String.join("|", cells(rows)) : "!" + rows.problem()));
            }
            assertFalse(rows.next());
            return texts;
        }

        private String rawText() {
            return new String(rows.rowBytes(), StandardCharsets.UTF_8);
        }

        @Override
        public void close() {
            window.close();
        }
    }
}
