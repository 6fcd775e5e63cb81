package dev.loom.filter;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.TextIndexParameters;
import dev.loom.format.IndexedText;
import dev.loom.io.LoomFile;
import dev.loom.io.Storage;
import dev.loom.text.TokenCondition;
import dev.loom.text.TokenDigest;
import dev.loom.text.TokenReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * No structure of a unit ever denies a word that it has: the filter by itself, units in memory, in files of their own (by rows) and put
 * together (by columns), with filters from nearly empty to overfull. {@code -Dloom.filter.tests=100000000} asks as often.
 */
final class NoFalseNegativeTest {
    private static final long SEED = Long.getLong("loom.test.seed", System.nanoTime());
    private static final long TESTS = Long.getLong("loom.filter.tests", 1_000_000);
    private static final UnitContents CONTENTS = new UnitContents(IndexedText.parse("line:words"), FrequentWords.NONE);
    private static final int UNITS_MAX = 16;
    private static final int ROWS_MAX = 2_000;

    /** One word of this many is asked for in files, too, which takes longer. */
    private static final int FILES_EVERY = 16;

    private static final long CHUNK = 64 << 10;

    private static final String[] BEGINNINGS = {
        "worker", "blk_", "error", "GET", "größe", "日本語", "Straße", "x", "user_", "İstanbul", "é", "_"
    };

    @TempDir
    Path temp;

    private final Random random = new Random(SEED);
    private final TokenReader reader = new TokenReader();
    private final RowSet found = new RowSet();
    private long filterTests;
    private long unitTests;
    private long rowTests;
    private long columnTests;
    private long prefixTests;

    /** A word of a unit: as it was written, with the rows that have it. */
    private record Added(String word, List<Integer> rows) {}

    /** What is asked for: all of a word that its unit must not deny. */
    private record Asked(
            long digest, boolean frequent, List<Integer> rows, List<Long> prefixes, Supplier<String> where) {}

    @Test
    void shouldNeverDenyAWordThatIsThere() {
        System.out.println("NoFalseNegativeTest: -Dloom.test.seed=" + SEED);
        while (!isDone()) {
            UnitShape shape = shape();
            List<List<Added>> words = new ArrayList<>();
            List<UnitBuilder> units = new ArrayList<>();
            for (int i = 1 + random.nextInt(UNITS_MAX); i > 0; i--) {
                UnitBuilder unit = new UnitBuilder(shape);
                words.add(fill(unit, shape));
                units.add(unit);
            }
            ask(shape, units, words);
        }
        System.out.println("NoFalseNegativeTest: filters=" + filterTests + ", in memory=" + unitTests + ", by rows="
                + rowTests + ", by columns=" + columnTests + ", prefixes=" + prefixTests);
    }

    private boolean isDone() {
        return filterTests + unitTests + rowTests + columnTests + prefixTests >= TESTS;
    }

    private TextIndexParameters parameters() {
        return new TextIndexParameters(
                65_535, 1 + random.nextInt(64), 1 + random.nextInt(1_024), 1 + random.nextInt(32), random.nextInt(17));
    }

    /** Of any size, with lists or without, among them the paper's and those that sources get. */
    private UnitShape shape() {
        int rareBits = 3 + random.nextInt(14);
        return switch (random.nextInt(4)) {
            case 0 -> UnitShape.full(Math.max(10, rareBits), parameters());
            case 1 -> UnitShape.filterAlone(rareBits);
            case 2 -> new UnitShape(13, 18, 2, 18, 18, 16, 8);
            default ->
                new UnitShape(
                        3 + random.nextInt(8),
                        rareBits,
                        1 + random.nextInt(8),
                        1 + random.nextInt(1 << Math.min(6, rareBits)),
                        random.nextInt(20),
                        random.nextBoolean() ? 0 : 3 + random.nextInt(10),
                        1 + random.nextInt(TokenCondition.PREFIX_MAX));
        };
    }

    /** Words of their own for this unit, of which every third is frequent. */
    private List<Added> fill(UnitBuilder unit, UnitShape shape) {
        int rows = 1 + random.nextInt(ROWS_MAX);
        int count = 1 + random.nextInt(Math.min(6_000, 1 << shape.rareBits()));
        List<Added> added = new ArrayList<>();
        List<List<Integer>> wordsOf = new ArrayList<>();
        for (int row = 0; row < rows; row++) {
            wordsOf.add(new ArrayList<>());
        }
        for (int i = 0; i < count; i++) {
            // most words are in one row, a few in many
            int in = Math.min(rows, 1 + (int) (1 / (random.nextDouble() + 0.005)));
            List<Integer> of = random.ints(in, 0, rows).distinct().boxed().toList();
            added.add(new Added(word(i), of));
            for (int row : of) {
                wordsOf.get(row).add(i);
            }
        }
        for (List<Integer> of : wordsOf) {
            unit.nextRow();
            for (int i : of) {
                add(unit, added.get(i).word(), isFrequent(i), shape);
            }
        }
        return added;
    }

    private static boolean isFrequent(int word) {
        return word % 3 == 0;
    }

