package dev.loom.cli.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.cli.Cli;
import dev.loom.format.Formats;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** On a store of random lines, one a millisecond, against what their words say. */
class SearchCommandTest {
    private static final long STEP_NS = 1_000_000L;
    private static final int LINES = 5_000;
    private static final String[] WORDS = {
        "Error", "error", "timeout", "refused", "refuse", "retry", "later", "ok", "users"
    };

    @TempDir
    static Path directory;

    private static final List<List<String>> LINE_WORDS = new ArrayList<>();

    private final Cli cli = Cli.on(directory.resolve("store"));

    @BeforeAll
    static void write() {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        System.out.println("SearchCommandTest: -Dloom.test.seed=" + seed);
        Random random = new Random(seed);
        AtomicLong clock = new AtomicLong(Cli.NOW_NS - 10_000 * STEP_NS);
        try (Loom loom = Loom.open(
                LoomConfig.at(directory.resolve("store")).clock(clock::get).build())) {
            int lines = loom.defineSource("app", Formats.text());
            int json = loom.defineSource("json", Formats.json());
            for (int i = 0; i < LINES; i++) {
                clock.addAndGet(STEP_NS);
                List<String> words = new ArrayList<>(List.of("line", Integer.toString(i)));
                for (int n = random.nextInt(6); n > 0; n--) {
                    words.add(WORDS[random.nextInt(WORDS.length)]);
                }
                String line = String.join(random.nextBoolean() ? " " : ", ", words);
                loom.push(lines, line.getBytes(StandardCharsets.UTF_8));
                loom.push(json, ("{\"msg\":\"" + line + "\",\"n\":" + i + "}").getBytes(StandardCharsets.UTF_8));
                LINE_WORDS.add(words.stream()
                        .map(word -> word.equals("Error") ? "error" : word)
                        .toList());
            }
        }
    }

    private static List<Integer> matching(Predicate<List<String>> matches) {
        List<Integer> numbers = new ArrayList<>();
        for (int i = LINES - 1; i >= 0; i--) {
            if (matches.test(LINE_WORDS.get(i))) {
                numbers.add(i);
            }
        }
        return numbers;
    }

    private List<Integer> search(String... arguments) {
        List<String> all = new ArrayList<>(List.of("search", "-o", "raw"));
        all.addAll(List.of(arguments));
        Pattern number = Pattern.compile("line,? (\\d+)");
        List<Integer> numbers = new ArrayList<>();
        for (String line : cli.run(all.toArray(String[]::new)).ok().lines()) {
            Matcher found = number.matcher(line);
            assertTrue(found.find(), line);
            numbers.add(Integer.valueOf(found.group(1)));
        }
        return numbers;
    }

    private static boolean hasPrefix(List<String> words, String prefix) {
        return words.stream().anyMatch(word -> word.startsWith(prefix));
    }

    private static boolean hasRetryLater(List<String> words) {
        return Collections.indexOfSubList(words, List.of("retry", "later")) >= 0;
    }

    @Test
    void shouldFindWhatTheWordsSay() {
        assertEquals(matching(words -> words.contains("error")), search("app", "ERROR"));
        assertEquals(List.of(77), search("app", "77"));
        assertEquals(matching(words -> hasPrefix(words, "refuse")), search("app", "refuse*"));
        Predicate<List<String>> all = words -> words.contains("error")
                && (words.contains("timeout") || hasPrefix(words, "refus"))
                && !hasRetryLater(words);
        String query = "error AND (timeout OR refus*) NOT \"retry later\"";
        assertEquals(matching(all), search("app", query));
        assertEquals(matching(all), search("json", query, "--field", "msg"));
        assertEquals(matching(all).subList(0, 3), search("app", query, "--limit", "3"));
        List<Integer> ascending = matching(all);
        Collections.reverse(ascending);
        assertEquals(ascending, search("app", query, "--asc"));
        assertEquals(
                matching(words -> words.contains("ok")).stream()
                        .filter(i -> i >= 2_000 && i < 3_000)
                        .toList(),
                search("json", "ok", "--field", "msg", "--where", "n >= 2000 and n < 3000"));
    }

    @Test
    void shouldCountInSteps() {
        List<Integer> expected = matching(words -> words.contains("timeout"));
        Cli.Result result =
                cli.run("search", "app", "timeout", "--count", "--step", "1s").ok();
        Pattern row = Pattern.compile("\\{\"from\":(\\d+),\"to\":(\\d+),\"count\":(\\d+),\"exact\":true}");
        long first = Cli.NOW_NS - 10_000 * STEP_NS + STEP_NS;
        long total = 0;
        for (String line : result.lines()) {
            Matcher found = row.matcher(line);
            assertTrue(found.matches(), line);
            long from = Long.parseLong(found.group(1));
            long to = Long.parseLong(found.group(2));
            long count = expected.stream()
                    .filter(i -> first + i * STEP_NS >= from && first + i * STEP_NS < to)
                    .count();
            assertEquals(count, Long.parseLong(found.group(3)), line);
            total += count;
        }
        assertEquals(expected.size(), total);
    }

