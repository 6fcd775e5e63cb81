package dev.loom.bench.search;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The chosen questions, their answers as told while the log is written, and those of stores, against regular expressions. */
final class AnswersTest {
    private static final int LINES = 5_000;
    private static final int WORDS = 8;

    @TempDir
    private Path directory;

    private long seed;
    private List<QuestionClass> classes = List.of();
    private List<String> lines = List.of();
    private final Map<SearchQuestion, List<String>> matching = new HashMap<>();
    private AnswerTally tally = new AnswerTally(ReplicaLog.corpus(), new LogReplica(ReplicaLog.corpus(), 0), List.of());

    @BeforeEach
    void writeLog() throws IOException {
        seed = Long.getLong("loom.test.seed", System.nanoTime());
        System.out.println("loom.test.seed=" + seed);
        final LogCorpus corpus = ReplicaLog.corpus();
        final LogReplica replica = new LogReplica(corpus, seed);
        classes = new QuestionChoice(corpus, replica, LINES, WORDS, seed).choose();
        tally = new AnswerTally(corpus, replica, classes);
        lines = ReplicaLog.lines(replica, LINES, tally);
    }

    private List<String> matching(SearchQuestion question) {
        return matching.computeIfAbsent(question, this::find);
    }

    private List<String> find(SearchQuestion question) {
        final String end = question.kind() == SearchQuestion.Kind.PREFIX ? "" : "\\b";
        final List<Pattern> words = question.words().stream()
                .map(word -> Pattern.compile("\\b" + word + end, Pattern.CASE_INSENSITIVE))
                .toList();
        return lines.stream()
                .filter(line ->
                        words.stream().allMatch(word -> word.matcher(line).find()))
                .toList();
    }

    private Answer answer(SearchQuestion question) {
        final List<String> matching = matching(question);
        if (question.kind() == SearchQuestion.Kind.COUNT) {
            return new Answer(0, matching.size(), List.of());
        }
        final List<String> ids = new ArrayList<>(
                matching.subList(Math.max(0, matching.size() - SearchQuestion.LIMIT), matching.size()).stream()
                        .map(ReplicaLog::id)
                        .toList());
        Collections.reverse(ids);
        return new Answer(0, ids.size(), ids);
    }

    @Test
    void shouldKnowTheAnswers() {
        for (QuestionClass each : classes) {
            assertTrue(!each.questions().isEmpty(), each.name());
            for (SearchQuestion question : each.questions()) {
                assertEquals(answer(question), tally.expected(question), question.toString());
                assertEquals(matching(question).size(), tally.lines(question), question.toString());
            }
        }
    }

    /** Other than above, no id leads to the line. */
    @Test
    void shouldKnowTheLineOfATime() throws IOException {
        final LogReplica replica = new LogReplica(ReplicaLog.corpus(), seed);
        final SearchQuestion question = SearchQuestion.words(replica.microsWord(17));
        tally = new AnswerTally(
                ReplicaLog.corpus(),
                replica,
                List.of(new QuestionClass(QuestionClass.Table.FULL_TEXT, "time", List.of(question))));
        lines = ReplicaLog.lines(replica, LINES, tally);
        assertEquals(answer(question), tally.expected(question));
        assertTrue(tally.expected(question).ids().contains(replica.id(17)), question.toString());
    }

    /** At 5,000 lines a rare word is one that a few lines have. */
    @Test
    void shouldChooseWordsByTheirFrequency() {
        for (QuestionClass each : classes) {
            for (SearchQuestion question : each.questions()) {
                final long count = matching(question).size();
                switch (each.name()) {
                    case "low" -> assertTrue(count > 0 && count < 10, question.toString());
                    case "high" -> assertTrue(count >= LINES * 0.09, question.toString());
                    case "absent" -> assertEquals(0, count, question.toString());
                    case "low, low", "low, high" -> assertTrue(count < 10, question.toString());
                    default -> assertTrue(count > 0, question.toString());
                }
            }
        }
    }

    /** {@code User} and {@code user} are one word to Loom, and two to ClickHouse; {@code blk_388} is one, or {@code blk} and 388. */
    @Test
    void shouldChooseOnlyWordsThatAllEnginesSeeAlike() {
        final List<String> words = classes.stream()
                .filter(each -> each.table() != QuestionClass.Table.PREFIX)
                .flatMap(each -> each.questions().stream())
                .flatMap(question -> question.words().stream())
                .toList();
        for (String word : List.of("user", "User", "block", "BLOCK", "pam_unix", "pam", "unix", "blk", "388")) {
            assertTrue(!words.contains(word), word);
        }
        assertTrue(words.containsAll(List.of("dfs", "DataNode", "combo")), words.toString());
    }

    @Test
    void shouldGetTheSameAnswersFromStores() throws IOException {
        final Path log = Files.write(directory.resolve("log"), lines);
        for (boolean rows : new boolean[] {false, true}) {
            try (LoomSide side = new LoomSide(directory.resolve("store" + rows), directory, rows, 1 << 18)) {
                side.ingest(log);
                side.open();
                for (QuestionClass each : classes) {
                    for (SearchQuestion question : each.questions()) {
                        side.ask(question).check(side.name(), question, answer(question));
                        checkCounted(side, question);
                    }
                }
            }
        }
    }

    private void checkCounted(LoomSide side, SearchQuestion question) {
        final List<CountRound> rounds = side.estimate(question, true);
        final CountRound last = rounds.get(rounds.size() - 1);
        assertEquals(matching(question).size(), last.counts().count(), question.toString());
        assertTrue(last.counts().isExact(), question.toString());
        final EstimateErrors errors = new EstimateErrors();
        if (last.counts().count() > 0) {
            errors.add(last, last.counts());
            assertEquals(0, errors.mostOfSums(), question.toString());
            assertEquals(0, errors.meanOfSteps(), question.toString());
            assertEquals(1, errors.sumsHeld(), question.toString());
            assertEquals(1, errors.stepsHeld(), question.toString());
        }
    }

    @Test
    void shouldRefuseAWrongAnswer() {
        final SearchQuestion question = classes.get(0).questions().get(0);
        final Answer expected = tally.expected(question);
        final Answer wrong = new Answer(1, expected.count(), List.of("0123456789abcdef"));
        assertThrows(IllegalStateException.class, () -> wrong.check("side", question, expected));
        assertThrows(IllegalStateException.class, () -> new Answer(1, 0, List.of()).check("side", question, expected));
    }
}
