package dev.loom.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.api.Snapshot;
import dev.loom.format.Formats;
import dev.loom.log.PageDescriptor;
import dev.loom.query.model.Completeness;
import dev.loom.query.model.QueryBudget;
import dev.loom.query.model.QueryIndex;
import dev.loom.query.model.QueryMemory;
import dev.loom.query.model.TimeRange;
import dev.loom.query.where.Where;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.LongPredicate;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Estimates of counts against what was pushed: words are rare and frequent, and come in bursts. {@code -Dloom.count.queries=N} for a long
 * run, {@code -Dloom.test.seed=N} to repeat one.
 */
final class ProgressiveCountTest {
    private static final long SEED = Long.getLong("loom.test.seed", System.nanoTime());
    private static final int QUERIES = Integer.getInteger("loom.count.queries", 300);
    private static final int ROWS = 150_000;
    private static final int WORDS = 40;
    private static final String FILLER = " ".repeat(460);

    @TempDir
    static Path temp;

    private static Loom loom;
    private static int source;
    /** The words of each row, a bit each; its time is its number. */
    private static final long[] HAS = new long[ROWS];

    private final Random random = new Random(SEED);

    @BeforeAll
    static void fill() {
        System.out.println("ProgressiveCountTest: -Dloom.test.seed=" + SEED);
        Random random = new Random(SEED);
        long[] nowNs = {0};
        loom = Loom.open(LoomConfig.at(temp.resolve("store"))
                .textIndexShare(1)
                .clock(() -> nowNs[0])
                .build());
        source = loom.defineSource("log", Formats.text());
        double[] usual = new double[WORDS];
        for (int i = 0; i < WORDS; i++) {
            usual[i] = Math.exp(-random.nextDouble() * 7) * 0.5;
        }
        double[] now = usual.clone();
        UnsafeBuffer payload = new UnsafeBuffer(new byte[2_000]);
        for (int row = 0; row < ROWS; row++) {
            if (row % 700 == 0) {
                int word = random.nextInt(WORDS);
                now[word] = Math.min(1, usual[word] * Math.exp(random.nextGaussian()));
            }
            StringBuilder line = new StringBuilder("row").append(row);
            for (int i = 0; i < WORDS; i++) {
                if (random.nextDouble() < now[i]) {
                    HAS[row] |= 1L << i;
                    line.append(" word").append(i);
                }
            }
            byte[] bytes = line.append(FILLER).toString().getBytes(StandardCharsets.US_ASCII);
            payload.putBytes(0, bytes);
            nowNs[0] = row;
            loom.push(source, payload, 0, bytes.length);
        }
        assertTrue(loom.finishTextIndex((done, total) -> true));
    }

    @AfterAll
    static void close() {
        loom.close();
    }

    /** A condition, and which rows meet it. */
    private record Asked(String expression, LongPredicate meets) {}

    private Asked any() {
        int one = random.nextInt(WORDS);
        int other = random.nextInt(WORDS);
        return switch (random.nextInt(6)) {
            case 0 -> asked("word" + one + " word" + other, has -> (has >> one & has >> other & 1) == 1);
            case 1 -> asked("word" + one + " OR word" + other, has -> ((has >> one | has >> other) & 1) == 1);
            case 2 -> asked("word" + one + " NOT word" + other, has -> (has >> one & ~(has >> other) & 1) == 1);
            default -> asked("word" + one, has -> (has >> one & 1) == 1);
        };
    }

    private static Asked asked(String text, LongPredicate meets) {
        return new Asked("line matches '" + text + "'", meets);
    }

    private static long count(Asked asked, TimeRange range) {
        long count = 0;
        for (int row = (int) Math.max(0, range.fromNs()); row < Math.min(ROWS, range.toNs()); row++) {
            count += asked.meets().test(HAS[row]) ? 1 : 0;
        }
        return count;
    }

    private ProgressiveCount query(Snapshot snapshot, Asked asked) {
        return ProgressiveCount.of(snapshot, source)
                .where(Where.parse(asked.expression()))
                .seed(random.nextLong());
    }

    private TimeRange range() {
        int one = random.nextInt(ROWS / 10);
        return new TimeRange(one, one + ROWS / 2 + random.nextInt(ROWS / 2));
    }

    /** How often intervals of unfinished counts have the true count. */
    private static final class Coverage {
        private long held;
        private long asked;

        void add(long low, long high, long truth) {
            asked++;
            held += low <= truth && truth <= high ? 1 : 0;
        }

        double share() {
            return (double) held / asked;
        }
    }

