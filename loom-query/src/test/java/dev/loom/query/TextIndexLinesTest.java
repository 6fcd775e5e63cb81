package dev.loom.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.api.Snapshot;
import dev.loom.api.Store;
import dev.loom.api.TextIndexParameters;
import dev.loom.filter.MistakenUnits;
import dev.loom.format.Formats;
import dev.loom.query.model.Order;
import dev.loom.query.model.QueryIndex;
import dev.loom.query.model.QueryStatistics;
import dev.loom.query.text.TextQuery;
import dev.loom.query.where.Where;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Searches with the text index against scans that read every record, over texts that were not made for it: lines of the logs in {@code
 * -Dloom.logs=DIRECTORY}, or else of this project's own documents and sources. Also with units that are wrong.
 */
final class TextIndexLinesTest {
    private static final long SEED = Long.getLong("loom.test.seed", System.nanoTime());
    private static final int LINES = Integer.getInteger("loom.text.lines", 15_000);
    private static final int QUERIES = Integer.getInteger("loom.text.queries", 40);
    private static final int LINE_LENGTH_MAX = 8 << 10;
    private static final Pattern WORD = Pattern.compile("[\\p{L}\\p{M}\\p{N}_]+");
    private static final Pattern IN_VAIN = Pattern.compile(", left=(\\d+), .*, chunks read in vain=(\\d+)");

    @TempDir
    Path temp;

    private final Random random = new Random(SEED);
    private long skipped;
    private long readInVain;
    private long compared;
    private long rows;

    private static List<Path> texts() throws IOException {
        String logs = System.getProperty("loom.logs", "");
        Path root = Path.of("").toAbsolutePath();
        while (logs.isEmpty() && !Files.exists(root.resolve("docs/text-index.md"))) {
            root = root.getParent();
        }
        String name = logs.isEmpty() ? "(docs|loom-query/src)/.*\\.(md|java)" : ".*\\.log";
        Path from = logs.isEmpty() ? root : Path.of(logs);
        List<Path> texts = new ArrayList<>();
        for (String folder : logs.isEmpty() ? List.of("docs", "loom-query/src") : List.of("")) {
            try (Stream<Path> paths = Files.walk(from.resolve(folder))) {
                paths.filter(path -> from.relativize(path).toString().matches(name))
                        .sorted()
                        .forEach(texts::add);
            }
        }
        return texts;
    }

