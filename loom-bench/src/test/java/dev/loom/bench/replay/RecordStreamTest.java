package dev.loom.bench.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Records as functions of their numbers. {@code -Dloom.test.seed=S} gives the seed. */
final class RecordStreamTest {
    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final ReplayPlan redis = new ReplayPlan(ReplayWorkload.REDIS, 3, 0.0013, 7_000, seed, 1);
    private final ReplayPlan rocksDb = new ReplayPlan(ReplayWorkload.ROCKSDB, 3, 0.0013, 7_000, seed, 1);

    @BeforeEach
    void printSeed() {
        System.out.println("RecordStreamTest: -Dloom.test.seed=" + seed);
    }

    private RecordStream stream(ReplaySource source) {
        return new RecordStream(redis.workload().sources(3).contains(source) ? redis : rocksDb, source);
    }

    @ParameterizedTest
    @EnumSource(ReplaySource.class)
    void shouldFindTheFirstRecordFromATime(ReplaySource source) {
        final RecordStream stream = stream(source);
        final SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < 10_000; i++) {
            final long number = random.nextLong(1, 10_000_000_000L);
            final long timeNs = stream.timeNs(number);
            assertEquals(number, stream.firstFrom(timeNs));
            assertEquals(number + 1, stream.firstFrom(timeNs + 1));
            assertEquals(number, stream.firstFrom(stream.timeNs(number - 1) + 1));
        }
        assertEquals(0, stream.firstFrom(ReplayPlan.BEGIN_NS));
        assertEquals(0, stream.firstFrom(ReplayPlan.BEGIN_NS - 1));
        assertTrue(stream.timeNs(stream.records() - 1) < ReplayPlan.BEGIN_NS + redis.lengthNs());
        assertTrue(stream.timeNs(stream.records()) >= ReplayPlan.BEGIN_NS + redis.lengthNs());
    }

    @ParameterizedTest
    @EnumSource(ReplaySource.class)
    void shouldWriteWhatItsFormatReads(ReplaySource source) {
        final RecordStream stream = stream(source);
        final PayloadFormat format = Formats.parse(source.kind().format());
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[source.kind().lengthMax() + 3]);
        for (long number = 0; number < 2_000; number++) {
            final int length = stream.write(number, buffer, 3);
            assertTrue(length <= source.kind().lengthMax());
            assertEquals(stream.timeNs(number), field(format, "ts_ns", buffer, length));
            assertEquals(number, field(format, "number", buffer, length));
            if (source.kind().hasLatency()) {
                assertEquals(stream.latencyNs(number), field(format, "latency_ns", buffer, length));
            }
            switch (source.kind()) {
                case REQUEST -> assertTrue(field(format, "thread", buffer, length) < 8);
                case CALL -> assertEquals(stream.call(number), field(format, "call", buffer, length));
                case PACKET -> {
                    final boolean toRedis = field(format, "dport", buffer, length) == RecordStream.REDIS_PORT
                            || field(format, "sport", buffer, length) == RecordStream.REDIS_PORT;
                    assertNotEquals(stream.isMangled(number), toRedis);
                    assertEquals(
                            length,
                            RecordKind.DATA_OFFSET + field(format, "caplen", buffer, length) - 66,
                            "length of the data");
                }
                default -> assertEquals(1, field(format, "kind", buffer, length));
            }
        }
    }

    private static long field(PayloadFormat format, String name, UnsafeBuffer buffer, int length) {
        final FieldReader reader = format.field(name);
        final FieldValue value = new FieldValue();
        reader.read(buffer, 3, length, value);
        return value.longValue();
    }

    @Test
    void shouldPlantEventsWhoseRecordsFollowEachOther() {
        final RecordStream requests = stream(ReplaySource.REDIS_REQUESTS);
        final RecordStream calls = stream(ReplaySource.REDIS_CALLS);
        final RecordStream packets = stream(ReplaySource.REDIS_PACKETS);
        assertTrue(requests.planted().length > 30, "planted=" + requests.planted().length);
        for (final long number : requests.planted()) {
            final int event = requests.event(number);
            final long packetNs = packets.timeNs(planted(packets, event));
            final long callNs = calls.timeNs(planted(calls, event));
            assertTrue(packetNs < callNs && callNs <= requests.timeNs(number) + 1_000_000);
            assertEquals(SystemCalls.RECV, calls.call(planted(calls, event)));
            assertTrue(calls.latencyNs(planted(calls, event)) >= ReplayQuestion.plantedLatencyNs());
            assertTrue(requests.latencyNs(number) >= ReplayQuestion.plantedLatencyNs());
            assertTrue(packets.isMangled(planted(packets, event)));
        }
    }

    private static long planted(RecordStream stream, int event) {
        for (final long number : stream.planted()) {
            if (stream.event(number) == event) {
                return number;
            }
        }
        throw new AssertionError("event has no record: event=" + event + ", source=" + stream.source());
    }

    @Test
    void shouldHaveNoOtherRecordsLikeThosePlanted() {
        final RecordStream requests = stream(ReplaySource.REDIS_REQUESTS);
        final List<Long> slow = new ArrayList<>();
        for (long number = 0; number < requests.records(); number++) {
            if (requests.latencyNs(number) >= ReplayQuestion.plantedLatencyNs()) {
                slow.add(number);
            }
        }
        assertEquals(java.util.Arrays.stream(requests.planted()).boxed().toList(), slow);
    }

    @Test
    void shouldBeTheSameInAnyOrder() {
        final RecordStream ascending = stream(ReplaySource.REDIS_REQUESTS);
        final RecordStream any = stream(ReplaySource.REDIS_REQUESTS);
        final SplittableRandom random = new SplittableRandom(seed);
        final long[] latencies = new long[(int) ascending.records()];
        for (int number = 0; number < latencies.length; number++) {
            latencies[number] = ascending.latencyNs(number);
        }
        for (int i = 0; i < 20_000; i++) {
            final int number = random.nextInt(latencies.length);
            assertEquals(latencies[number], any.latencyNs(number));
        }
        for (final long number : ascending.planted()) {
            assertEquals(latencies[(int) number], any.latencyNs(number));
        }
    }

    @Test
    void shouldSampleAboutATenth() {
        final RecordStream stream = new RecordStream(
                new ReplayPlan(ReplayWorkload.REDIS, 1, 0.1, 7_000, seed, 0.1), ReplaySource.REDIS_REQUESTS);
        int offered = 0;
        for (long number = 0; number < 100_000; number++) {
            offered += stream.isOffered(number) ? 1 : 0;
        }
        assertEquals(10_000, offered, 800);
    }

    @Test
    void shouldCountAsManyCallsOfAKindAsThePaper() {
        final RecordStream calls = stream(ReplaySource.ROCKSDB_CALLS);
        int preads = 0;
        for (long number = 0; number < 100_000; number++) {
            preads += calls.call(number) == SystemCalls.PREAD64 ? 1 : 0;
        }
        assertEquals(100_000 * 250_000.0 / 3_200_000, preads, 600);
    }

    @Test
    void shouldListPlantedRecordsInTheFile(@TempDir Path directory) throws Exception {
        final Path file = directory.resolve("truth.csv");
        GroundTruth.write(redis, file);
        final List<String> lines = Files.readAllLines(file);
        int planted = 0;
        for (final ReplaySource source : redis.workload().sources(3)) {
            planted += stream(source).planted().length;
        }
        assertEquals("source,event,number,ts_ns,latency_ns", lines.get(0));
        assertEquals(planted, lines.size() - 1);
        assertFalse(lines.get(1).endsWith(","));
    }
}
