package dev.loom.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.loom.Loom;
import dev.loom.bench.figure.FigureResult;
import dev.loom.format.Formats;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs workloads once, small, with their own checks. The figures mean nothing. */
final class WorkloadsTest {
    @TempDir
    private Path directory;

    /** A workload's entry. */
    @FunctionalInterface
    private interface Workload {
        void run(PrintStream out, String... arguments) throws Exception;
    }

    @Test
    void shouldAskDuckDbTheSame() throws Exception {
        assertEquals(2 * 12, rows(QueryVersusDuckDb::run, "--records", "20000", "--rounds", "1"));
    }

    /** Without ClickHouse, which asks for Python. */
    @Test
    void shouldAskDuckDbForTheSameGroups() throws Exception {
        assertEquals(3 * 20, rows(GroupsVersusPeers::run, "--records", "20000", "--rounds", "1", "--keyed", "true"));
    }

    @Test
    void shouldMeasureHowQuestionsGrow() throws Exception {
        assertEquals(
                2 * (1 + 7), rows(QueryGrowth::run, "--records", "20000,40000", "--rounds", "1", "--warm-up", "0"));
    }

    @Test
    void shouldMeasureEachIndexAtEachLookback() throws Exception {
        assertEquals(5, rows(Ablation::run, "--bytes", "2m", "--exceeded-by", "0.01", "--rounds", "1"));
    }

    @Test
    void shouldMeasureWhatQueriesCost() throws Exception {
        assertEquals(5 + 4, rows(QueryCost::run, "--records", "20000", "--rounds", "1", "--warm-up", "0"));
    }

    @Test
    void shouldLookTracesUp() throws Exception {
        assertEquals(6, rows(TraceLookup::run, "--spans", "3000", "--traces", "5", "--scans", "2", "--keyed", "true"));
    }

    @Test
    void shouldAskWhatThePageAsks() throws Exception {
        assertEquals(10, rows(PageRequests::run, "--records", "20000", "--columns", "20", "--rounds", "1"));
    }

    @Test
    void shouldMeasureMemoryOfQueries() throws Exception {
        assertEquals(5, rows(QueryFootprint::run, "--bytes", "2m"));
    }

    @Test
    void shouldMeasureWhatCompressionSaves(@TempDir Path from) throws Exception {
        try (Loom loom = Loom.open(from.resolve("store"))) {
            final int id = loom.defineSource("lines", Formats.text());
            for (int i = 0; i < 10_000; i++) {
                loom.push(id, ("line " + i).getBytes(StandardCharsets.UTF_8));
            }
        }
        assertEquals(
                1,
                rows(
                        CompressionCost::run,
                        "--from",
                        from.resolve("store").toString(),
                        "--bytes",
                        "1m",
                        "--segment",
                        "256k",
                        "--rounds",
                        "1"));
    }

    /** Without the peers, which are other programs. */
    @Test
    void shouldAskStoresForWords(@TempDir Path logs) throws Exception {
        Files.write(logs.resolve("a.log"), List.of("INFO dfs.DataNode: received a block", "WARN apache is down"));
        Files.write(logs.resolve("b.log"), List.of("sshd session opened for root", "sshd session closed"));
        assertEquals(
                2 + 10 * 2 + 2,
                rows(
                        SearchVersusPeers::run,
                        "--logs",
                        logs.toString(),
                        "--sides",
                        "loom-filter,loom",
                        "--bytes",
                        "500k",
                        "--words",
                        "4",
                        "--repetitions",
                        "1",
                        "--cold",
                        "1",
                        "--seconds",
                        "1",
                        "--segment",
                        "256k"));
    }

    @Test
    void shouldMeasureWhatIndexesCostAPush() throws Exception {
        assertEquals(
                3,
                rows(
                        IndexCost::run,
                        "--indexes",
                        "0,1,4",
                        "--bytes",
                        "1m",
                        "--ring",
                        "1m",
                        "--segment",
                        "4m",
                        "--direct",
                        "false",
                        "--rounds",
                        "1"));
    }

    @Test
    void shouldMeasureWhatTheTextIndexCostsAPush() throws Exception {
        assertEquals(
                2 * 3,
                rows(
                        TextIndexCost::run,
                        "--rates",
                        "0,200000",
                        "--records",
                        "20000",
                        "--seconds",
                        "1",
                        "--ring",
                        "1m",
                        "--segment",
                        "4m",
                        "--direct",
                        "false",
                        "--rounds",
                        "2"));
    }

    /** Without direct reads, which not every temporary directory has. */
    @Test
    void shouldMeasureHashSharingInTrees() throws Exception {
        final int ofMedium = 8 * 3 + 2 * (3 + 1 + 4 + 6); // kinds of filters, Figures 1, 6, 7, 8
        assertEquals(
                3 * ofMedium + 2 * 2 * (2 + 1), // Figures 5a, 5b
                rows(
                        HashSharing::run,
                        "--quick",
                        "true",
                        "--media",
                        "buffered,tmpfs,mapped",
                        "--sweep-media",
                        "buffered,mapped"));
    }

