package dev.loom.bench.replay;

import dev.loom.bench.otlp.ServerProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * InfluxDB 1.x, a process of its own on loopback, with its data beside the other sinks'. Points come as line protocol over HTTP, by two
 * connections, 5,000 lines a request as its documentation advises; a system call is a tag, and so is the kind of a request or event.
 */
final class InfluxDbSink implements Sink {
    private static final String DATABASE = "replay";
    private static final String WARM_UP = "warm_up";
    private static final int LINES = 5_000;
    private static final long SEND_NS = 1_000_000_000;
    private static final int CONNECTIONS = 2;
    private static final int NO_CONTENT = 204;
    private static final int OK = 200;
    private static final double PERCENT = 100;
    private static final Duration SETTLE = Duration.ofMinutes(3);

    /** Cells of a row: name, tags, time, what was selected. */
    private static final int FIRST_CELL = 3;

    /** Of a packet: name, tags, time, ack, caplen, data, dport, dst, number. */
    private static final int NUMBER_CELL = 8;

    private final ServerProcess server;
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final String address;
    private final String version;
    private final String database;
    private final BackgroundLoad load = new BackgroundLoad(CONNECTIONS);
    private final LineProtocol lines = new LineProtocol();
    private long handedNs = ReplayPlan.BEGIN_NS;

    /** Before it, all batches have ended. */
    private long endedNs = ReplayPlan.BEGIN_NS;

    InfluxDbSink(SinkSettings settings) throws Exception {
        database = DATABASE;
        final Path files =
                Files.createDirectory(settings.directory().resolve("influxdb")).toAbsolutePath();
        final int port = freePort();
        final Path configuration = settings.directory().resolveSibling("influxdb.conf");
        Files.writeString(configuration, configuration(files, freePort(), port));
        server = ServerProcess.start(
                List.of(settings.programs().influxd(), "run", "-config", configuration.toString()),
                port,
                settings.directory().resolveSibling("influxdb.log"));
        address = "http://127.0.0.1:" + port;
        try {
            version = send(HttpRequest.newBuilder(URI.create(address + "/ping")).build(), NO_CONTENT)
                    .headers()
                    .firstValue("X-Influxdb-Version")
                    .orElse("?");
            change("CREATE");
        } catch (IOException | InterruptedException | RuntimeException e) {
            server.close();
            throw e;
        }
    }

    /** A database of its own in another one's server. */
    private InfluxDbSink(InfluxDbSink other) throws IOException, InterruptedException {
        server = other.server;
        address = other.address;
        version = other.version;
        database = WARM_UP;
        change("CREATE");
    }

    @Override
    public Sink openOther(SinkKind kind, SinkSettings settings) throws IOException, InterruptedException {
        return new InfluxDbSink(this);
    }

    private void change(String statement) throws IOException, InterruptedException {
        send(
                        HttpRequest.newBuilder(URI.create(address + "/query?q=" + statement + "+DATABASE+" + database))
                                .POST(HttpRequest.BodyPublishers.noBody())
                                .build(),
                        OK)
                .body()
                .close();
    }

