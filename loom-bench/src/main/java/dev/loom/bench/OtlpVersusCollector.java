package dev.loom.bench;

import dev.loom.LoomReader;
import dev.loom.api.Snapshot;
import dev.loom.bench.otlp.HttpLoad;
import dev.loom.bench.otlp.RequestPool;
import dev.loom.bench.otlp.ServerProcess;
import dev.loom.bench.push.ScratchDirectory;
import dev.loom.cli.Main;
import dev.loom.otlp.Signal;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Sends the same requests over OTLP/HTTP from the same client to the sidecar and to an OpenTelemetry Collector with a file
 * exporter, alternating. Each has its own process and files, and warms up until it has nothing left to compile. Each run ends by
 * counting what was stored.
 */
public final class OtlpVersusCollector {
    private static final String[] DEFAULTS = {
        "dir", "target/loom-bench",
        "collector", "otelcol",
        "signals", "logs,traces",
        "requests", "4000",
        "warm-up", "16000",
        "connections", "2",
        "rounds", "5",
        "port", "14318"
    };

    private static final int WARM_UP_PARTS = 4;

    private final Arguments arguments;
    private final int port;

    private OtlpVersusCollector(Arguments arguments) {
        this.arguments = arguments;
        port = arguments.number("port");
    }

    /** The result of one run: records/s of wall time, and the server's CPU ns per record. */
    private record Run(double recordsPerSecond, double cpuNs) {
        /** Records per second of CPU time: what one core could take. */
        double recordsPerCore() {
            return 1e9 / cpuNs;
        }
    }

    private enum Server {
        LOOM,
        COLLECTOR
    }

    /** Takes the options in {@code docs/benchmarks.md}. */
    public static void main(String[] arguments) throws Exception {
        new OtlpVersusCollector(Arguments.parse(arguments, DEFAULTS)).run();
    }

    private void run() throws Exception {
        final Path parent = Path.of(arguments.text("dir"));
        Files.createDirectories(parent);
        System.out.println("OtlpVersusCollector " + arguments);
        Machine.describe(parent).forEach((name, value) -> System.out.println(name + ": " + value));
        for (final String name : arguments.list("signals")) {
            final Signal signal = Signal.valueOf(name.toUpperCase(Locale.ROOT));
            final RequestPool pool = new RequestPool(signal);
            final List<Run> loom = new ArrayList<>();
            final List<Run> collector = new ArrayList<>();
            for (int round = 0; round < arguments.number("rounds"); round++) {
                loom.add(measure(Server.LOOM, signal, pool, parent));
                collector.add(measure(Server.COLLECTOR, signal, pool, parent));
            }
            print(name, loom, collector);
        }
    }

    private Run measure(Server server, Signal signal, RequestPool pool, Path parent) throws Exception {
        try (ScratchDirectory scratch = ScratchDirectory.onDisk(parent, false)) {
            final Path data = scratch.path().resolve("data");
            final List<String> command = server == Server.LOOM ? loom(data) : collector(scratch.path(), data);
            final Run run;
            try (ServerProcess process =
                    ServerProcess.start(command, port, scratch.path().resolve("output"))) {
                // in parts: a JVM under load has no core left to compile for that load
                for (int part = 0; part < WARM_UP_PARTS; part++) {
                    load(signal, pool, arguments.number("warm-up") / WARM_UP_PARTS);
                    process.awaitIdle();
                }
                final long cpuNs = process.cpuNs();
                final long startNs = System.nanoTime();
                load(signal, pool, arguments.number("requests"));
                final long elapsedNs = System.nanoTime() - startNs;
                process.awaitIdle(); // what is done behind the answers, such as Loom's text index, is part of the cost
                final double records = (double) arguments.number("requests") * RequestPool.RECORDS;
                run = new Run(records * 1e9 / elapsedNs, (process.cpuNs() - cpuNs) / records);
            }
            verify(server, signal, data);
            return run;
        }
    }

