package dev.loom.bench.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CompareTest {
    private static final String RUN = """
            {"benchmark": "dev.loom.bench.jmh.%s", "mode": "thrpt", "params": {"payload": "48", "dir": "%s"},
             "primaryMetric": {"scoreUnit": "ops/s", "rawData": [[%s]]},
             "secondaryMetrics": {"cpu.time.norm": {"scoreUnit": "ns/op", "rawData": [[%s]]}}}""";

    @TempDir
    private Path directory;

    @Test
    void shouldPairRunsByBenchmarkAndParametersAndJudgeEachMetric() throws IOException {
        final Path before = write(
                "before.json",
                RUN.formatted("Push.push", "/a", "100,101,99,100", "50,50,50,50"),
                RUN.formatted("Old.push", "/a", "1", "1"));
        final Path after = write(
                "after.json",
                RUN.formatted("Push.push", "/b", "200,201,199,200", "50,50,50,50"),
                RUN.formatted("New.push", "/b", "1", "1"));

        assertEquals("""
                intervals at 99.9%; ratio is after / before

                Push.push thrpt {payload=48} (ops/s)
                  before           100.0  [94.72, 105.3]
                  after            200.0  [194.7, 205.3]
                  ratio            2.000  [1.931, 2.072]
                  better

                Push.push thrpt {payload=48} :cpu.time.norm (ns/op)
                  before           50.00  [50.00, 50.00]
                  after            50.00  [50.00, 50.00]
                  ratio            1.000  [1.000, 1.000]
                  same

                Old.push thrpt {payload=48}
                  only before

                Old.push thrpt {payload=48} :cpu.time.norm
                  only before

                New.push thrpt {payload=48}
                  only after

                New.push thrpt {payload=48} :cpu.time.norm
                  only after
                """, compare(before, after));
    }

    @Test
    void shouldRefuseAFileThatIsNoResult() throws IOException {
        final Path wrong = Files.writeString(directory.resolve("wrong.json"), "{}");

        final IllegalArgumentException refusal =
                assertThrows(IllegalArgumentException.class, () -> compare(wrong, wrong));

        assertEquals("not a JMH result in JSON: file=" + wrong, refusal.getMessage());
    }

    @Test
    void shouldTakeMoreGarbageForWorse() throws IOException {
        final String run = """
                {"benchmark": "dev.loom.bench.jmh.Push.push", "mode": "avgt", "params": {},
                 "primaryMetric": {"scoreUnit": "ns/op", "rawData": [[1, 1]]},
                 "secondaryMetrics": {"gc.alloc.rate": {"scoreUnit": "MB/sec", "rawData": [[%s]]}}}""";
        final List<String> report = compare(
                        write("before.json", run.formatted("1,1,1,1")), write("after.json", run.formatted("9,9,9,9")))
                .lines()
                .toList();

        assertEquals("  worse", report.get(report.size() - 1));
    }

    @Test
    void shouldRefuseResultsThatCantBeCompared() throws IOException {
        final Path twice = write(
                "twice.json", RUN.formatted("Push.push", "/a", "1", "1"), RUN.formatted("Push.push", "/b", "1", "1"));
        final Path sampled = write(
                "sampled.json", RUN.formatted("Push.push", "/a", "1", "1").replace("rawData", "rawDataHistogram"));

        assertEquals(
                "measured twice: file=" + twice + ", benchmark=Push.push thrpt {payload=48}",
                assertThrows(IllegalArgumentException.class, () -> compare(twice, twice))
                        .getMessage());
        assertEquals(
                "times of single calls can't be compared; measure without -bm sample",
                assertThrows(IllegalArgumentException.class, () -> compare(sampled, sampled))
                        .getMessage());
    }

    private Path write(String name, String... runs) throws IOException {
        return Files.writeString(directory.resolve(name), "[" + String.join(",", runs) + "]");
    }

    private static String compare(Path before, Path after) throws IOException {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8)) {
            Compare.run(before.toFile(), after.toFile(), 0.999, out);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