    @Test
    void shouldHoldTheCountInNineteenOfTwentyIntervals() {
        Coverage sums = new Coverage();
        Coverage steps = new Coverage();
        try (Snapshot snapshot = loom.snapshot()) {
            for (int i = 0; i < QUERIES; i++) {
                Asked asked = any();
                TimeRange range = range();
                int parts = 1 + random.nextInt(4);
                int rounds = random.nextInt(20) == 0 ? 2 : 1; // the survey's are bounds, and always right
                ProgressiveCount.Counts counts = query(snapshot, asked)
                        .range(range)
                        .step(Duration.ofNanos((range.toNs() - range.fromNs()) / parts + 1))
                        .firstSample(40)
                        .use(QueryIndex.CHUNK, random.nextInt(4) > 0)
                        .use(QueryIndex.TEXT, random.nextInt(4) > 0)
                        .run(found -> found.round() < rounds);
                if (!counts.isExact()) {
                    sums.add(counts.low(), counts.high(), count(asked, range));
                }
                for (int step = 0; step < counts.steps(); step++) {
                    assertTrue(counts.low(step) <= counts.count(step) && counts.count(step) <= counts.high(step));
                    if (!counts.isExact(step)) {
                        steps.add(counts.low(step), counts.high(step), count(asked, counts.range(step)));
                    }
                }
            }
        }
        String found = "sums " + sums.share() + " of " + sums.asked + ", steps " + steps.share() + " of " + steps.asked;
        System.out.println("ProgressiveCountTest: intervals that hold the count: " + found);
        assertTrue(sums.asked > QUERIES / 2, found);
        // six standard errors; steps of one query depend on each other
        double error = Math.sqrt(0.95 * 0.05 / sums.asked);
        double errorOfSteps = 2 * Math.sqrt(0.95 * 0.05 / steps.asked);
        assertTrue(sums.share() > Math.min(0.9, 0.95 - 6 * error), found);
        assertTrue(steps.share() > Math.min(0.9, 0.95 - 6 * errorOfSteps), found);
        double widest = QUERIES < 1_000 ? 1 : 0.995;
        assertTrue(sums.share() < widest || steps.share() < widest, "too wide: " + found);
    }

    @Test
    void shouldEndWithTheExactCount() {
        try (Snapshot snapshot = loom.snapshot()) {
            for (int i = 0; i < 40; i++) {
                Asked asked = any();
                TimeRange range = range();
                long stepNs = 1L + random.nextInt(ROWS);
                List<Long> read = new ArrayList<>();
                ProgressiveCount.Counts counts = query(snapshot, asked)
                        .range(range)
                        .step(Duration.ofNanos(stepNs))
                        .firstSample(1 + random.nextInt(200))
                        .use(QueryIndex.CHUNK, random.nextInt(4) > 0)
                        .use(QueryIndex.TEXT, random.nextInt(4) > 0)
                        .run(round -> {
                            read.add(round.statistics().pagesRead());
                            return true;
                        });
                assertTrue(counts.isExact() && counts.completeness().complete());
                assertEquals(count(asked, range), counts.count(), asked.expression());
                for (int step = 0; step < counts.steps(); step++) {
                    assertEquals(count(asked, counts.range(step)), counts.count(step), asked.expression());
                    assertEquals(counts.low(step), counts.high(step));
                }
                assertEquals(read.stream().sorted().toList(), read);
                // no page is read twice, except those without a directory yet
                assertTrue(counts.statistics().pagesRead() <= ROWS / 100, read::toString);
            }
        }
    }

    @Test
    void shouldTellTheMostThereCanBeWithoutReading() {
        try (Snapshot snapshot = loom.snapshot()) {
            int told = 0;
            int near = 0;
            for (int word = 0; word < WORDS; word++) {
                int bit = word;
                Asked asked = asked("word" + word, has -> (has >> bit & 1) == 1);
                long truth = count(asked, TimeRange.ALL);
                ProgressiveCount.Counts survey =
                        query(snapshot, asked).firstSample(100).run(round -> false);
                if (survey.round() == 0 && !survey.isExact()) {
                    told++;
                    assertTrue(survey.statistics().pagesRead() < 10);
                    assertFalse(survey.isExact());
                    assertEquals(survey.high(), survey.count());
                    assertTrue(survey.high() >= truth, asked.expression());
                    near += survey.high() < 1.3 * truth + 300 ? 1 : 0; // other words may share its counts
                }
            }
            assertTrue(told > WORDS / 3 && near > told * 2 / 3, "told=" + told + ", near=" + near);
        }
    }

