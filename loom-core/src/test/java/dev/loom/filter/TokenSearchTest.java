package dev.loom.filter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.TextIndexParameters;
import dev.loom.filter.UnitFiles.UnitFile;
import dev.loom.format.Formats;
import dev.loom.format.IndexedText;
import dev.loom.io.Storage;
import dev.loom.text.TokenCondition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A search asked about chunk after chunk, against one that is new for each chunk, and against the words that the chunks have. */
final class TokenSearchTest {
    private static final long SEED = Long.getLong("loom.test.seed", System.nanoTime());
    private static final long STORE = 0x1234_5678_9ABC_DEF0L;
    private static final int SOURCE = 7;
    private static final long PAGE = 64 << 10;
    private static final int WORDS = 4_000;
    /** How far the second of a condition and the third are from the one before. */
    private static final int OTHER = 30;

    @TempDir
    Path temp;

    private final Random random = new Random(SEED);
    /** The words of each chunk's rows, by its address; no rows where no unit has the chunk. */
    private final TreeMap<Long, List<Set<Long>>> chunks = new TreeMap<>();

    @BeforeEach
    void printSeed() {
        System.out.println("TokenSearchTest: -Dloom.test.seed=" + SEED);
    }

    private UnitFiles files() {
        return UnitFiles.beside(Storage.DISK, temp.resolve("record"));
    }

    /** Its row counts in a run of chunks, which says no more that a chunk is in no unit. */
    @Test
    void shouldReadTheChunkOfAValueThatMemoryWasTooSmallForAlsoInARun() {
        IndexedText indexed = IndexedText.parse("exhausted:words");
        SourceUnits units = new SourceUnits(
                files(),
                STORE,
                SOURCE,
                indexed,
                new TextIndexLimits(true, TextIndexParameters.DEFAULT, Long.MAX_VALUE));
        RowTokens tokens = new RowTokens(indexed, Formats.parse("reversed:exhausted"), null);
        for (int chunk = 0; chunk < 3; chunk++) {
            units.assembler().beginChunk(chunk * PAGE);
            units.assembler().nextRow();
            if (chunk == 1) {
                tokens.read(0, new UnsafeBuffer(new byte[1]), 0, 1, units.assembler());
                units.assembler().dropChunk();
            }
            units.assembler().endChunk((chunk + 1) * PAGE);
        }
        assertEquals(1, tokens.exhausted());
        assertTrue(units.write(bytes -> true, () -> {}));
        try (GroupCursor groups = new GroupCursor(files(), STORE, SOURCE)) {
            TokenSearch search = new TokenSearch(groups, new TokenCondition.Word("exhausted", word(1)));
            assertTrue(search.mayMeet(PAGE));
            assertTrue(search.mayMeet(0, 3 * PAGE, 3));
        }
    }

    /** Writes units, of which the first are put together: with gaps between chunks, and chunks whose rows could not be read. */
    private void write(boolean lists) {
        write(lists, 30);
    }

    private void write(boolean lists, int chunksMax) {
        SourceUnits units = new SourceUnits(
                files(),
                STORE,
                SOURCE,
                IndexedText.parse("id:value"),
                new TextIndexLimits(lists, TextIndexParameters.DEFAULT.withUnitRows(65_535), Long.MAX_VALUE));
        long address = PAGE;
        for (int unit = 0; unit < 40; unit++) {
            for (int i = 1 + random.nextInt(chunksMax); i > 0; i--) {
                address += PAGE * random.nextInt(3);
                units.assembler().beginChunk(address);
                if (i > 1 && random.nextInt(8) == 0) {
                    units.assembler().dropChunk();
                    chunks.put(address, List.of());
                } else {
                    chunks.put(address, addRows(units.assembler()));
                }
                address += PAGE;
                units.assembler().endChunk(address);
            }
            assertTrue(units.write(bytes -> true, () -> {}));
            units.putTogether(bytes -> true, () -> {});
        }
        chunks.put(address + PAGE, List.of());
    }

    /** A word comes in some units that follow each other, so that most units do without it. */
    private List<Set<Long>> addRows(UnitAssembler assembler) {
        List<Set<Long>> rows = new ArrayList<>();
        int about = chunks.size() * 5;
        for (int row = 1 + random.nextInt(20); row > 0; row--) {
            assembler.nextRow();
            Set<Long> words = new HashSet<>();
            for (int i = 0; i < 3; i++) {
                words.add(word((about + random.nextInt(100)) % WORDS));
            }
            words.forEach(assembler::onValue);
            rows.add(words);
        }
        return rows;
    }

