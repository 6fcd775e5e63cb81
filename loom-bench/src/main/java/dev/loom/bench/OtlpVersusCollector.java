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
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.ToDoubleFunction;

/**
 * Sends the same requests over OTLP/HTTP from the same client to the sidecar, with its text index and without, and to an
 * OpenTelemetry Collector with a file exporter, which indexes nothing, in turns. Each has its own process and files, and warms up
 * until it has nothing left to compile or to index. Each run ends by counting what was stored.
 */
public final class OtlpVersusCollector {
    private static final String[] DEFAULTS = {
        "dir", "target/loom-bench",
        "collector", "otelcol",
        "signals", "logs,traces",
        "servers", "loom-without-text-index,loom,collector",
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

    /**
     * The result of one run.
     *
     * @param recordsPerSecond of wall time
     * @param cpuNs CPU time a record of the server until the last answer
     * @param laterNs what it has put off until then, such as its text index
     */
    private record Run(double recordsPerSecond, double cpuNs, double laterNs) {}

    private enum Server {
        LOOM_WITHOUT_TEXT_INDEX,
        LOOM,
        COLLECTOR;

        static Server of(String name) {
            return valueOf(name.toUpperCase(Locale.ROOT).replace('-', '_'));
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
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
        final List<Server> servers =
                arguments.list("servers").stream().map(Server::of).toList();
        for (final String name : arguments.list("signals")) {
            final Signal signal = Signal.valueOf(name.toUpperCase(Locale.ROOT));
            final RequestPool pool = new RequestPool(signal);
            final Map<Server, List<Run>> runs = new EnumMap<>(Server.class);
            for (int round = 0; round < arguments.number("rounds"); round++) {
                for (final Server server : servers) {
                    runs.computeIfAbsent(server, key -> new ArrayList<>()).add(measure(server, signal, pool, parent));
                }
            }
            print(name, runs);
        }
    }

    private Run measure(Server server, Signal signal, RequestPool pool, Path parent) throws Exception {
        try (ScratchDirectory scratch = ScratchDirectory.onDisk(parent, false)) {
            final Path data = scratch.path().resolve("data");
            final List<String> command =
                    server == Server.COLLECTOR ? collector(scratch.path(), data) : loom(server, scratch.path(), data);
            final SplittableRandom random = new SplittableRandom(1); // each server gets the same requests
            final Run run;
            try (ServerProcess process =
                    ServerProcess.start(command, port, scratch.path().resolve("output"))) {
                // in parts: a JVM under load has no core left to compile for that load
                for (int part = 0; part < WARM_UP_PARTS; part++) {
                    load(signal, pool, arguments.number("warm-up") / WARM_UP_PARTS, random);
                    awaitIdle(process);
                }
                final long cpuNs = process.cpuNs();
                final long startNs = System.nanoTime();
                load(signal, pool, arguments.number("requests"), random);
                final long elapsedNs = System.nanoTime() - startNs;
                final long answeredNs = process.cpuNs();
                awaitIdle(process);
                final double records = (double) arguments.number("requests") * RequestPool.RECORDS;
                run = new Run(
                        records * 1e9 / elapsedNs,
                        (answeredNs - cpuNs) / records,
                        (process.cpuNs() - answeredNs) / records);
            }
            verify(server, signal, data);
            return run;
        }
    }

    private static void awaitIdle(ServerProcess process) {
        if (!process.awaitIdle(Duration.ofMinutes(10))) {
            throw new IllegalStateException("server works on without requests: minutes=10");
        }
    }

    private List<String> loom(Server server, Path scratch, Path data) throws IOException {
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        if (Runtime.version().feature() >= 24) {
            command.add("--sun-misc-unsafe-memory-access=allow");
        }
        command.addAll(List.of("-Xmx256m", "-cp", System.getProperty("java.class.path"), Main.class.getName()));
        command.addAll(List.of("serve", "--dir", data.toString(), "--otlp-http", "localhost:" + port));
        if (server == Server.LOOM_WITHOUT_TEXT_INDEX) {
            command.add("--config");
            command.add(Files.writeString(scratch.resolve("loom.yaml"), "store: {text_index_percent: none}\n")
                    .toString());
        }
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

    private void load(Signal signal, RequestPool pool, int requests, SplittableRandom random) throws Exception {
        final int connections = arguments.number("connections");
        final String path = signal == Signal.LOGS ? "/v1/logs" : "/v1/traces";
        final ExecutorService threads = Executors.newFixedThreadPool(connections);
        final List<Callable<Void>> clients = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            final int share = requests / connections;
            final int first = i * pool.size() / connections;
            final SplittableRandom own = random.split();
            clients.add(() -> {
                try (HttpLoad client = new HttpLoad(port, path, pool, first, own)) {
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
        final long expected = server == Server.COLLECTOR ? requests : requests * RequestPool.RECORDS;
        final long stored = server == Server.COLLECTOR ? requestsIn(data) : recordsIn(data, signal);
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

    private static void print(String signal, Map<Server, List<Run>> runs) {
        final MarkdownTable table = new MarkdownTable(
                System.out,
                signal,
                "server",
                "records/s",
                "CPU ns/record until the last answer",
                "later",
                "records a core until the last answer, of the collector's",
                "in all");
        final List<Run> collector = runs.getOrDefault(Server.COLLECTOR, List.of());
        runs.forEach((server, own) -> table.row(
                server.toString(),
                spread(own, Run::recordsPerSecond),
                spread(own, Run::cpuNs),
                spread(own, Run::laterNs),
                ratio(collector, own, Run::cpuNs),
                ratio(collector, own, run -> run.cpuNs() + run.laterNs())));
    }

    private static String spread(List<Run> runs, ToDoubleFunction<Run> figure) {
        return Spread.of(runs.stream().mapToDouble(figure).toArray()).text(0);
    }

    private static String ratio(List<Run> collector, List<Run> own, ToDoubleFunction<Run> cost) {
        if (collector.isEmpty()) {
            return "not measured";
        }
        final double[] ratios = new double[own.size()];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = cost.applyAsDouble(collector.get(i)) / cost.applyAsDouble(own.get(i));
        }
        return Spread.of(ratios).text(2);
    }
}
