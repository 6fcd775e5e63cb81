package dev.loom.bench.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongPredicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Sinks within this JVM and the oracle give the same answers. {@code -Dloom.test.seed=S} gives the seed. */
final class SinkTest {
    private static final long SLICE_NS = 2_000_000;

    /** A window then has more than 20,000 requests, so that two are above their tail. */
    private static final double SCALE = 0.08;

    private static final long MILLIS = 2_000;

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());

    @TempDir
    private Path directory;

    @BeforeEach
    void printSeed() {
        System.out.println("SinkTest: -Dloom.test.seed=" + seed);
    }

    private static List<ReplayQuestion> questions(ReplayPlan plan) {
        final List<ReplayQuestion> questions = new ArrayList<>();
        for (int phase = 1; phase <= plan.phase(); phase++) {
            final ReplayPlan ofPhase =
                    new ReplayPlan(plan.workload(), phase, plan.scale(), plan.millis(), plan.seed(), plan.sample());
            for (int round = 0; round < ReplayPlan.ROUNDS; round++) {
                questions.addAll(ReplayQuestion.of(ofPhase, round));
            }
        }
        if (plan.workload() == ReplayWorkload.REDIS) {
            questions.addAll(ReplayQuestion.ofPlanted(plan));
        }
        return questions;
    }

    private String ask(SinkProcess process, ReplayQuestion question) {
        final String answer = process.answer("ask\t" + question.text());
        assertTrue(answer.startsWith("ok\t"), answer);
        return answer.split("\t", -1)[2];
    }

    @ParameterizedTest
    @EnumSource(
            value = SinkKind.class,
            names = {"LOOM", "LOOM_UNINDEXED", "RAWFILE", "ROCKSDB", "LMDB", "QUESTDB", "DUCKDB"})
    void shouldAnswerWhatTheOracleKnows(SinkKind kind) throws Exception {
        for (final ReplayWorkload workload : ReplayWorkload.values()) {
            final ReplayPlan plan = new ReplayPlan(workload, 3, SCALE, MILLIS, seed, 1);
            try (SinkProcess process = process(kind, plan)) {
                replay(process, plan);
                assertEquals("ok\t", process.answer("settle"));
                for (final ReplayQuestion question : questions(plan)) {
                    final ReplayAnswer truth = Oracle.answer(plan, question);
                    assertTrue(truth.count() > 0 || truth.value() > 0, question.toString());
                    assertEquals(truth.text(), ask(process, question), question.toString());
                }
                assertTrue(process.answer("bytes").length() > "ok\t".length());
                assertTrue(process.answer("cpu").length() > "ok\t".length());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = SinkKind.class,
            names = {"LOOM", "RAWFILE", "ROCKSDB", "LMDB", "QUESTDB", "DUCKDB"})
    void shouldKnowNothingOfItsWarmUp(SinkKind kind) throws Exception {
        final ReplayPlan plan = new ReplayPlan(ReplayWorkload.REDIS, 2, 0.01, 300, seed, 1);
        try (SinkProcess process = process(kind, plan)) {
            assertEquals("ok\t", process.answer("warm-up\t0"));
            replay(process, plan);
            for (final ReplaySource source : plan.workload().sources(plan.phase())) {
                final ReplayQuestion all = ReplayQuestion.ofAll(source);
                assertEquals(Oracle.answer(plan, all).text(), ask(process, all));
            }
        }
        try (var left = Files.list(directory.resolve("warm-up"))) {
            assertEquals(0, left.count());
        }
    }

    private SinkProcess process(SinkKind kind, ReplayPlan plan) throws Exception {
        final Path files = Files.createTempDirectory(directory, "files");
        final Path staging = Files.createTempDirectory(directory, "staging");
        return new SinkProcess(
                kind, new SinkSettings(plan, files, staging, new SinkPrograms("", Path.of(""), "", "", "")));
    }

    private static void replay(SinkProcess process, ReplayPlan plan) throws Exception {
        try (SocketChannel sending =
                SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), process.port()))) {
            new Replay(plan, SLICE_NS, 4, false)
                    .run(sending, new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8));
        }
    }

    @Test
    void shouldSayWhyItCannotAnswer() throws Exception {
        final ReplayPlan plan = new ReplayPlan(ReplayWorkload.REDIS, 1, 0.01, 100, seed, 1);
        try (SinkProcess process = process(SinkKind.LOOM, plan)) {
            replay(process, plan);
            final ReplayQuestion packets = ReplayQuestion.ofPlanted(plan).get(1);
            final String answer = process.answer("ask\t" + packets.text());
            assertTrue(answer.startsWith("error\t") && answer.contains("no such source"), answer);
            assertTrue(process.answer("nonsense").startsWith("error\t"));
        }
    }

    @Test
    void shouldSayThatTheReplayBroke() throws Exception {
        final ReplayPlan plan = new ReplayPlan(ReplayWorkload.REDIS, 1, 0.01, 100, seed, 1);
        try (SinkProcess process = process(SinkKind.RAWFILE, plan)) {
            SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), process.port()))
                    .close();
            final String answer =
                    process.answer("ask\t" + ReplayQuestion.of(plan, 0).get(0).text());
            assertTrue(answer.startsWith("error\t") && answer.contains("replay ended"), answer);
        }
    }

    /** By sorting, of records one at a time. */
    @Test
    void shouldKnowTheTruth() {
        final ReplayPlan plan = new ReplayPlan(ReplayWorkload.REDIS, 3, SCALE, MILLIS, seed, 1);
        for (final ReplayQuestion question : questions(plan)) {
            final RecordStream stream = new RecordStream(plan, question.source());
            final ReplayAnswer truth = Oracle.answer(plan, question);
            final long[] latencies = latencies(stream, question, number -> true);
            switch (question.form()) {
                case ABOVE_TAIL -> {
                    final long tail = latencies[Math.toIntExact((latencies.length * 9_999L + 9_999) / 10_000) - 1];
                    assertEquals(tail, truth.value());
                    final long above = Arrays.stream(latencies)
                            .filter(latency -> latency > tail)
                            .count();
                    assertEquals(above, truth.count());
                    assertEquals(above, truth.numbers().size());
                }
                case LARGEST -> {
                    assertEquals(latencies[latencies.length - 1], truth.value());
                    assertTrue(stream.event(truth.numbers().get(0)) >= 0);
                }
                case PLANTED, MANGLED -> assertEquals(stream.planted().length, truth.count());
                default -> assertTrue(truth.count() > 0);
            }
        }
    }

    private static long[] latencies(RecordStream stream, ReplayQuestion question, LongPredicate condition) {
        if (!question.source().kind().hasLatency()) {
            return new long[0];
        }
        final List<Long> latencies = new ArrayList<>();
        for (long number = 0; number < stream.records(); number++) {
            if (stream.timeNs(number) >= question.fromNs()
                    && stream.timeNs(number) < question.toNs()
                    && condition.test(number)
                    && (question.call() == SystemCalls.ANY || stream.call(number) == question.call())) {
                latencies.add(stream.latencyNs(number));
            }
        }
        return latencies.stream().mapToLong(Long::longValue).sorted().toArray();
    }
}