    private String word(int number) {
        String beginning = BEGINNINGS[random.nextInt(BEGINNINGS.length)];
        return switch (random.nextInt(4)) {
            case 0 -> Long.toHexString(random.nextLong());
            case 1 -> beginning + number;
            case 2 -> beginning + Long.toString(random.nextInt(1 << 20), Character.MAX_RADIX);
            default -> beginning.repeat(1 + random.nextInt(60)) + number;
        };
    }

    /** As units are built: the running state gives the word's digest and its prefixes'. */
    private void add(UnitBuilder unit, String word, boolean frequent, UnitShape shape) {
        read(word);
        int length = Math.min(reader.length(), TokenReader.LENGTH_MAX);
        long state = TokenDigest.EMPTY;
        for (int i = 0; i < length; i++) {
            state = TokenDigest.add(state, reader.codePoint(i));
            if (i < shape.prefixLength()) {
                unit.addPrefix(TokenDigest.finish(state));
            }
        }
        long digest = TokenDigest.of(reader);
        if (frequent) {
            unit.addFrequent(digest);
        } else {
            unit.addRare(digest);
        }
    }

    private void read(String word) {
        byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
        reader.wrap(new UnsafeBuffer(bytes), 0, bytes.length);
        assertTrue(reader.next(), word);
    }

    private void ask(UnitShape shape, List<UnitBuilder> units, List<List<Added>> words) {
        Path folder = temp.resolve("units");
        List<TokenUnit> all = new ArrayList<>();
        for (int i = 0; i < units.size(); i++) {
            long start = i * CHUNK;
            all.add(units.get(i)
                    .unit(new UnitExtent(
                            start,
                            start + CHUNK,
                            units.get(i).rows(),
                            units.get(i).words(),
                            new long[] {start},
                            new int[] {0})));
        }
        try (UnitGroup columns = write(folder.resolveSibling("together"), all)) {
            for (int i = 0; i < units.size(); i++) {
                try (UnitGroup rows = write(folder.resolveSibling("one"), List.of(all.get(i)))) {
                    askUnit(shape, units.get(i), words.get(i), rows, columns, i);
                }
            }
        }
    }

    private static UnitGroup write(Path path, List<TokenUnit> units) {
        try (LoomFile file = Storage.DISK.openToWrite(path, false)) {
            UnitGroupWriter.write(file, 1, 1, CONTENTS, units);
        }
        return UnitGroup.open(
                Storage.DISK.openToRead(path), 1, 1, units.get(0).extent().start(), BlockReader.newBlocks());
    }

    private void askUnit(
            UnitShape shape, UnitBuilder unit, List<Added> words, UnitGroup byRows, UnitGroup byColumns, int number) {
        TokenFilter filter = new TokenFilter(shape.rareBits());
        words.forEach(added -> filter.add(digest(added.word())));
        for (int i = 0; i < words.size() && !isDone(); i++) {
            Added added = words.get(i);
            Asked asked = new Asked(
                    digest(added.word()),
                    isFrequent(i),
                    added.rows(),
                    shape.prefixBits() == 0 ? List.of() : prefixes(added.word(), shape.prefixLength()),
                    () -> "seed=" + SEED + ", shape=" + shape + ", word=" + added.word() + ", rows=" + added.rows());
            assertTrue(filter.mayContain(asked.digest()), asked.where());
            filterTests++;
            ask(unit, asked);
            if (random.nextInt(FILES_EVERY) == 0) {
                ask(byRows, 0, asked);
                rowTests++;
                ask(byColumns, number, asked);
                columnTests++;
            }
        }
    }

    /** Each beginning is digested as a word of its own. */
    private List<Long> prefixes(String word, int longest) {
        read(word);
        int[] folded = new int[Math.min(reader.length(), longest)];
        Arrays.setAll(folded, reader::codePoint);
        List<Long> digests = new ArrayList<>();
        for (int length = 1; length <= folded.length; length++) {
            digests.add(digest(new String(folded, 0, length)));
        }
        return digests;
    }

    private void ask(UnitBuilder unit, Asked asked) {
        if (asked.frequent()) {
            assertTrue(unit.countFrequent(asked.digest()) >= asked.rows().size(), asked.where());
        } else {
            unit.rowsOfRare(asked.digest(), found);
            asked.rows().forEach(row -> assertTrue(found.contains(row), asked.where()));
        }
        asked.prefixes().forEach(prefix -> assertTrue(unit.mayContainPrefix(prefix), asked.where()));
        unitTests++;
        prefixTests += asked.prefixes().size();
    }

    private void ask(UnitGroup units, int number, Asked asked) {
        if (asked.frequent()) {
            units.seekFrequent(asked.digest());
            assertTrue(units.count(number) >= asked.rows().size(), asked.where());
        } else {
            units.seekRare(asked.digest());
            units.rows(number, found);
            asked.rows().forEach(row -> assertTrue(found.contains(row), asked.where()));
        }
        for (long prefix : asked.prefixes()) {
            units.seekPrefix(prefix);
            assertTrue(units.mayContain(number), asked.where());
        }
        prefixTests += asked.prefixes().size();
    }

    private long digest(String word) {
        read(word);
        return TokenDigest.of(reader);
    }
}
