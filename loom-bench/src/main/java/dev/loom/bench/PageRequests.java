package dev.loom.bench;

import dev.loom.bench.otlp.ServerProcess;
import dev.loom.bench.page.Chromium;
import dev.loom.bench.page.PictureTime;
import dev.loom.bench.push.ScratchDirectory;
import dev.loom.bench.query.SimulatedCapture;
import dev.loom.bench.query.TelemetryStore;
import dev.loom.otlp.server.Endpoint;
import dev.loom.server.LoomServer;
import dev.loom.server.ServerSettings;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * How long what the page asks for takes: requests by HTTP to a server of a large store, from the request to the last byte of the
 * answer. The first is that of a server that has answered nothing yet.
 */
public final class PageRequests {
    private static final String[] DEFAULTS = {
        "dir",
        "target/loom-bench",
        "allow-tmpfs",
        "false",
        "staging",
        "/dev/shm",
        "records",
        "100000000",
        "columns",
        "200",
        "rounds",
        "11",
        "command",
        "",
        "browser",
        "",
        "pause-ms",
        "1000"
    };
    private static final long INTERVAL_NS = 1_000;
    private static final double MILLI = 1e6;
    private static final double SECOND = 1e9;
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private PageRequests() {}

    /** Takes the options in {@code docs/benchmarks.md}. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        run(System.out, arguments);
    }

    static void run(PrintStream out, String... arguments) throws IOException, InterruptedException {
        final Arguments options = Arguments.parse(arguments, DEFAULTS);
        final Path parent = Path.of(options.text("dir"));
        if (options.text("command").isEmpty() && !options.text("browser").isEmpty()) {
            throw new IllegalArgumentException(
                    "browser needs a command that serves the page: browser=" + options.text("browser"));
        }
        out.println("PageRequests " + options);
        Machine.describe(parent).forEach((name, value) -> out.println(name + ": " + value));
        final SimulatedCapture telemetry =
                SimulatedCapture.ofCalls(Long.parseLong(options.text("records")), INTERVAL_NS);
        try (ScratchDirectory directory = ScratchDirectory.onDisk(parent, options.flag("allow-tmpfs"));
                ScratchDirectory staging = ScratchDirectory.in(Path.of(options.text("staging")))) {
            new TelemetryStore(directory.path(), staging.path(), telemetry).close();
            if (options.text("command").isEmpty()) {
                serve(out, directory.path(), telemetry, options);
            } else {
                start(out, directory.path(), telemetry, options);
            }
        }
        out.printf("load at the end: %s%n", Machine.loadAverage());
    }

    /** Serves the store in this process. */
    private static void serve(PrintStream out, Path directory, SimulatedCapture telemetry, Arguments options)
            throws IOException {
        final ServerSettings settings =
                ServerSettings.builder().api(Endpoint.parse("127.0.0.1:0")).build();
        try (LoomServer server = LoomServer.attach(directory.resolve("store"), settings)) {
            ask(out, "http://" + server.addresses().get("http"), telemetry, options);
        }
    }

    /** Serves the store by the command that is measured, and loads the page before its requests, as a browser does. */
    private static void start(PrintStream out, Path directory, SimulatedCapture telemetry, Arguments options)
            throws IOException, InterruptedException {
        final int port = freePort();
        final String api = "http://127.0.0.1:" + port;
        try (ServerProcess server = start(directory, port, options)) {
            final HttpResponse<String> page =
                    CLIENT.send(HttpRequest.newBuilder(URI.create(api + '/')).build(), BodyHandlers.ofString());
            if (page.statusCode() != 200) {
                throw new IllegalStateException("page does not come: status=" + page.statusCode());
            }
            ask(out, api, telemetry, options);
            out.printf("CPU of the server, s: %.1f%n", server.cpuNs() / SECOND);
        }
        if (!options.text("browser").isEmpty()) {
            draw(out, directory, options);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return free.getLocalPort();
        }
    }

    private static ServerProcess start(Path directory, int port, Arguments options) throws IOException {
        final List<String> command = List.of(
                options.text("command"),
                "ui",
                "--no-browser",
                "--dir",
                directory.resolve("store").toString(),
                "--http",
                "127.0.0.1:" + port);
        return ServerProcess.start(command, port, directory.resolve("server.log"));
    }

