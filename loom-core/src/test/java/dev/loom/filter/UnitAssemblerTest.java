package dev.loom.filter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.TextIndexParameters;
import dev.loom.format.Formats;
import dev.loom.io.Storage;
import dev.loom.text.TokenDigest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Units of texts whose words come back, often or seldom, against the rows that each word was put in. */
final class UnitAssemblerTest {
    private static final long SEED = Long.getLong("loom.test.seed", System.nanoTime());
    private static final long STORE = 5;
    private static final int SOURCE = 3;
    private static final int UNITS = 12;
    private static final int WORDS = 20_000;
    private static final int LETTERS = 26;

    @TempDir
    Path temp;

    private final Random random = new Random(SEED);
    private final RowTokens tokens = new RowTokens(Formats.text().indexedText(), Formats.text(), null);
    private int frequentWords;
    private int listedWords;

    /** Words of letters, of which no other case or composition is one; some with letters of two bytes, some longer than is kept. */
    private static String word(int number) {
        StringBuilder word = new StringBuilder();
        for (int rest = number + LETTERS; rest > 0; rest /= LETTERS) {
            word.append((char) ('a' + rest % LETTERS));
        }
        word.append(number % 7 == 0 ? "é" : "");
        word.append(number % 101 == 0 ? "y".repeat(260 + number % 3) : "");
        return word.toString();
    }

    private static long digest(String word, int length) {
        long state = TokenDigest.EMPTY;
        for (int i = 0; i < Math.min(length, 256); i++) {
            state = TokenDigest.add(state, word.charAt(i));
        }
        return TokenDigest.finish(length > 256 ? TokenDigest.add(state, length) : state);
    }

    /** The words of the log change in the end, so that frequent ones become rare and the other way round. */
    private int number(int unit) {
        int common = (int) (WORDS * Math.pow(random.nextDouble(), 6));
        return unit < UNITS * 2 / 3 ? common : WORDS - 1 - common;
    }

    @Test
    void shouldKnowAllRowsOfEachWordInEveryUnit() {
        System.out.println("UnitAssemblerTest: -Dloom.test.seed=" + SEED);
        UnitFiles files = UnitFiles.beside(Storage.DISK, temp.resolve("record"));
        TextIndexLimits limits =
                new TextIndexLimits(true, TextIndexParameters.DEFAULT.withUnitRows(65_535), Long.MAX_VALUE);
        SourceUnits units = new SourceUnits(files, STORE, SOURCE, Formats.text().indexedText(), limits);
        List<Map<String, Set<Integer>>> written = new ArrayList<>();
        for (int unit = 0; unit < UNITS; unit++) {
            if (random.nextInt(3) == 0) {
                addRows(units.assembler(), unit);
                units.assembler().reset(); // as if the rows had not been
            }
            units.assembler().beginChunk(unit);
            written.add(addRows(units.assembler(), unit));
            units.assembler().endChunk(unit + 1);
            assertTrue(units.write(bytes -> true, () -> {}));
        }
        long lengths = files.ofSource(SOURCE).stream().mapToLong(files::length).sum();
        assertEquals(lengths + UNITS * Storage.FILE_EXCESS_LENGTH, files.bytes());
        for (int unit = 0; unit < UNITS; unit++) {
            Path path = files.ofSource(SOURCE).get(unit).path();
            try (UnitGroup group =
                    UnitGroup.open(Storage.DISK.openToRead(path), STORE, SOURCE, unit, BlockReader.newBlocks())) {
                check(group, written.get(unit));
            }
        }
        assertTrue(
                frequentWords > 100 && listedWords > 10_000, "frequent=" + frequentWords + ", listed=" + listedWords);
    }

    /** Their words change with each unit, unless the words that one row alone has are left out. */
    @Test
    void shouldPutUnitsOfFewRowsTogether() {
        UnitFiles files = UnitFiles.beside(Storage.DISK, temp.resolve("record"));
        TextIndexLimits limits =
                new TextIndexLimits(true, TextIndexParameters.DEFAULT.withUnitRows(65_535), Long.MAX_VALUE);
        SourceUnits units = new SourceUnits(files, STORE, SOURCE, Formats.text().indexedText(), limits);
        int number = 0;
        for (int unit = 0; unit < 32; unit++) {
            units.assembler().beginChunk(unit);
            for (int row = 0; row < 256; row++) {
                String text = "get order took a" + number + " b" + number + " c" + number;
                number++;
                byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
                units.assembler().nextRow();
                tokens.read(0, new UnsafeBuffer(bytes), 0, bytes.length, units.assembler());
            }
            units.assembler().endChunk(unit + 1);
            assertTrue(units.write(bytes -> true, () -> {}));
            units.putTogether(bytes -> true, () -> {});
        }
        assertTrue(
                files.ofSource(SOURCE).size() <= 3,
                () -> "files=" + files.ofSource(SOURCE).size());
    }

    private Map<String, Set<Integer>> addRows(UnitAssembler assembler, int unit) {
        Map<String, Set<Integer>> rowsOf = new HashMap<>();
        int rows = 200 + random.nextInt(800);
        for (int row = 0; row < rows; row++) {
            StringBuilder text = new StringBuilder();
            for (int i = random.nextInt(20); i >= 0; i--) {
                String word = word(number(unit));
                text.append(word).append(' ');
                rowsOf.computeIfAbsent(word, absent -> new TreeSet<>()).add(row);
            }
            byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
            assembler.nextRow();
            tokens.read(0, new UnsafeBuffer(bytes), 0, bytes.length, assembler);
        }
        return rowsOf;
    }

    private void check(UnitGroup group, Map<String, Set<Integer>> rowsOf) {
        RowSet found = new RowSet();
        rowsOf.forEach((word, rows) -> {
            long digest = digest(word, word.length());
            if (group.contents().frequent().contains(digest)) {
                frequentWords++;
                group.seekFrequent(digest);
                assertTrue(
                        group.count(0) >= rows.size(), () -> "rows=" + rows.size() + " of " + word + ", seed=" + SEED);
            } else {
                listedWords++;
                group.seekRare(digest);
                group.rows(0, found);
                rows.forEach(
                        row -> assertTrue(found.contains(row), () -> "row=" + row + " of " + word + ", seed=" + SEED));
            }
            int prefix = Math.min(word.length(), group.shape().prefixLength());
            group.seekPrefix(digest(word, prefix));
            assertTrue(group.mayContain(0), () -> "prefix of " + word + ", seed=" + SEED);
        });
        assertEquals(1, group.units());
        // a filter takes a few words for others
        int words = group.extents().words(0);
        int least = rowsOf.size() - 2 - rowsOf.size() / 50;
        assertTrue(
                words >= least && words <= rowsOf.size(),
                () -> "words=" + words + " of " + rowsOf.size() + ", seed=" + SEED);
    }
}
