package dev.loom.bench.probe;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.agrona.DirectBuffer;

/**
 * InfluxDB 1 in a process of its own, on loopback with a folder of its own: a measurement for each source, thread and operation as tags,
 * the rest as fields. Points go there by the line protocol over HTTP, 5,000 and more at once, as its documents advise.
 */
final class InfluxFrames implements FrameStore {
    private static final Path PROGRAM = Path.of("/usr/bin/influxd");
    private static final String HOST = "127.0.0.1:";
    private static final String DATABASE = "telemetry";
    private static final int POINTS_MIN = 5_000;
    private static final int POINT_LENGTH_MAX = 256;
    private static final long TRY_NS = 20_000_000;
    private static final long TRIES = 3_000;

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final LineBuffer lines =
            new LineBuffer((POINTS_MIN + ProbeRecordDescriptor.FRAME_RECORDS_MAX) * POINT_LENGTH_MAX);
    private final List<String> measurements =
            Arrays.stream(ProbeSource.values()).map(ProbeSource::text).toList();
    private final Process server;
    private final String url;
    private int points;

    InfluxFrames(Path directory) {
        try {
            url = "http://" + HOST + freePort();
            final ProcessBuilder builder = new ProcessBuilder(PROGRAM.toString(), "run", "-config", "/dev/null")
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(directory.resolve("influxd.log").toFile());
            builder.environment()
                    .putAll(Map.of(
                            "INFLUXDB_META_DIR",
                            directory.resolve("meta").toString(),
                            "INFLUXDB_DATA_DIR",
                            directory.resolve("data").toString(),
                            "INFLUXDB_DATA_WAL_DIR",
                            directory.resolve("wal").toString(),
                            "INFLUXDB_DATA_INDEX_VERSION",
                            "tsi1",
                            "INFLUXDB_HTTP_BIND_ADDRESS",
                            url.substring("http://".length()),
                            "INFLUXDB_BIND_ADDRESS",
                            HOST + freePort(),
                            "INFLUXDB_REPORTING_DISABLED",
                            "true",
                            "INFLUXDB_MONITOR_STORE_ENABLED",
                            "false",
                            "INFLUXDB_HTTP_LOG_ENABLED",
                            "false"));
            server = builder.start();
            Runtime.getRuntime().addShutdownHook(new Thread(server::destroy, "bench-influx-end"));
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        try {
            await();
            query("CREATE DATABASE " + DATABASE);
        } catch (final RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    /** Whether the server is installed. */
    static boolean isAvailable() {
        return Files.isExecutable(PROGRAM);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private void await() {
        for (long i = 0; i < TRIES && server.isAlive(); i++) {
            try {
                send(HttpRequest.newBuilder(URI.create(url + "/ping")).build());
                return;
            } catch (final UncheckedIOException e) {
                if (!(e.getCause() instanceof ConnectException)) {
                    throw e;
                }
                LockSupport.parkNanos(TRY_NS);
            }
        }
        throw new IllegalStateException("server does not begin: url=" + url);
    }

    @Override
    public void write(int source, DirectBuffer records, int offset, int count) {
        final String measurement = measurements.get(source);
        for (int i = 0; i < count; i++) {
            final int at = offset + i * ProbeRecordDescriptor.RECORD_LENGTH;
            lines.text(measurement);
            field(",thread=", records, at + ProbeRecordDescriptor.THREAD_OFFSET);
            field(",operation=", records, at + ProbeRecordDescriptor.OPERATION_OFFSET);
            field(" latency_ns=", records, at + ProbeRecordDescriptor.LATENCY_OFFSET);
            field("i,key=", records, at + ProbeRecordDescriptor.KEY_OFFSET);
            field("i,sequence=", records, at + ProbeRecordDescriptor.SEQUENCE_OFFSET);
            field("i ", records, at + ProbeRecordDescriptor.TIME_OFFSET);
            lines.text("\n");
        }
        points += count;
        if (points >= POINTS_MIN) {
            flush();
        }
    }

    private void field(String name, DirectBuffer records, int at) {
        lines.text(name);
        lines.number(records.getLong(at, ByteOrder.LITTLE_ENDIAN));
    }

    private void flush() {
        if (points > 0) {
            send(HttpRequest.newBuilder(URI.create(url + "/write?precision=ns&db=" + DATABASE))
                    .POST(BodyPublishers.ofByteArray(lines.bytes(), 0, lines.length()))
                    .build());
            lines.clear();
            points = 0;
        }
    }

    @Override
    public void finish() {
        flush();
    }

    @Override
    public long count() {
        long records = 0;
        for (final ProbeSource source : ProbeSource.values()) {
            final JsonNode counts = query("SELECT count(sequence) FROM " + source.text());
            records += counts.at("/results/0/series/0/values/0/1").asLong();
        }
        return records;
    }

    @Override
    public long cpuNs() {
        return server.info().totalCpuDuration().orElse(Duration.ZERO).toNanos();
    }

    private JsonNode query(String text) {
        final String answer = send(HttpRequest.newBuilder(URI.create(
                        url + "/query?db=" + DATABASE + "&q=" + URLEncoder.encode(text, StandardCharsets.UTF_8)))
                .POST(BodyPublishers.noBody())
                .build());
        try {
            return new ObjectMapper().readTree(answer);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String send(HttpRequest request) {
        try {
            final HttpResponse<String> response = client.send(request, BodyHandlers.ofString());
            if (response.statusCode() >= 300) {
                throw new IllegalStateException(
                        "server refused: status=" + response.statusCode() + ", " + response.body());
            }
            return response.body();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the server answers", e);
        }
    }

    @Override
    public void close() {
        server.destroy();
        try {
            server.waitFor();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