    /** As many lines as are asked for: those of each text in their order, of all texts in turn, and again from the first one on. */
    private List<String> lines() throws IOException {
        List<List<String>> texts = new ArrayList<>();
        for (Path path : texts()) {
            List<String> lines =
                    Files.readString(path, StandardCharsets.ISO_8859_1).lines().toList();
            if (!lines.isEmpty()) {
                texts.add(lines);
            }
        }
        int[] next = new int[texts.size()];
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < LINES; i++) {
            int text = random.nextInt(next.length);
            byte[] bytes =
                    texts.get(text).get(next[text]++ % texts.get(text).size()).getBytes(StandardCharsets.ISO_8859_1);
            lines.add(new String(bytes, 0, Math.min(bytes.length, LINE_LENGTH_MAX), StandardCharsets.UTF_8));
        }
        return lines;
    }

    private Path store() {
        return temp.resolve("store");
    }

    /** Units of one to some thousand lines, with parts that have filters alone, and a part that is in no unit. */
    private void write(List<String> lines) {
        int done = 0;
        for (int session = 0; session < 3; session++) {
            try (Loom loom = Loom.open(LoomConfig.at(store())
                    .recordRingBytes(LoomConfig.RING_BYTES_MIN)
                    .textIndexShare(1)
                    .textIndexRows(session > 0)
                    .textIndexParameters(TextIndexParameters.DEFAULT.withUnitRows(1_024 << random.nextInt(5)))
                    .build())) {
                int source = session == 0
                        ? loom.defineSource("lines", Formats.text())
                        : loom.source("lines").orElseThrow().id();
                for (int end = lines.size() * (session + 1) / 3; done < end; done++) {
                    loom.push(source, lines.get(done).getBytes(StandardCharsets.UTF_8));
                    if (random.nextInt(lines.size() / 10) == 0) {
                        assertTrue(loom.finishTextIndex((now, total) -> true));
                    }
                }
                if (session < 2) {
                    assertTrue(loom.finishTextIndex((now, total) -> true));
                }
            }
        }
    }

    private String line(List<String> lines) {
        String line = "";
        while (line.isBlank()) {
            line = lines.get(random.nextInt(lines.size()));
        }
        return line;
    }

    private List<String> words(List<String> lines) {
        List<String> words = List.of();
        while (words.isEmpty()) {
            words = WORD.matcher(line(lines)).results().map(MatchResult::group).toList();
        }
        return words;
    }

    private String word(List<String> lines) {
        List<String> words = words(lines);
        return random.nextInt(10) == 0 ? "absent" + random.nextInt(1_000_000) : words.get(random.nextInt(words.size()));
    }

    private String part(String text) {
        int begin = random.nextInt(text.length());
        return text.substring(begin, begin + 1 + random.nextInt(text.length() - begin));
    }

    private String matches(List<String> lines) {
        List<String> words = words(lines);
        String word = words.get(random.nextInt(words.size()));
        int from = random.nextInt(words.size());
        return switch (random.nextInt(7)) {
            case 0 -> word.substring(0, 1 + random.nextInt(word.length())) + '*';
            case 1 -> '"' + String.join(" ", words.subList(from, from + 1 + random.nextInt(words.size() - from))) + '"';
            case 2 -> "NOT " + word;
            case 3 -> word + ' ' + words.get(from);
            case 4 -> word + ' ' + word(lines);
            case 5 -> word(lines) + " OR " + word(lines) + ' ' + word(lines);
            default -> word(lines);
        };
    }

    private Where term(List<String> lines) {
        String line = line(lines);
        return switch (random.nextInt(9)) {
            case 0 -> new Where.Contains("line", part(line));
            case 1 -> new Where.ContainsIgnoringCase("line", part(line));
            case 2 ->
                new Where.MatchesRegex("line", ".*" + Pattern.quote(part(line)) + ".*|" + Pattern.quote(line(lines)));
            case 3 -> equal(line);
            case 4 -> new Where.In("line", List.of(new Where.Literal.Text(line), new Where.Literal.Text(line(lines))));
            default -> new Where.Matches("line", TextQuery.parse(matches(lines)));
        };
    }

    private static Where equal(String line) {
        return new Where.Comparison("line", Where.Operator.EQUAL, new Where.Literal.Text(line));
    }

    private Where expression(List<String> lines, int depth) {
        if (depth == 0 || random.nextInt(2) == 0) {
            return retried(() -> term(lines));
        }
        List<Where> terms = List.of(expression(lines, depth - 1), expression(lines, depth - 1));
        return switch (random.nextInt(4)) {
            case 0 -> new Where.Not(terms.get(0));
            case 1 -> new Where.Or(terms);
            default -> new Where.And(terms);
        };
    }

    /** Lines have words that mean something in a query, and parts of words that are none. */
    private static Where retried(Supplier<Where> made) {
        while (true) {
            try {
                return made.get();
            } catch (IllegalArgumentException e) {
                // another one
            }
        }
    }

    private List<Long> addresses(Snapshot snapshot, Where where, Order order, boolean indexed) {
        List<Long> found = new ArrayList<>();
        int source = snapshot.source("lines").orElseThrow().id();
        try (QueryCursor cursor = RawScan.of(snapshot, source)
                .where(where)
                .order(order)
                .use(QueryIndex.CHUNK, indexed)
                .use(QueryIndex.TEXT, indexed)
                .open()) {
            while (cursor.next()) {
                found.add(cursor.address());
            }
            assertTrue(cursor.completeness().complete());
            QueryStatistics work = cursor.statistics();
            skipped += work.pagesSkippedByTokens();
            readInVain += chunks(work, 2);
        }
        return found;
    }

    /** The chunks that were left to read, or of these the ones that had nothing. */
    private static long chunks(QueryStatistics work, int group) {
        long chunks = 0;
        for (String line : work.plan()) {
            Matcher told = IN_VAIN.matcher(line);
            chunks += told.find() ? Long.parseLong(told.group(group)) : 0;
        }
        return chunks;
    }

    private void compare(List<String> lines, int queries) {
        try (LoomReader reader = LoomReader.attach(store());
                Snapshot snapshot = reader.snapshot()) {
            for (int i = 0; i < queries; i++) {
                Where where = expression(lines, 2);
                Order order = random.nextBoolean() ? Order.NEWEST_FIRST : Order.OLDEST_FIRST;
                List<Long> expected = addresses(snapshot, where, order, false);
                assertEquals(
                        expected, addresses(snapshot, where, order, true), () -> "seed=" + SEED + ", where=" + where);
                compared++;
                rows += expected.size();
            }
        }
    }

    private long storeId() {
        try (LoomReader reader = LoomReader.attach(store());
                Snapshot snapshot = reader.snapshot()) {
            return snapshot.storeId();
        }
    }

    @Test
    void shouldFindWhatAScanFinds() throws IOException {
        System.out.println("TextIndexLinesTest: -Dloom.test.seed=" + SEED);
        List<String> lines = lines();
        write(lines);
        compare(lines, QUERIES);
        assertTrue(skipped > 0, "the index was of no use");
        System.out.println("TextIndexLinesTest: lines=" + lines.size() + ", compared=" + compared + ", rows=" + rows);
    }

    @Test
    void shouldFindWhatAScanFindsWhenUnitsAreWrong() throws IOException {
        System.out.println("TextIndexLinesTest: -Dloom.test.seed=" + SEED);
        List<String> lines = lines();
        write(lines);
        assertTrue(MistakenUnits.write(store(), storeId(), random, 0.3) > 0);
        compare(lines, QUERIES);
        assertTrue(skipped > 0, "units that are wrong about some words tell of others");
        assertTrue(readInVain > 0, "nothing was read in vain");
        System.out.println("TextIndexLinesTest: wrong units, lines=" + lines.size() + ", compared=" + compared
                + ", rows=" + rows + ", chunks read in vain=" + readInVain);
    }

    /** What a search for a word says of the filters that it read, and of the cache. */
    private static String filters(Store store, String word) {
        try (Snapshot snapshot = store.snapshot();
                QueryCursor cursor = RawScan.of(
                                snapshot, snapshot.source("lines").orElseThrow().id())
                        .where(new Where.Matches("line", TextQuery.parse(word)))
                        .open()) {
            while (cursor.next()) {
                assertTrue(cursor.length() > 0);
            }
            String told = cursor.statistics().plan().get(0);
            return told.substring(told.indexOf("filter blocks"), told.indexOf(", chunks read in vain"));
        }
    }

    @Test
    void shouldReadFiltersOnceForAllSearchesOfAStore() throws IOException {
        List<String> lines = lines();
        write(lines);
        String word = word(lines);
        while (List.of("AND", "OR", "NOT").contains(word)) {
            word = word(lines);
        }
        try (Loom loom = Loom.open(LoomConfig.at(store()).textIndexShare(0).build());
                LoomReader reader = LoomReader.attach(store())) {
            for (Store store : List.of(reader, loom)) {
                String first = filters(store, word);
                assertTrue(
                        first.matches("filter blocks read=[1-9]\\d*, from cache=\\d+, cache bytes=[1-9]\\d*"), first);
                String second = filters(store, word);
                assertTrue(second.matches("filter blocks read=0, from cache=[1-9]\\d*, cache bytes=[1-9]\\d*"), second);
            }
        }
        try (LoomReader reader = LoomReader.attach(store(), null, 0)) {
            String first = filters(reader, word);
            assertTrue(first.matches("filter blocks read=[1-9]\\d*, from cache=0, cache bytes=0"), first);
            assertEquals(first, filters(reader, word));
        }
        try (Loom loom = Loom.open(LoomConfig.at(store()).textIndexCacheBytes(0).build())) {
            assertTrue(filters(loom, word).endsWith("from cache=0, cache bytes=0"));
        }
    }

    @Test
    void shouldSayThatNoWholeWordIsRequired() {
        write(Collections.nCopies(100, "a line of words"));
        try (LoomReader reader = LoomReader.attach(store());
                Snapshot snapshot = reader.snapshot();
                QueryCursor cursor = RawScan.of(
                                snapshot, snapshot.source("lines").orElseThrow().id())
                        .where(new Where.Contains("line", "ine o"))
                        .open()) {
            assertTrue(cursor.next());
            assertEquals(
                    List.of("line contains \"ine o\": text index: no whole word is required"),
                    cursor.statistics().plan());
        }
    }

    @Test
    void shouldCountAllChunksThatAreReadInVain() throws IOException {
        System.out.println("TextIndexLinesTest: -Dloom.test.seed=" + SEED);
        List<String> lines = new ArrayList<>(lines());
        Collections.shuffle(lines, random);
        write(lines);
        int units = MistakenUnits.write(store(), storeId(), random, 1);
        Where absent = new Where.Matches("line", TextQuery.parse("absent" + random.nextInt(1_000_000)));
        try (LoomReader reader = LoomReader.attach(store());
                Snapshot snapshot = reader.snapshot();
                QueryCursor cursor = RawScan.of(
                                snapshot, snapshot.source("lines").orElseThrow().id())
                        .where(absent)
                        .open()) {
            assertEquals(false, cursor.next());
            QueryStatistics work = cursor.statistics();
            assertTrue(
                    work.plan().get(0).contains("units=" + units + ", skipped=0, "),
                    () -> work.plan().get(0));
            assertTrue(chunks(work, 1) > 0);
            assertEquals(chunks(work, 1), chunks(work, 2));
            assertEquals(0, work.pagesSkippedByTokens());
        }
    }
}
