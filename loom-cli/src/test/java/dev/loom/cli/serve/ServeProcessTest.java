package dev.loom.cli.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.StoreInfo;
import dev.loom.cli.Cli;
import dev.loom.cli.LoomProcess;
import dev.loom.format.Formats;
import dev.loom.otlp.server.Endpoint;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import dev.loom.query.model.Order;
import dev.loom.server.client.IngestClient;
import dev.loom.server.client.SidecarException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A sidecar in a process of its own: what it has acknowledged survives its death, and it ends cleanly when it is told to. */
@Timeout(value = 180, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ServeProcessTest {
    private static final int CYCLES = Integer.getInteger("loom.cycles", 3);
    private static final long SEED = Long.getLong("loom.test.seed", System.nanoTime());
    /** After this number of cycles a new store takes the place of the old one, which has become long to check. */
    private static final int STORE_CYCLES = 5;

    private static final int STREAMS = 2;
    private static final int BATCH = 50;
    private static final Pattern BODY = Pattern.compile("\"body\":\"([0-9-]+)\"");

    @TempDir
    Path temp;

    private final AtomicLong[] rawAcknowledged = {new AtomicLong(), new AtomicLong()};
    private final long[] rawSent = new long[STREAMS];
    private final Set<String> logsAcknowledged = ConcurrentHashMap.newKeySet();
    private final AtomicLong logs = new AtomicLong();
    private volatile boolean stop;
    private Path store = Path.of("");

    @BeforeEach
    void config() throws IOException {
        store = temp.resolve("store");
        Files.writeString(
                temp.resolve("loom.yaml"), "store: {record_ring_mib: 4}\nreceivers: {otlp: {max_in_flight_mib: 4}}\n");
    }

    /** Takes over what killed processes have left in shared memory. */
    @AfterEach
    void recover() {
        Loom.open(LoomConfig.at(store).build()).close();
    }

    private void renewStore(int number) throws IOException {
        recover();
        try (Stream<Path> files = Files.walk(store)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
        store = temp.resolve("store" + number);
        Arrays.fill(rawSent, 0);
        for (AtomicLong acknowledged : rawAcknowledged) {
            acknowledged.set(0);
        }
        logsAcknowledged.clear();
    }

    private LoomProcess start() throws IOException {
        return LoomProcess.start(
                store,
                "serve",
                "--config",
                temp.resolve("loom.yaml").toString(),
                "--ingest",
                "127.0.0.1:0",
                "--otlp-http",
                "127.0.0.1:0");
    }

    private static String await(LoomProcess process, String name) throws IOException {
        Pattern line = Pattern.compile("listening: " + name + " (\\S+)");
        while (true) {
            String err = process.errSoFar();
            Matcher found = line.matcher(err);
            if (err.contains("serving ") && found.find()) {
                return found.group(1);
            }
            assertTrue(process.alive(), err);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }

    @Test
    void shouldHaveAllThatItAcknowledgedWhenKilled() throws Exception {
        System.out.println("ServeProcessTest: -Dloom.test.seed=" + SEED + " cycles=" + CYCLES);
        Random random = new Random(SEED);
        long raw = 0;
        long logsFound = 0;
        for (int cycle = 0; cycle < CYCLES; cycle++) {
            if (cycle > 0 && cycle % STORE_CYCLES == 0) {
                renewStore(cycle / STORE_CYCLES);
            }
            int logsBefore = logsAcknowledged.size();
            long rawBefore = rawAcknowledged[0].get();
            try (LoomProcess process = start()) {
                Endpoint ingest = Endpoint.parse(await(process, "ingest"));
                URI otlp = URI.create("http://" + await(process, "otlp-http") + "/v1/logs");
                stop = false;
                Thread[] clients = new Thread[STREAMS + 1];
                for (int stream = 0; stream < STREAMS; stream++) {
                    int number = stream;
                    clients[stream] = new Thread(() -> pushRaw(ingest, number));
                }
                clients[STREAMS] = new Thread(() -> postLogs(otlp));
                for (Thread client : clients) {
                    client.start();
                }
                int acknowledged = logsAcknowledged.size();
                while (cycle % 2 == 0 && logsAcknowledged.size() == acknowledged) {
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(500)));
                process.kill();
                stop = true;
                for (Thread client : clients) {
                    client.join();
                }
            }
            raw += rawAcknowledged[0].get() - rawBefore;
            logsFound += logsAcknowledged.size() - logsBefore;
            check();
        }
        System.out.println("ServeProcessTest cycles=" + CYCLES + " acknowledged: raw=" + raw + " logs=" + logsFound);
        assertTrue(raw > 0 && logsFound > 0, "nothing was acknowledged");
    }

    /** Numbered records, each batch again from where the store is known to be. */
    private void pushRaw(Endpoint address, int stream) {
        UnsafeBuffer payloads = new UnsafeBuffer(new byte[BATCH * 16]);
        int[] lengths = new int[BATCH];
        try (IngestClient client = IngestClient.connect(address, "")) {
            int source = client.defineSource("raw-" + stream, Formats.bytes(), Map.of())
                    .id();
            while (!stop) {
                for (int i = 0; i < BATCH; i++) {
                    lengths[i] = 16;
                    payloads.putLong(i * 16, rawSent[stream] + i, ByteOrder.LITTLE_ENDIAN);
                    payloads.putLong(i * 16 + 8, ~(rawSent[stream] + i), ByteOrder.LITTLE_ENDIAN);
                }
                int taken = client.push(source, payloads, lengths, BATCH, () -> stop);
                rawSent[stream] += taken;
                rawAcknowledged[stream].set(rawSent[stream]);
            }
        } catch (SidecarException e) {
            // the sidecar was killed
        }
    }

    private void postLogs(URI address) {
        HttpClient http = HttpClient.newHttpClient();
        while (!stop) {
            StringBuilder records = new StringBuilder();
            Set<String> bodies = new HashSet<>();
            for (int i = 0; i < 10; i++) {
                String body = "1-" + logs.getAndIncrement();
                bodies.add(body);
                records.append(i == 0 ? "" : ",")
                        .append("{\"body\":{\"stringValue\":\"")
                        .append(body)
                        .append("\"}}");
            }
            HttpRequest request = HttpRequest.newBuilder(address)
                    .header("Content-Type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofString(
                            "{\"resourceLogs\":[{\"scopeLogs\":[{\"logRecords\":[" + records + "]}]}]}"))
                    .build();
            try {
                if (http.send(request, BodyHandlers.ofString()).statusCode() == 200) {
                    logsAcknowledged.addAll(bodies);
                }
            } catch (IOException e) {
                return;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    /** Also moves the streams on to what the store has, which may be more than what was acknowledged. */
    private void check() {
        try (LoomReader reader = LoomReader.attach(store);
                Snapshot snapshot = reader.snapshot()) {
            for (int stream = 0; stream < STREAMS; stream++) {
                Source source = snapshot.source("raw-" + stream).orElse(null);
                if (source == null) {
                    assertEquals(0, rawAcknowledged[stream].get());
                    continue;
                }
                long next = 0;
                try (QueryCursor cursor =
                        RawScan.of(snapshot, source).order(Order.OLDEST_FIRST).open()) {
                    while (cursor.next()) {
                        assertEquals(next, cursor.buffer().getLong(cursor.offset(), ByteOrder.LITTLE_ENDIAN));
                        assertEquals(~next, cursor.buffer().getLong(cursor.offset() + 8, ByteOrder.LITTLE_ENDIAN));
                        next++;
                    }
                }
                assertTrue(
                        next >= rawAcknowledged[stream].get(),
                        "acknowledged and lost: stored=" + next + ", acknowledged=" + rawAcknowledged[stream]);
                rawSent[stream] = next;
            }
        }
        Set<String> missing = new HashSet<>(logsAcknowledged);
        Matcher body = BODY.matcher(Cli.on(store).run("scan", "otlp.logs").ok().out());
        while (body.find()) {
            missing.remove(body.group(1));
        }
        assertEquals(Set.of(), missing, "acknowledged and lost");
    }

    @Test
    void shouldAnswerWhatIsUnderWayAndCloseTheStoreWhenTerminated() throws Exception {
        try (LoomProcess process = start()) {
            Endpoint ingest = Endpoint.parse(await(process, "ingest"));
            Thread client = new Thread(() -> pushRaw(ingest, 0));
            client.start();
            while (rawAcknowledged[0].get() == 0) {
                Thread.onSpinWait();
            }
            process.signal("TERM");
            int exitCode = process.exitCode();
            stop = true;
            client.join();
            assertEquals(143, exitCode, process.err());
            assertTrue(process.err().contains("closing"), process.err());
        }
        try (LoomReader reader = LoomReader.attach(store)) {
            assertEquals(StoreInfo.State.CLOSED, reader.info().state());
        }
        long stored =
                Cli.on(store).run("scan", "raw-0", "-o", "json").ok().lines().size();
        assertEquals(rawAcknowledged[0].get(), stored, "what was taken was acknowledged");
    }

    @Test
    void shouldSayWhyItDoesNotStart() throws Exception {
        try (LoomProcess first = start()) {
            await(first, "ingest");
            try (LoomProcess second = start()) {
                assertEquals(3, second.exitCode());
                assertTrue(second.err().contains("pid="), second.err());
                assertEquals(1, second.err().lines().count(), second.err());
            }
        }
    }
}
