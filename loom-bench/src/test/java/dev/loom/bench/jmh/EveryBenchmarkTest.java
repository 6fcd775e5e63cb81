package dev.loom.bench.jmh;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.loom.bench.push.PushKind;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.BenchmarkList;
import org.openjdk.jmh.runner.BenchmarkListEntry;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Runs every benchmark for one short iteration, so that none breaks unseen. The figures mean nothing. */
final class EveryBenchmarkTest {
    private static final TimeValue SHORT = TimeValue.milliseconds(10);

    @Test
    void shouldRunAndVerifyEveryBenchmark(@TempDir Path directory) throws RunnerException {
        final String[] targets =
                Arrays.stream(PushKind.values()).map(PushKind::text).toArray(String[]::new);

        final Collection<RunResult> results = new Runner(new OptionsBuilder()
                        .forks(0)
                        .warmupIterations(0)
                        .measurementIterations(1)
                        .measurementTime(SHORT)
                        .shouldFailOnError(true)
                        .verbosity(VerboseMode.SILENT)
                        .param("dir", directory.toString())
                        .param("staging", directory.resolve("staging").toString())
                        .param("allowTmpfs", "true")
                        .param("target", targets)
                        .param("payload", "48")
                        .param("ringBytes", Integer.toString(1 << 20))
                        .param("segmentBytes", Long.toString(1L << 22))
                        .param("direct", "false")
                        .param("records", "20000")
                        .param("others", "10000")
                        .param("checkResidence", "false")
                        .build())
                .run();

        assertEquals(
                benchmarks(),
                results.stream()
                        .map(result -> result.getParams().getBenchmark())
                        .collect(Collectors.toCollection(TreeSet::new)));
        assertEquals(
                targets.length,
                results.stream().filter(EveryBenchmarkTest::isPush).count());
        for (final RunResult result : results) {
            assertEquals(1, result.getPrimaryResult().getSampleCount(), result.getParams()::id);
        }
    }

    private static boolean isPush(RunResult result) {
        return result.getParams().getBenchmark().contains(PushBenchmark.class.getSimpleName());
    }

    private static Set<String> benchmarks() {
        return BenchmarkList.defaultList()
                .getAll(OutputFormatFactory.createFormatInstance(System.out, VerboseMode.SILENT), List.of())
                .stream()
                .map(BenchmarkListEntry::getUsername)
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
