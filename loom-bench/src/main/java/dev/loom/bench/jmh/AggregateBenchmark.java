package dev.loom.bench.jmh;

import dev.loom.api.Bins;
import dev.loom.bench.query.Question;
import dev.loom.bench.query.SimulatedCapture;
import dev.loom.bench.query.TelemetryStore;
import dev.loom.bench.query.ValuesInMemory;
import java.math.BigInteger;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Time of totals and of exact percentiles over a whole source, from its indexes in the page cache: by summaries of runs of chunks, by those
 * of each chunk, and by the least code for it, loops over the values in an array. Answers are equal.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@SuppressWarnings("NullAway.Init") // JMH sets the fields
public class AggregateBenchmark {
    private static final long INTERVAL_NS = 1_000;

    /** The maximum, or an exact percentile. */
    @Param({"max", "p99.99", "p99", "p50"})
    public String question;

    @Param("log-linear:3+values")
    public String bins;

    @Param("10000000")
    public long records;

    private TelemetryStore store;
    private ValuesInMemory values;
    private Question ofRuns;
    private Question ofChunks;
    private List<BigInteger> expected;

    @Setup(Level.Trial)
    public void write(BenchmarkDirectories directories) {
        final SimulatedCapture telemetry = SimulatedCapture.ofCalls(records, INTERVAL_NS);
        store = new TelemetryStore(
                directories.diskPath(), directories.stagingPath(), telemetry, Bins.parse(bins), false, false);
        values = new ValuesInMemory(telemetry);
        ofRuns = question(telemetry, true);
        ofChunks = question(telemetry, false);
        expected = List.of(BigInteger.valueOf(limit()));
    }

    private Question question(SimulatedCapture telemetry, boolean rollups) {
        return Question.ofIndex(telemetry, rollups).stream()
                .filter(each -> each.name().equals(question))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no such question: " + question));
    }

    @TearDown(Level.Trial)
    public void close() {
        store.close();
    }

    private List<BigInteger> ask(Question asked) {
        final List<BigInteger> answer =
                asked.loom().ask(store.snapshot(), store.latency()).values();
        if (!answer.equals(expected)) {
            throw new IllegalStateException("answers differ: question=" + question + ", " + answer + ", " + expected);
        }
        return answer;
    }

    @Benchmark
    public List<BigInteger> runs() {
        return ask(ofRuns);
    }

    @Benchmark
    public List<BigInteger> chunks() {
        return ask(ofChunks);
    }

    @Benchmark
    public long limit() {
        return question.equals("max") ? values.max() : values.percentile(Double.parseDouble(question.substring(1)));
    }
}