    private static String configuration(Path files, int rpcPort, int port) {
        return """
            reporting-disabled = true
            bind-address = "127.0.0.1:%d"
            [meta]
              dir = "%s/meta"
              logging-enabled = false
            [data]
              dir = "%s/data"
              wal-dir = "%s/wal"
              query-log-enabled = false
              cache-max-memory-size = "4g"
              max-concurrent-compactions = 1
            [coordinator]
              log-queries-after = "0s"
            [monitor]
              store-enabled = false
            [http]
              bind-address = "127.0.0.1:%d"
              log-enabled = false
              max-body-size = 0
            """.formatted(rpcPort, files, files, files, port);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private HttpResponse<InputStream> send(HttpRequest request, int expected) throws IOException, InterruptedException {
        final HttpResponse<InputStream> response = client.send(request, HttpResponse.BodyHandlers.ofInputStream());
        if (response.statusCode() != expected) {
            try (InputStream body = response.body()) {
                throw new IOException("influxdb refused: request=" + request.uri() + ", status=" + response.statusCode()
                        + ", body=" + new String(body.readAllBytes(), StandardCharsets.UTF_8));
            }
        }
        return response;
    }

    @Override
    public String description() {
        return "InfluxDB " + version + " on loopback, line protocol by " + CONNECTIONS + " connections, " + LINES
                + " lines a request, WAL synced for each, cache of 4 GiB; tags call, op, kind";
    }

    @Override
    public void write(BatchSection section) throws InterruptedException {
        int offset = section.offset();
        for (int i = 0; i < section.records(); i++) {
            lines.add(section.source(), section.buffer(), offset);
            offset += section.lengths()[i];
            if (lines.lines() == LINES) {
                hand(endedNs); // the batches before this one are handed over with it
            }
        }
    }

    /** Hands the lines over; all records before a time are there with them. */
    private void hand(long endNs) throws InterruptedException {
        final byte[] body = lines.bytes();
        lines.clear();
        load.hand(() -> post(body), endNs);
        handedNs = endNs;
    }

    private void post(byte[] body) throws IOException, InterruptedException {
        send(
                        HttpRequest.newBuilder(URI.create(address + "/write?db=" + database + "&precision=ns"))
                                .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                                .build(),
                        NO_CONTENT)
                .body()
                .close();
    }

    @Override
    public void endBatch(long endNs) throws InterruptedException {
        endedNs = endNs;
        if (endNs - handedNs >= SEND_NS) {
            hand(endNs);
        }
    }

    @Override
    public void finish() throws InterruptedException {
        hand(endedNs);
        load.await();
    }

    @Override
    public long visibleNs() {
        return load.visibleNs();
    }

    /** Takes the cells of a row: name, tags, time, and what was selected. */
    @FunctionalInterface
    private interface RowHandler {
        void onRow(String[] cells);
    }

    private void query(String select, RowHandler handler) throws IOException, InterruptedException {
        final HttpRequest request = HttpRequest.newBuilder(URI.create(address + "/query?db=" + database
                        + "&epoch=ns&chunked=true&q=" + URLEncoder.encode(select, StandardCharsets.UTF_8)))
                .header("Accept", "application/csv")
                .build();
        try (BufferedReader rows =
                new BufferedReader(new InputStreamReader(send(request, OK).body(), StandardCharsets.UTF_8))) {
            String row;
            while ((row = rows.readLine()) != null) {
                if (row.startsWith("error")) {
                    throw new IOException("influxdb failed: query=" + select + ", error=" + rows.readLine());
                }
                if (!row.isEmpty() && !row.startsWith("name,")) {
                    handler.onRow(row.split(",", -1));
                }
            }
        }
    }

    private long number(String select) throws IOException, InterruptedException {
        final List<Long> values = new ArrayList<>();
        query(select, cells -> values.add(Long.parseLong(cells[FIRST_CELL])));
        return values.isEmpty() ? 0 : values.get(0);
    }

    private static String where(ReplayQuestion question) {
        return " FROM " + question.source().text() + " WHERE time >= " + question.fromNs() + " AND time < "
                + question.toNs()
                + (question.call() == SystemCalls.ANY ? "" : " AND \"call\" = '" + question.call() + "'");
    }

    @Override
    public ReplayAnswer ask(ReplayQuestion question) throws IOException, InterruptedException {
        final String where = where(question);
        return switch (question.form()) {
            case TAIL -> ReplayAnswer.ofValue(tail(where));
            case ABOVE_TAIL -> {
                final long tail = tail(where);
                yield records("SELECT number" + where + " AND latency_ns > " + tail, FIRST_CELL, tail);
            }
            case MAX -> ReplayAnswer.ofValue(number("SELECT max(latency_ns)" + where));
            case COUNT -> ReplayAnswer.ofCount(number("SELECT count(number)" + where));
            case LARGEST -> {
                final AnswerBuilder found = new AnswerBuilder();
                final long[] latencyNs = {0};
                query("SELECT max(latency_ns), number" + where, cells -> {
                    latencyNs[0] = Long.parseLong(cells[FIRST_CELL]);
                    found.add(Long.parseLong(cells[FIRST_CELL + 1]));
                });
                yield found.answer(latencyNs[0]);
            }
            case DUMP -> dump("SELECT *" + where);
            case PLANTED ->
                records(
                        "SELECT number" + where + " AND latency_ns >= " + ReplayQuestion.plantedLatencyNs(),
                        FIRST_CELL,
                        0);
            case MANGLED ->
                records(
                        "SELECT number" + where + " AND sport != " + RecordStream.REDIS_PORT + " AND dport != "
                                + RecordStream.REDIS_PORT,
                        FIRST_CELL,
                        0);
        };
    }

    private ReplayAnswer records(String select, int cell, long value) throws IOException, InterruptedException {
        final AnswerBuilder found = new AnswerBuilder();
        query(select, cells -> found.add(Long.parseLong(cells[cell])));
        return found.answer(value);
    }

    /** The columns come in the order of their names. */
    private ReplayAnswer dump(String select) throws IOException, InterruptedException {
        final AnswerBuilder found = new AnswerBuilder();
        query(select, cells -> found.add(Long.parseLong(cells[NUMBER_CELL])));
        return found.counted();
    }

    /** Its own rank is the nearest one: asked for the percentile that is exactly at the rank wanted. */
    private long tail(String where) throws IOException, InterruptedException {
        final long count = number("SELECT count(latency_ns)" + where);
        return count == 0
                ? 0
                : number(String.format(
                        Locale.ROOT,
                        "SELECT percentile(latency_ns, %.12f)%s",
                        PERCENT * ReplayQuestion.tailRank(count) / count,
                        where));
    }

    @Override
    public void settle() {
        if (!server.awaitIdle(SETTLE)) {
            throw new IllegalStateException("server works on without requests: limit=" + SETTLE);
        }
    }

    @Override
    public long peerCpuNs() {
        return server.cpuNs();
    }

    @Override
    public void close() throws IOException {
        load.close();
        if (!database.equals(WARM_UP)) {
            server.close();
            return;
        }
        try {
            change("DROP");
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