    private List<String> loom(Path data) {
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        if (Runtime.version().feature() >= 24) {
            command.add("--sun-misc-unsafe-memory-access=allow");
        }
        command.addAll(List.of("-Xmx256m", "-cp", System.getProperty("java.class.path"), Main.class.getName()));
        command.addAll(List.of("serve", "--dir", data.toString(), "--otlp-http", "localhost:" + port));
        return command;
    }

    private List<String> collector(Path scratch, Path data) throws IOException {
        final Path settings = Files.writeString(scratch.resolve("collector.yaml"), """
                receivers: {otlp: {protocols: {http: {endpoint: "localhost:%d"}}}}
                exporters: {file: {path: "%s", format: proto}}
                service:
                  pipelines:
                    logs: {receivers: [otlp], exporters: [file]}
                    traces: {receivers: [otlp], exporters: [file]}
                  telemetry: {metrics: {level: none}}
                """.formatted(port, data));
        return List.of(arguments.text("collector"), "--config", settings.toString());
    }

    private void load(Signal signal, RequestPool pool, int requests) throws Exception {
        final int connections = arguments.number("connections");
        final String path = signal == Signal.LOGS ? "/v1/logs" : "/v1/traces";
        final ExecutorService threads = Executors.newFixedThreadPool(connections);
        final List<Callable<Void>> clients = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            final int share = requests / connections;
            clients.add(() -> {
                try (HttpLoad client = new HttpLoad(port, path, pool)) {
                    for (int request = 0; request < share; request++) {
                        client.post();
                    }
                }
                return null;
            });
        }
        for (final Future<Void> client : threads.invokeAll(clients)) {
            client.get();
        }
        threads.shutdown();
    }

    private void verify(Server server, Signal signal, Path data) throws IOException {
        final int connections = arguments.number("connections");
        final long requests = WARM_UP_PARTS * sent(arguments.number("warm-up") / WARM_UP_PARTS, connections)
                + sent(arguments.number("requests"), connections);
        final long expected = server == Server.LOOM ? requests * RequestPool.RECORDS : requests;
        final long stored = server == Server.LOOM ? recordsIn(data, signal) : requestsIn(data);
        if (stored != expected) {
            throw new IllegalStateException("server has not stored what it acknowledged: server=" + server + ", stored="
                    + stored + ", expected=" + expected);
        }
    }

    private static long sent(int requests, int connections) {
        return (long) requests / connections * connections;
    }

    private static long recordsIn(Path store, Signal signal) {
        try (LoomReader reader = LoomReader.attach(store);
                Snapshot snapshot = reader.snapshot()) {
            final String name = signal == Signal.LOGS ? "otlp.logs" : "otlp.spans";
            return snapshot.statistics(snapshot.source(name).orElseThrow().id()).records();
        }
    }

    /** The exporter precedes each request by its length, 32 bits, big-endian. */
    private static long requestsIn(Path file) throws IOException {
        long count = 0;
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
            while (in.available() > 0) {
                in.skipNBytes(in.readInt());
                count++;
            }
        }
        return count;
    }

    private static void print(String signal, List<Run> loom, List<Run> collector) {
        final double[] ratios = new double[loom.size()];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = loom.get(i).recordsPerCore() / collector.get(i).recordsPerCore();
        }
        final MarkdownTable table = new MarkdownTable(
                System.out, signal, "server", "records/s", "CPU ns/record", "records a core, of the collector's");
        table.row("loom", rate(loom), cpu(loom), Spread.of(ratios).text(2));
        table.row("collector", rate(collector), cpu(collector), "1");
    }

    private static String rate(List<Run> runs) {
        return Spread.of(runs.stream().mapToDouble(Run::recordsPerSecond).toArray())
                .text(0);
    }

    private static String cpu(List<Run> runs) {
        return Spread.of(runs.stream().mapToDouble(Run::cpuNs).toArray()).text(0);
    }
}