    private static long word(int number) {
        return (number + 1) * 0x9E37_79B9_7F4A_7C15L;
    }

    /** Three words, of which the first and another are necessary, or one of all. */
    private static TokenCondition condition(int number) {
        TokenCondition first = value(number);
        TokenCondition second = value(number + OTHER);
        TokenCondition third = value(number + 2 * OTHER);
        return number % 2 == 0
                ? new TokenCondition.Any(List.of(first, second, third))
                : new TokenCondition.All(List.of(first, new TokenCondition.Any(List.of(second, third))));
    }

    private static boolean meets(Set<Long> words, int number) {
        boolean first = words.contains(word(number));
        boolean second = words.contains(word(number + OTHER));
        boolean third = words.contains(word(number + 2 * OTHER));
        return number % 2 == 0 ? first || second || third : first && (second || third);
    }

    private static TokenCondition value(int number) {
        return new TokenCondition.Value("id", word(number));
    }

    private String askedAgain(long chunkAddress, int number) {
        try (GroupCursor groups = new GroupCursor(files(), STORE, SOURCE)) {
            return ask(new TokenSearch(groups, condition(number)), chunkAddress);
        }
    }

    private static String ask(TokenSearch search, long chunkAddress) {
        boolean may = search.mayMeet(chunkAddress);
        return may
                + (search.unit() < 0
                        ? ""
                        : " " + search.unit() + " " + search.unitBounded() + " " + search.unitRowsMost() + " "
                                + search.chunkRows());
    }

    /** Units with lists are too small here to have the same frequent words, without which none are put together. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldAnswerAsANewSearchInWhateverOrderChunksAreAskedAbout(boolean lists) {
        write(lists);
        assertTrue(lists || files().ofSource(SOURCE).size() < 40, "none were put together");
        List<Long> ascending = new ArrayList<>(chunks.keySet());
        List<Long> descending = new ArrayList<>(chunks.descendingKeySet());
        List<Long> shuffled = new ArrayList<>(ascending);
        Collections.shuffle(shuffled, random);
        List<Long> fromBothEnds = new ArrayList<>();
        for (int i = 0; i < ascending.size(); i++) {
            fromBothEnds.add(ascending.get(i));
            fromBothEnds.add(descending.get(i));
        }
        for (List<Long> order : List.of(ascending, descending, shuffled, fromBothEnds)) {
            for (int i = 0; i < 10; i++) {
                ask(order);
            }
        }
    }

    /** Two searches move one cursor over the groups; the second is not asked about all chunks. */
    private void ask(List<Long> order) {
        int first = random.nextInt(chunks.size() * 5);
        int[] numbers = {first % WORDS, (first + 60) % WORDS};
        try (GroupCursor groups = new GroupCursor(files(), STORE, SOURCE)) {
            TokenSearch[] searches = {
                new TokenSearch(groups, condition(numbers[0])), new TokenSearch(groups, condition(numbers[1]))
            };
            for (long chunkAddress : order) {
                for (int i = 0; i < 2; i++) {
                    if (i == 0 || random.nextInt(3) > 0) {
                        check(searches[i], chunkAddress, numbers[i]);
                    }
                }
            }
        }
    }