    @Test
    void shouldSearchWhatIsSaidToBeTheText() {
        cli.run("source", "add", "orders", "--fields", "who:utf8,what:utf8", "--text", "what")
                .ok();
        cli.importText("orders", "csv", "who,what\nAnn,Tea and milk\nTea,Coffee\n")
                .ok();
        assertEquals("{\"who\":\"Ann\",\"what\":\"Tea and milk\"}\n", fields("search", "orders", "tea"));
        assertEquals("{\"who\":\"Tea\",\"what\":\"Coffee\"}\n", fields("search", "orders", "tea", "--field", "who"));
        assertEquals("{\"who\":\"Tea\",\"what\":\"Coffee\"}\n", fields("tail", "orders", "coffee OR milk", "-n", "1"));
        assertEquals(
                "{\"who\":\"Ann\",\"what\":\"Tea and milk\"}\n", fields("tail", "orders", "ann", "--field", "who"));
        cli.run("tail", "orders", "--field", "who").exit(2).says("--field requires a query");
        assertEquals(
                cli.run("search", "json", "7 OR 8", "--field", "msg").ok().out(),
                cli.run("scan", "json", "--where", "msg matches '7 OR 8'").ok().out());
    }

    @Test
    void shouldTellThatRecordsWithoutAnEventTimeAreNotCounted() {
        cli.importText("timed", "csv", "t,what\n1795229190000000000,Tea\n,Tea\n", "--event-time", "t")
                .ok();
        Cli.Result counted = cli.run("search", "timed", "tea", "--count", "--step", "1s", "--time", "event")
                .ok();
        assertTrue(counted.out().contains("\"count\":1,"), counted.out());
        assertTrue(counted.err().contains("records without an event time are left out"), counted.err());
    }

    /** Of event times that an index can't hold, or holds some of. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "jsonl | {'t':'2026-11-21T02:46:30Z','w':'tea'} | {'t':'2026-11-21T02:46:31.5Z','w':'tea'}",
                "jsonl | {'t':1795229190.25,'w':'tea'} | {'t':1795229191.5,'w':'tea'}",
                "jsonl | {'t':1795229190,'w':'tea'} | {'t':'2026-11-21T02:46:31.5Z','w':'tea'}",
                "jsonl | {'t':1795229190000,'w':'tea'} | {'t':1795229191.5,'w':'tea'}",
                "csv | 2026-11-21T02:46:30Z,tea | 2026-11-21T02:46:31.5Z,tea",
                "csv | 1795229190.25,tea | 1795229191.5,tea"
            })
    void shouldCountByEveryKindOfEventTime(String format, String first, String second, @TempDir Path own) {
        String header = format.equals("csv") ? "t,w\n" : "";
        String text = header + first.replace('\'', '"') + "\n" + second.replace('\'', '"') + "\n";
        Cli timed = Cli.onSmallStore(own);
        timed.importText("timed", format, text, "--event-time", "t").ok();
        List<String> counts = timed.run(
                        "search", "timed", "tea", "--field", "w", "--count", "--step", "1s", "--time", "event")
                .ok()
                .lines();
        assertEquals(2, counts.size(), counts.toString());
        assertTrue(counts.get(0).startsWith("{\"from\":1795229190000000000,"), counts.get(0));
        assertTrue(counts.stream().allMatch(line -> line.contains("\"count\":1,\"exact\":true")), counts.toString());
    }

    @Test
    void shouldTellThatNoRecordHasAnEventTime() {
        cli.importText("untimed", "jsonl", "{\"t\":\"soon\",\"w\":\"tea\"}\n", "--event-time", "t")
                .ok();
        Cli.Result counted = cli.run("search", "untimed", "tea", "--field", "w", "--count", "--time", "event")
                .ok();
        assertEquals(
                "loom: no records in the range\nloom: records without an event time are left out\n", counted.err());
    }

    private String fields(String... arguments) {
        return cli.run(arguments).ok().out().replaceAll("(?m)^.*\"fields\":(.*)}$", "$1");
    }

    @Test
    void shouldRefuseWhatItCannotSearch() {
        cli.run("search", "app", "a OR")
                .exit(2)
                .says("text query: expected a word, a phrase, NOT or (, found the end: position=4, query=a OR");
        Cli.Result noText = cli.run("search", "json", "a").exit(2);
        assertTrue(noText.err().contains("source has no text field: json"), noText.err());
        assertTrue(
                cli.run("search", "app", "a", "--field", "b").exit(2).err().contains("unknown field: field=b"),
                "unknown field");
        assertTrue(cli.run("search", "app", "a", "--step", "1s").exit(2).err().contains("--step requires --count"));
        for (String option : new String[] {"--limit=5", "--asc", "--fields=line", "--addr"}) {
            cli.run("search", "app", "a", "--count", option)
                    .exit(2)
                    .says(option.replaceFirst("=.*", "") + " is for records, which --count does not print");
        }
        cli.environment("LOOM_LIMIT", "5");
        cli.run("search", "app", "a", "--count").ok();
        assertTrue(cli.run("source", "add", "x", "--format", "text", "--text", "b")
                .exit(2)
                .err()
                .contains("unknown field"));
    }
}
