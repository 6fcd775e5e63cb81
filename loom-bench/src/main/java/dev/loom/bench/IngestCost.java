package dev.loom.bench;

import dev.loom.LoomReader;
import dev.loom.api.Snapshot;
import dev.loom.bench.otlp.ServerProcess;
import dev.loom.bench.push.PushKind;
import dev.loom.bench.push.PushProcess;
import dev.loom.bench.push.PushSettings;
import dev.loom.bench.push.ScratchDirectory;
import dev.loom.cli.Main;
import dev.loom.format.Formats;
import dev.loom.otlp.server.Endpoint;
import dev.loom.server.client.IngestClient;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Pushes records through the sidecar's raw port in several concurrent streams, and the same records embedded, alternating: what a
 * record costs the process that has the store. Each run ends by counting what the sidecar stored.
 */
public final class IngestCost {
    private static final String[] DEFAULTS = {
        "dir", "target/loom-bench",
        "staging", "/dev/shm",
        "payload", "48",
        "records", "40000000",
        "streams", "2",
        "batch", "4096",
        "rounds", "5",
        "port", "14310"
    };
    private static final String HOST = "127.0.0.1:";

    private final Arguments arguments;

    private IngestCost(Arguments arguments) {
        this.arguments = arguments;
    }

    /** Takes the options in {@code docs/benchmarks.md}. */
    public static void main(String[] arguments) throws Exception {
        new IngestCost(Arguments.parse(arguments, DEFAULTS)).run();
    }

    private void run() throws Exception {
        final Path parent = Path.of(arguments.text("dir"));
        Files.createDirectories(parent);
        System.out.println("IngestCost " + arguments);
        Machine.describe(parent).forEach((name, value) -> System.out.println(name + ": " + value));
        final int rounds = arguments.number("rounds");
        final double[] rates = new double[rounds];
        final double[] costs = new double[rounds];
        final double[] embedded = new double[rounds];
        final double[] ratios = new double[rounds];
        for (int round = 0; round < rounds; round++) {
            try (ScratchDirectory scratch = ScratchDirectory.onDisk(parent, false)) {
                final double[] run = remote(scratch.path());
                rates[round] = run[0];
                costs[round] = run[1];
            }
            embedded[round] = embedded(parent);
            ratios[round] = costs[round] / embedded[round];
        }
        final MarkdownTable table = new MarkdownTable(
                System.out,
                "payload " + arguments.text("payload") + " bytes",
                "",
                "records/s",
                "CPU ns/record",
                "of embedded");
        table.row(
                "raw port",
                Spread.of(rates).text(0),
                Spread.of(costs).text(1),
                Spread.of(ratios).text(2));
        table.row("embedded", "", Spread.of(embedded).text(1), "1");
    }

    private double embedded(Path parent) {
        try (ScratchDirectory scratch = ScratchDirectory.onDisk(parent, false);
                ScratchDirectory staging = ScratchDirectory.in(Path.of(arguments.text("staging")))) {
            final PushSettings settings = new PushSettings(
                    scratch.path(), staging.path(), arguments.number("payload"), 128 << 20, 1L << 30, true);
            return PushProcess.run(PushKind.LOOM, settings, arguments.number("records"))
                    .cpuNsPerRecord();
        }
    }

    /** Records/s, and the sidecar's CPU ns per record. */
    private double[] remote(Path scratch) throws Exception {
        final Path store = scratch.resolve("store");
        final int port = arguments.number("port");
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        if (Runtime.version().feature() >= 24) {
            command.add("--sun-misc-unsafe-memory-access=allow");
        }
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
        command.addAll(List.of("serve", "--dir", store.toString(), "--ingest", HOST + port));
        final long records = arguments.number("records");
        final double[] run;
        final long warmUp;
        try (ServerProcess process = ServerProcess.start(command, port, scratch.resolve("output"))) {
            warmUp = push(records / 4);
            final long cpuNs = process.cpuNs();
            final long startNs = System.nanoTime();
            final long pushed = push(records);
            final long elapsedNs = System.nanoTime() - startNs;
            run = new double[] {pushed * 1e9 / elapsedNs, (double) (process.cpuNs() - cpuNs) / pushed, pushed};
        }
        try (LoomReader reader = LoomReader.attach(store);
                Snapshot snapshot = reader.snapshot()) {
            final long stored = snapshot.statistics(
                            snapshot.source("events").orElseThrow().id())
                    .records();
            if (stored != warmUp + (long) run[2]) {
                throw new IllegalStateException("sidecar has not stored what it acknowledged: stored=" + stored);
            }
        }
        return run;
    }

    private long push(long records) throws Exception {
        final int streams = arguments.number("streams");
        final ExecutorService threads = Executors.newFixedThreadPool(streams);
        final List<Callable<Long>> clients = new ArrayList<>();
        for (int i = 0; i < streams; i++) {
            clients.add(() -> stream(records / streams));
        }
        long pushed = 0;
        for (final Future<Long> client : threads.invokeAll(clients)) {
            pushed += client.get();
        }
        threads.shutdown();
        return pushed;
    }

    private long stream(long records) {
        final int payload = arguments.number("payload");
        final int[] lengths = new int[arguments.number("batch")];
        Arrays.fill(lengths, payload);
        final UnsafeBuffer payloads = new UnsafeBuffer(ByteBuffer.allocateDirect(lengths.length * payload));
        long pushed = 0;
        try (IngestClient client = IngestClient.connect(Endpoint.parse(HOST + arguments.number("port")), "")) {
            final int source =
                    client.defineSource("events", Formats.bytes(), Map.of()).id();
            while (pushed < records) {
                pushed += client.push(source, payloads, lengths, lengths.length, () -> false);
            }
        }
        return pushed;
    }
}