    /**
     * Asks about runs of chunks, from either end and at random, and about each chunk of those that may have something, as a walk does. A run is
     * passed over if and only if its chunks are all in one file, every record of theirs is a row, and each chunk would be passed over.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldAnswerForARunAsForEachOfItsChunks(boolean lists) {
        write(lists);
        List<Long> addresses = new ArrayList<>(chunks.keySet());
        Set<Boolean> answers = new HashSet<>();
        for (int i = 0; i < 9; i++) {
            int number = random.nextInt(WORDS);
            int length = 1 + random.nextInt(1 << random.nextInt(7));
            List<Integer> starts = new ArrayList<>();
            for (int at = 0; at < addresses.size(); at += length) {
                starts.add(at);
            }
            if (i % 3 == 1) {
                Collections.reverse(starts);
            } else if (i % 3 == 2) {
                Collections.shuffle(starts, random);
            }
            try (GroupCursor groups = new GroupCursor(files(), STORE, SOURCE)) {
                TokenSearch search = new TokenSearch(groups, condition(number));
                for (int at : starts) {
                    List<Long> run = addresses.subList(at, Math.min(addresses.size(), at + length));
                    answers.add(checkRun(search, run, number));
                }
            }
        }
        assertEquals(Set.of(true, false), answers, "some runs are passed over, and some are not");
    }

    @Test
    void shouldTellNothingOfUnitsThatAreDamaged() throws IOException {
        write(false, 80); // enough that the chunks' addresses take more than the first block
        UnitFile file = files().ofSource(SOURCE).stream()
                .max(Comparator.comparingInt(UnitFile::units))
                .orElseThrow();
        byte[] whole = Files.readAllBytes(file.path());
        List<Long> addresses = new ArrayList<>(chunks.keySet());
        int unusable = 0;
        for (int block = 0; block < whole.length; block += BlockWriter.BLOCK_LENGTH) {
            byte[] damaged = whole.clone();
            damaged[block + random.nextInt(BlockWriter.BLOCK_LENGTH)] ^= 1;
            Files.write(file.path(), damaged);
            unusable += askAll(addresses, 1) + askAll(addresses, 4);
        }
        Files.write(file.path(), whole);
        assertTrue(unusable > 1, "damage was met: " + unusable);
    }

    /** Asks about runs of this number of chunks, and about these; says how often a file was of no use. */
    private int askAll(List<Long> addresses, int length) {
        int number = random.nextInt(WORDS);
        try (GroupCursor groups = new GroupCursor(files(), STORE, SOURCE)) {
            TokenSearch search = new TokenSearch(groups, condition(number));
            for (int at = 0; at < addresses.size(); at += length) {
                List<Long> run = addresses.subList(at, Math.min(addresses.size(), at + length));
                long end = run.get(run.size() - 1) + PAGE;
                long records = run.stream()
                        .mapToLong(chunk -> Math.max(1, chunks.get(chunk).size()))
                        .sum();
                boolean mayAny = length == 1 || search.mayMeet(run.get(0), end, records);
                for (long chunkAddress : run) {
                    boolean may = search.mayMeet(chunkAddress);
                    boolean has = chunks.get(chunkAddress).stream().anyMatch(words -> meets(words, number));
                    assertTrue(!has || (mayAny && may), () -> "lost: chunk=" + chunkAddress + ", word=" + number);
                }
            }
            return groups.unusable();
        }
    }

    private boolean checkRun(TokenSearch search, List<Long> run, int number) {
        long end = run.get(run.size() - 1) + PAGE;
        boolean inOneFile =
                files().ofSource(SOURCE).stream().anyMatch(file -> file.start() <= run.get(0) && end <= file.end());
        boolean allRows = run.stream().noneMatch(chunk -> chunks.get(chunk).isEmpty());
        boolean anyMay =
                run.stream().anyMatch(chunk -> askedAgain(chunk, number).startsWith("true"));
        long records = run.stream()
                .mapToLong(chunk -> Math.max(1, chunks.get(chunk).size()))
                .sum();
        long before = search.chunksSkippedByFilter() + search.chunksSkippedByRows();
        boolean may = search.mayMeet(run.get(0), end, records);
        assertEquals(!inOneFile || !allRows || anyMay, may, () -> "run=" + run + ", word=" + number);
        assertEquals(-1, search.unit());
        long skipped = search.chunksSkippedByFilter() + search.chunksSkippedByRows() - before;
        assertEquals(may ? 0 : run.size(), skipped, () -> "run=" + run + ", word=" + number);
        if (may) {
            run.forEach(chunk -> check(search, chunk, number));
        }
        return may;
    }

    private void check(TokenSearch search, long chunkAddress, int number) {
        String answer = ask(search, chunkAddress);
        assertEquals(askedAgain(chunkAddress, number), answer, "chunk=" + chunkAddress + ", word=" + number);
        List<Set<Long>> rows = chunks.get(chunkAddress);
        boolean has = rows.isEmpty() || rows.stream().anyMatch(words -> meets(words, number));
        assertTrue(!has || answer.startsWith("true"), () -> "lost: chunk=" + chunkAddress + ", word=" + number);
    }
}