    @Test
    void shouldCountAtOnceWhereLittleIsLeftToRead() {
        try (Snapshot snapshot = loom.snapshot()) {
            int[] rounds = {0};
            ProgressiveCount.Counts counts = ProgressiveCount.of(snapshot, source)
                    .where(Where.parse("line matches 'row777 OR row140000 OR row555555'"))
                    .run(round -> ++rounds[0] > 0);
            assertEquals(0, rounds[0]);
            assertEquals(2, counts.count());
            assertTrue(counts.isExact());
            assertTrue(counts.statistics().pagesRead() < 20);
        }
    }

    @Test
    void shouldEndWithAnEstimateAtALimit() {
        try (Snapshot snapshot = loom.snapshot()) {
            Asked asked = asked("word1 OR word2 OR word3", has -> (has & 14) > 0);
            ProgressiveCount.Counts counts = query(snapshot, asked)
                    .use(QueryIndex.CHUNK, false)
                    .use(QueryIndex.TEXT, false)
                    .firstSample(50)
                    .budget(new QueryBudget(20 << 20, Duration.ofDays(1)))
                    .run();
            assertFalse(counts.isExact());
            assertEquals(Completeness.Limit.BYTES, counts.completeness().limit());
            long truth = count(asked, TimeRange.ALL);
            assertTrue(Math.abs(counts.count() - truth) < truth / 2, counts.count() + " of " + truth);
        }
    }

    @Test
    void shouldReserveTheMemoryOfItsSteps() {
        QueryMemory memory = new QueryMemory(8 << 20);
        try (Snapshot snapshot = loom.snapshot()) {
            Asked asked = asked("word1", has -> (has & 2) > 0);
            query(snapshot, asked)
                    .memory(memory)
                    .range(new TimeRange(0, ROWS))
                    .step(Duration.ofNanos(10))
                    .run();
            assertThrows(
                    QueryMemory.Exhausted.class,
                    () -> query(snapshot, asked)
                            .memory(memory)
                            .range(new TimeRange(0, ROWS))
                            .step(Duration.ofNanos(1))
                            .run());
            ProgressiveCount endless = query(snapshot, asked).step(Duration.ofNanos(10));
            assertThrows(IllegalArgumentException.class, endless::run);
            ProgressiveCount many = query(snapshot, asked)
                    .range(new TimeRange(0, ProgressiveCount.STEPS_MAX + 1L))
                    .step(Duration.ofNanos(1));
            assertThrows(IllegalArgumentException.class, many::run);
        }
    }

    /** The sample grows from 32 chunks to all of some 300; each round finds the damage in those that it reads. */
    @Test
    void shouldReportTheDamagedPagesOfAllRounds() throws IOException {
        Path store = temp.resolve("damaged");
        int damaged;
        try (Loom other = Loom.open(LoomConfig.at(store).build())) {
            damaged = other.defineSource("log", Formats.text());
            UnsafeBuffer payload = new UnsafeBuffer(new byte[1_000]);
            for (int i = 0; i < 20_000; i++) {
                payload.putStringWithoutLengthAscii(0, "word" + i % 3 + FILLER + FILLER);
                other.push(damaged, payload, 0, payload.capacity());
            }
        }
        try (Stream<Path> segments = Files.list(store.resolve("record"))) {
            for (Path segment : segments.toList()) {
                byte[] bytes = Files.readAllBytes(segment);
                for (int at = 10 * PageDescriptor.PAGE_LENGTH - 1;
                        at < bytes.length;
                        at += 10 * PageDescriptor.PAGE_LENGTH) {
                    bytes[at] ^= 1;
                }
                Files.write(segment, bytes);
            }
        }
        List<Long> found = new ArrayList<>();
        try (LoomReader reader = LoomReader.attach(store);
                Snapshot snapshot = reader.snapshot();
                QueryCursor scan = RawScan.of(snapshot, damaged).open()) {
            scan.forEach((timeNs, buffer, offset, length) -> {});
            ProgressiveCount.Counts counts = ProgressiveCount.of(snapshot, damaged)
                    .where(Where.parse("line matches 'word1'"))
                    .use(QueryIndex.TEXT, false)
                    .firstSample(1)
                    .seed(random.nextLong())
                    .run(round -> found.add(round.completeness().damagedPages()));
            found.add(counts.completeness().damagedPages());
            assertTrue(found.stream().distinct().count() > 2, found::toString);
            assertEquals(
                    scan.completeness().damagedPages(), counts.completeness().damagedPages());
            assertTrue(counts.isExact());
        }
    }
}