    /** Has a browser draw the heatmap that a link leads to, twice of each server. */
    private static void draw(PrintStream out, Path directory, Arguments options)
            throws IOException, InterruptedException {
        final PictureTime[][] pictures = new PictureTime[2][options.number("rounds")];
        try (Chromium browser = Chromium.start(Path.of(options.text("browser")), directory)) {
            for (int round = 0; round < pictures[0].length; round++) {
                final int port = freePort();
                final String link =
                        "http://127.0.0.1:" + port + "/#view=explore&field=latency_ns&source=" + TelemetryStore.CALLS;
                try (ServerProcess server = start(directory, port, options)) {
                    Thread.sleep(options.number("pause-ms"));
                    pictures[0][round] = PictureTime.of(browser, link);
                    server.awaitIdle(Duration.ofMinutes(1));
                    pictures[1][round] = PictureTime.of(browser, link);
                }
            }
        }
        final MarkdownTable table = new MarkdownTable(
                out, "The heatmap in a browser", "of a server", "until the answer's end, ms", "until it is drawn, ms");
        drawn(table, "first", pictures[0]);
        drawn(table, "second", pictures[1]);
    }

    private static void drawn(MarkdownTable table, String which, PictureTime... pictures) {
        table.row(
                which,
                Spread.of(Arrays.stream(pictures)
                                .mapToDouble(PictureTime::answerMs)
                                .toArray())
                        .text(0),
                Spread.of(Arrays.stream(pictures)
                                .mapToDouble(PictureTime::pictureMs)
                                .toArray())
                        .text(0));
    }

    private static void ask(PrintStream out, String api, SimulatedCapture telemetry, Arguments options) {
        out.println("| request | first, ms | ms | bytes |");
        out.println("|---|---|---|---|");
        requests(telemetry, options.number("columns")).forEach((name, request) -> {
            final double first = millis(api, request);
            final double[] later = new double[options.number("rounds")];
            for (int round = 0; round < later.length; round++) {
                later[round] = millis(api, request);
            }
            out.printf(
                    Locale.ROOT,
                    "| %s | %.0f | %s | %d |%n",
                    name,
                    first,
                    Spread.of(later).text(1),
                    answer(api, request).length());
        });
    }

    /** What the page asks for, one after the other: paths with their bodies. */
    private static Map<String, String[]> requests(SimulatedCapture telemetry, int columns) {
        final long fromNs = telemetry.timeNs(0);
        final long spanNs = telemetry.timeNs(telemetry.records() - 1) - fromNs;
        final String source = "\"source\":\"" + TelemetryStore.CALLS + '"';
        final String field = ",\"field\":\"latency_ns\"";
        final String selected = String.format(
                Locale.ROOT,
                ",\"from\":%d,\"to\":%d,\"where\":[\"latency_ns >= 10ms\"]",
                fromNs + spanNs / 10 * 4,
                fromNs + spanNs / 10 * 6);
        final Map<String, String[]> requests = new LinkedHashMap<>();
        put(requests, "sources", "sources", "");
        put(
                requests,
                "heatmap",
                "hist",
                source + field + ",\"by\":[\"value\",\"time\"],\"step\":\"" + spanNs / columns + "ns\"");
        put(requests, "newest records", "scan", source + ",\"limit\":100");
        put(requests, "newest records of a selection", "scan", source + selected + ",\"limit\":100");
        put(requests, "largest records of a selection", "top", source + field + selected + ",\"n\":100");
        put(requests, "count of a selection", "agg", source + selected);
        put(
                requests,
                "percentiles of all",
                "agg",
                source + field + ",\"percentile\":[0,25,50,75,90,95,99,99.9,99.99,100]");
        put(
                requests,
                "percentiles within 1 % of all",
                "agg",
                source + field + ",\"within\":\"1%\",\"percentile\":[50,99]");
        put(
                requests,
                "values of a field in a selection",
                "values",
                source + selected + ",\"field\":\"thread\",\"limit\":10");
        put(
                requests,
                "what differs about a selection",
                "diff",
                source
                        + field
                        + String.format(
                                Locale.ROOT,
                                ",\"low\":\"10000000\",\"selected-from\":%d,\"selected-to\":%d,\"from\":%d,\"to\":%d",
                                fromNs + spanNs / 10 * 4,
                                fromNs + spanNs / 10 * 4 + spanNs / 1000,
                                fromNs + spanNs / 10 * 4,
                                fromNs + spanNs / 10 * 4 + spanNs / 100));
        return requests;
    }

    private static void put(Map<String, String[]> requests, String name, String path, String members) {
        requests.put(name, new String[] {path, '{' + members + '}'});
    }

    private static double millis(String api, String[] request) {
        final long beganNs = System.nanoTime();
        answer(api, request);
        return (System.nanoTime() - beganNs) / MILLI;
    }

    private static String answer(String api, String[] request) {
        try {
            final HttpResponse<String> answer = CLIENT.send(
                    HttpRequest.newBuilder(URI.create(api + "/v1/" + request[0]))
                            .header("Content-Type", "application/json")
                            .POST(BodyPublishers.ofString(request[1]))
                            .build(),
                    BodyHandlers.ofString());
            if (answer.statusCode() != 200 || answer.body().contains("{\"error\"")) {
                throw new IllegalStateException("request failed: " + request[1] + ": " + answer.body());
            }
            return answer.body();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