    @Test
    void shouldMeasureHashSharingInFilters() throws Exception {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8)) {
            FilterHashing.run(
                    out,
                    "--keys",
                    "1000",
                    "--lookups",
                    "2000",
                    "--filters",
                    "2",
                    "--rounds",
                    "1",
                    "--key-lengths",
                    "8,64");
        }
        // Table 1, 2, 3, Figures 2 and 3
        assertEquals(7 + 8 + 9 + 2 + 2, rows(bytes));
    }

    /** Without Chronicle Queue, which asks for flags. */
    @Test
    void shouldMeasureWhatRecordingCosts() throws Exception {
        assertEquals(
                2 * 2 * 4,
                rows(
                        RecorderCost::run,
                        "--targets",
                        "loom,loom-claim,log4j,jfr",
                        "--producers",
                        "1,3",
                        "--rates",
                        "1000000,0",
                        "--records",
                        "9000",
                        "--ring",
                        "64k",
                        "--rounds",
                        "1"));
    }

    /** Without Chronicle Queue, which asks for flags. */
    @Test
    void shouldMeasureIngestBySizeAndWhatAnApplicationLoses(@TempDir Path results) throws Exception {
        assertEquals(
                (5 + 3) + 2 * 5,
                rows(
                        IngestScaling::run,
                        "--quick",
                        "true",
                        "--payload",
                        "8",
                        "--targets",
                        "limit,raw-file,loom,loom-recorder,rocksdb",
                        "--warm-up",
                        "0.05",
                        "--seconds",
                        "0.3",
                        "--ring",
                        "1m",
                        "--segment",
                        "4m",
                        "--direct",
                        "false",
                        "--neighbours",
                        "loop",
                        "--results",
                        results.toString()));
        assertEquals(
                5,
                FigureResult.read(results.resolve("figure-15.json"))
                        .rows("slow-down")
                        .size());
    }

    /** Without the kernel's tracer, which asks for root. */
    @Test
    void shouldMeasureProbeEffect(@TempDir Path results) throws Exception {
        assertEquals(
                5,
                rows(
                        ProbeEffect::run,
                        "--quick",
                        "true",
                        "--sinks",
                        "nothing,rawfile,loom,loom-embedded,rocksdb",
                        "--applications",
                        "rocksdb",
                        "--memory",
                        directory.toString(),
                        "--keys",
                        "1000",
                        "--trace",
                        "false",
                        "--warm-up",
                        "0",
                        "--seconds",
                        "0.4",
                        "--results",
                        results.toString()));
        assertEquals(
                4,
                FigureResult.read(results.resolve("figure-14.json"))
                        .rows("effect")
                        .size());
        assertEquals(
                3,
                FigureResult.read(results.resolve("figure-14.json"))
                        .rows("later")
                        .size());
    }

    @Test
    void shouldAskLoomAndAChainForTheSame(@TempDir Path results) throws Exception {
        assertEquals(
                2 * 4,
                rows(
                        ExactMatch::run,
                        "--quick",
                        "true",
                        "--bytes",
                        "2m",
                        "--exceeded-by",
                        "0.1,0.001",
                        "--results",
                        results.toString()));
        assertEquals(
                4 * 3,
                FigureResult.read(results.resolve("figure-17.json"))
                        .rows("exceeded-by-0.1")
                        .size());
    }

    @Test
    void shouldDrawWhatWasMeasured(@TempDir Path results) throws Exception {
        rows(Ablation::run, "--bytes", "2m", "--exceeded-by", "0.01", "--rounds", "2", "--results", results.toString());
        final Path pictures = results.resolve("pictures");
        Plots.run(System.out, "--results", results.toString(), "--output", pictures.toString());

        try (var files = Files.list(pictures)) {
            assertEquals(
                    List.of("figure-16-latency.png", "figure-16-latency.svg"),
                    files.map(file -> file.getFileName().toString()).sorted().toList());
        }
    }

    /** Without the peers that are other programs. Drops are those of a busy machine; answers are checked all the same. */
    @Test
    void shouldReplayThePapersWorkloads(@TempDir Path results) throws Exception {
        assertEquals(
                2 + 2 * 2 + 2 * 2 * 2,
                rows(
                        Evaluation::run,
                        "--systems",
                        "loom,rawfile",
                        "--scale",
                        "0.004",
                        "--seconds",
                        "1",
                        "--phases",
                        "3",
                        "--rates",
                        "10000",
                        "--rate-seconds",
                        "1",
                        "--rate-rounds",
                        "2",
                        "--samples",
                        "1",
                        "--warm-up",
                        "0",
                        "--results",
                        results.toString()));
        try (var files = Files.list(results)) {
            assertEquals(
                    List.of(
                            "figure-11.json",
                            "figure-12.json",
                            "figure-13.json",
                            "figure-2.json",
                            "figure-3.json",
                            "truth-redis-p3.csv"),
                    files.map(file -> file.getFileName().toString()).sorted().toList());
        }
    }

    /** How many rows the workload's tables have, when it has kept its files apart and deleted them. */
    private int rows(Workload workload, String... arguments) throws Exception {
        final List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--dir", directory.toString(), "--allow-tmpfs", "true", "--staging", directory.toString()));
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8)) {
            workload.run(out, all.toArray(String[]::new));
        }
        assertEquals(List.of(), left());
        return rows(bytes);
    }

    private static int rows(ByteArrayOutputStream bytes) {
        final List<String> lines =
                bytes.toString(StandardCharsets.UTF_8).lines().toList();
        final long headings =
                lines.stream().filter(line -> line.startsWith("|---")).count();
        return (int) (lines.stream().filter(line -> line.startsWith("| ")).count() - headings);
    }

    private List<Path> left() throws IOException {
        try (var paths = Files.list(directory)) {
            return paths.toList();
        }
    }
}
