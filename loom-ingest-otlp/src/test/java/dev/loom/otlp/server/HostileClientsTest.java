package dev.loom.otlp.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients that mean harm, against a process with 64 MiB of heap, all resident from the start, and the defaults: resident memory
 * rises by no more than the budget and 32 MiB, and a good client is served meanwhile. {@code -Dloom.otlp.hostile=long} for bombs
 * of 1 GiB and more of everything.
 */
class HostileClientsTest {
    private static final boolean LONG = "long".equals(System.getProperty("loom.otlp.hostile"));
    private static final int MIB = 1 << 20;
    private static final int ROUNDS = LONG ? 10 : 1;
    private static final long BOMB_LENGTH = (LONG ? 1024L : 64L) * MIB;
    private static final long BUDGET = 64L * MIB;
    private static final int MESSAGE_LENGTH = 16 * MIB;
    private static final long RISE_MAX = BUDGET + 32L * MIB;
    private static final int ENDED = 0;
    private static final String LOGS_CALL = "/opentelemetry.proto.collector.logs.v1.LogsService/Export";
    private static final String PROTOBUF = "Content-Type: application/x-protobuf\r\n";
    private static final String JSON = "Content-Type: application/json\r\n";
    private static final String POST = "POST /v1/logs HTTP/1.1\r\nHost: localhost\r\n";

    @TempDir
    private Path folder;

    private final CountDownLatch done = new CountDownLatch(1);
    private final AtomicLong served = new AtomicLong();
    private final AtomicLong residentMax = new AtomicLong();
    private final List<Throwable> failures = java.util.Collections.synchronizedList(new ArrayList<>());
    private Process process;
    private BufferedReader output;
    private int port;
    private long residentBefore;
    private int attacks;
    private final List<Thread> threads = new ArrayList<>();

    private interface Attack {
        void run() throws Exception;
    }

    @BeforeEach
    void start() throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-Xms64m",
                "-XX:+AlwaysPreTouch"));
        if (Runtime.version().feature() >= 24) {
            command.add("--sun-misc-unsafe-memory-access=allow");
        }
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), HostileServer.class.getName()));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectError(folder.resolve("stderr").toFile());
        // Else glibc's many arenas keep what the compiler's threads free, some half a megabyte more every round.
        builder.environment().put("MALLOC_ARENA_MAX", "2");
        process = builder.start();
        output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII));
        port = Integer.parseInt(output.readLine());
        warmUp();
        residentBefore = resident();
        background(() -> {
            while (!done.await(5, TimeUnit.MILLISECONDS)) {
                residentMax.accumulateAndGet(resident(), Math::max);
            }
        });
        background(() -> {
            while (done.getCount() > 0) {
                serveGood();
            }
        });
    }

    /** What a server has that was used as it is meant to be: classes, compiled code, threads, buffers, its heap. */
    private void warmUp() throws Exception {
        byte[] some = TestRequests.logs("x".repeat(1000), 100).toByteArray();
        byte[] framed = RawHttp2.framed(some, false);
        parallel(16, () -> {
            for (int i = 0; i < 40; i++) {
                assertEquals(200, postUntilTaken(PROTOBUF, some));
                assertEquals(200, postUntilTaken(PROTOBUF + "Content-Encoding: gzip\r\n", TestRequests.gzip(some)));
                assertEquals(200, postUntilTaken(PROTOBUF + "Content-Encoding: zstd\r\n", TestRequests.zstd(some)));
                try (RawHttp2 client = new RawHttp2(port)) {
                    assertEquals(
                            "0",
                            client.call(LOGS_CALL, framed, "content-type", "application/grpc")
                                    .grpcStatus());
                }
            }
        });
    }

    @AfterEach
    void stop() throws Exception {
        done.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        process.getOutputStream().close();
        assertEquals(0, process.waitFor());
        assertEquals("", Files.readString(folder.resolve("stderr")));
        assertEquals(List.of(), failures);
    }

    @Test
    void shouldBoundMemoryAndServeOthers() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            attack("gzip bombs", this::gzipBombs);
            attack("zstd bombs", this::zstdBombs);
            attack("largest", this::largest);
            attack("long strings", this::longStrings);
            attack("oversize", this::oversize);
            attack("stalled bodies", this::stalledBodies);
            attack("stalled streams", this::stalledStreams);
            attack("trickled frames", this::trickledFrames);
            attack("malformed frames", this::malformedFrames);
            attack("resets", this::resets);
        }
        for (String row : List.of("R29", "R31")) {
            System.out.println("row=" + row + " faults=" + attacks + " checked=" + served.get() + " seed=0");
        }
    }

    /** What the server says of its memory. */
    private String state() throws IOException {
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
        return output.readLine();
    }

    private void attack(String name, Attack attack) throws Exception {
        long servedBefore = served.get();
        attacks++;
        attack.run();
        // At least one request of the good client came through meanwhile or comes through now.
        while (served.get() < servedBefore + 2) {
            Thread.onSpinWait();
            assertTrue(process.isAlive(), name);
            assertEquals(List.of(), failures, name);
        }
        long rise = residentMax.get() - residentBefore;
        System.out.printf(
                "%-18s served=%d, resident before=%d KiB, rise at most=%d KiB, %s%n",
                name, served.get() - servedBefore, residentBefore >> 10, rise >> 10, state());
        assertTrue(rise <= RISE_MAX, name + ": rise=" + rise);
    }

    /** A good client: it is refused only in ways that ask for the request again. */
    private void serveGood() throws IOException {
        byte[] logs = TestRequests.logs("good", 10).toByteArray();
        int status = post(PROTOBUF, logs);
        assertTrue(status == 200 || status == 503 || status == ENDED, "status=" + status);
        if (status == 200) {
            served.incrementAndGet();
        }
    }

    private void gzipBombs() throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out, MIB)) {
            byte[] zeroes = new byte[MIB];
            for (long length = 0; length < BOMB_LENGTH; length += MIB) {
                gzip.write(zeroes);
            }
        }
        bombs("gzip", out.toByteArray());
    }

    private void zstdBombs() throws Exception {
        int blocks = (int) (BOMB_LENGTH / (128 << 10));
        ByteBuffer runs = ByteBuffer.allocate(6 + 4 * blocks).order(ByteOrder.LITTLE_ENDIAN);
        runs.putInt(0xFD2FB528).put((byte) 0).put((byte) 0x58);
        for (int i = 0; i < blocks; i++) {
            int header = (128 << 10) << 3 | 1 << 1 | (i == blocks - 1 ? 1 : 0);
            runs.put((byte) header)
                    .put((byte) (header >>> 8))
                    .put((byte) (header >>> 16))
                    .put((byte) 0);
        }
        bombs("zstd", runs.array());
    }

    private void bombs(String encoding, byte[] bomb) throws Exception {
        parallel(LONG ? 100 : 10, () -> {
            int status = post(PROTOBUF + "Content-Encoding: " + encoding + "\r\n", bomb);
            assertTrue(status == 413 || status == 503 || status == ENDED, "status=" + status);
        });
    }

    /** Requests as large as any may be, from enough clients at once that the budget cannot hold what they become. */
    private void largest() throws Exception {
        byte[] bytes = new byte[MESSAGE_LENGTH];
        java.util.Random random = new java.util.Random(42);
        random.nextBytes(bytes);
        for (int i = bytes.length / 2; i < bytes.length; i++) {
            bytes[i] &= 15;
        }
        byte[] json = new byte[MESSAGE_LENGTH];
        java.util.Arrays.fill(json, (byte) ' ');
        byte[] begin = "{\"resourceLogs\":[{\"scopeLogs\":[{\"logRecords\":[{}".getBytes(StandardCharsets.US_ASCII);
        byte[] one = ",{\"body\":{\"stringValue\":\"hello\"}}".getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(begin, 0, json, 0, begin.length);
        int at = begin.length;
        for (; at < json.length - 100; at += one.length) {
            System.arraycopy(one, 0, json, at, one.length);
        }
        System.arraycopy("]}]}]}".getBytes(StandardCharsets.US_ASCII), 0, json, at, 6);
        largest(PROTOBUF, "zstd", TestRequests.zstd(bytes));
        largest(PROTOBUF, "gzip", TestRequests.fastGzip(bytes));
        largest(JSON, "identity", json);
    }

    private void largest(String type, String encoding, byte[] body) throws Exception {
        AtomicLong taken = new AtomicLong();
        parallel(4, () -> {
            assertEquals(200, postUntilTaken(type + "Content-Encoding: " + encoding + "\r\n", body), type + encoding);
            taken.incrementAndGet();
        });
        assertEquals(4, taken.get(), type + encoding);
    }

    /** Strings in JSON are on the heap for a moment: the longest ones that are taken, and longer ones. */
    private void longStrings() throws Exception {
        byte[] longest = json(4 * MIB);
        byte[] longer = json(15 * MIB);
        parallel(4, () -> {
            for (int i = 0; i < 3; i++) {
                assertEquals(200, postUntilTaken(JSON, longest));
            }
        });
        parallel(4, () -> {
            int status = post(JSON, longer);
            assertTrue(status == 400 || status == 503 || status == ENDED, "status=" + status);
        });
    }

    private static byte[] json(int stringLength) {
        return ("{\"resourceLogs\":[{\"schemaUrl\":\"" + "x".repeat(stringLength) + "\"}]}")
                .getBytes(StandardCharsets.US_ASCII);
    }

    private void oversize() throws Exception {
        parallel(20, () -> {
            try (RawHttp1 client = new RawHttp1(port)) {
                client.send(POST + PROTOBUF + "Transfer-Encoding: chunked\r\n\r\n");
                byte[] chunk = new byte[MIB];
                try {
                    for (int i = 0; i < 200; i++) {
                        client.send("100000\r\n");
                        client.send(chunk);
                        client.send("\r\n");
                    }
                } catch (java.net.SocketException e) {
                    return; // it was ended
                }
                int status = client.status();
                assertTrue(status == 413 || status == 503 || status == 0, "status=" + status);
            }
        });
    }

    /** More bytes than the budget has, from clients that then wait: they have to give way. */
    private void stalledBodies() throws Exception {
        List<RawHttp1> clients = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            RawHttp1 client = new RawHttp1(port);
            clients.add(client);
            try {
                client.send(POST + PROTOBUF + "Content-Length: 10000000\r\n\r\n");
                client.send(new byte[400_000]);
            } catch (java.net.SocketException e) {
                // gave way already
            }
        }
        awaitServed(20);
        for (RawHttp1 client : clients) {
            client.close();
        }
    }

    /** As many streams as are allowed, with as many headers as are allowed, on most of the connections that are allowed. */
    private void stalledStreams() throws Exception {
        List<RawHttp2> clients = new ArrayList<>();
        String filler = "x".repeat(7000);
        for (int i = 0; i < 240; i++) {
            try {
                RawHttp2 client = new RawHttp2(port);
                clients.add(client);
                for (int stream = 0; stream < 16; stream++) {
                    int id = client.open(LOGS_CALL, false, "content-type", "application/grpc", "x-filler", filler);
                    client.data(id, false, new byte[] {0, 0, 0, 2, 0, 1});
                }
            } catch (java.net.SocketException e) {
                // one too many
            }
        }
        awaitServed(20);
        for (RawHttp2 client : clients) {
            client.close();
        }
    }

    private void trickledFrames() throws Exception {
        parallel(40, () -> {
            try (RawHttp2 client = new RawHttp2(port)) {
                int stream = client.open(LOGS_CALL, false, "content-type", "application/grpc");
                client.data(stream, false, new byte[] {0, 0, 1, 0, 0});
                for (int i = 0; i < 2000; i++) {
                    client.data(stream, false, new byte[] {1});
                }
            } catch (java.net.SocketException e) {
                // the connection was ended
            }
        });
    }

    private void malformedFrames() throws Exception {
        java.util.Random random = new java.util.Random(42);
        for (int i = 0; i < 300; i++) {
            byte[] noise = new byte[random.nextInt(3000)];
            random.nextBytes(noise);
            try (RawHttp2 client = new RawHttp2(port)) {
                client.frame(random.nextInt(12), random.nextInt(256), random.nextInt(8), noise);
                client.frame(random.nextInt(12), random.nextInt(256), random.nextInt(8), new byte[random.nextInt(10)]);
            } catch (java.net.SocketException e) {
                // the connection was ended
            }
        }
    }

    /** Opened and reset as fast as can be: CVE-2023-44487; and headers that never end. */
    private void resets() throws Exception {
        parallel(20, () -> {
            try (RawHttp2 client = new RawHttp2(port)) {
                for (int i = 0; i < 3000; i++) {
                    int stream = client.open(LOGS_CALL, false, "content-type", "application/grpc");
                    client.frame(RawHttp2.RST_STREAM, 0, stream, new byte[] {0, 0, 0, 8});
                }
            } catch (java.net.SocketException e) {
                // the connection was ended
            }
            try (RawHttp2 client = new RawHttp2(port)) {
                client.frame(RawHttp2.HEADERS, 0, 1, client.headers(LOGS_CALL));
                for (int i = 0; i < 3000; i++) {
                    client.frame(RawHttp2.CONTINUATION, 0, 1, new byte[1000]);
                }
            } catch (java.net.SocketException e) {
                // the connection was ended
            }
        });
    }

    private void awaitServed(int count) {
        long until = served.get() + count;
        while (served.get() < until && failures.isEmpty()) {
            Thread.onSpinWait();
        }
    }

    private void parallel(int count, Attack attack) throws Exception {
        List<Thread> attackers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            attackers.add(thread(attack));
        }
        for (Thread attacker : attackers) {
            attacker.join();
        }
    }

    private void background(Attack task) {
        threads.add(thread(task));
    }

    private Thread thread(Attack task) {
        Thread thread = new Thread(() -> {
            try {
                task.run();
            } catch (Throwable e) {
                failures.add(e);
            }
        });
        thread.start();
        return thread;
    }

    /** As a good client does: what asks for the request again, or ends the connection, is followed by another attempt. */
    private int postUntilTaken(String headers, byte[] body) throws IOException {
        int status = post(headers, body);
        while (status == 503 || status == ENDED) {
            status = post(headers, body);
        }
        return status;
    }

    /**
     * Returns the answer's status, or {@link #ENDED} when the connection was ended without one: there are too many, or others
     * wait for the memory that a slow request has, or what was refused came on and met a closed socket.
     */
    private int post(String headers, byte[] body) throws IOException {
        try (RawHttp1 client = new RawHttp1(port)) {
            client.send(POST + headers + "Content-Length: " + body.length + "\r\n\r\n");
            client.send(body);
            return client.status();
        } catch (java.net.SocketException e) {
            return ENDED;
        }
    }

    /** Resident bytes of the process: heap, code, mapped files and shared memory, which the budget is. */
    private long resident() throws IOException {
        return Files.readAllLines(Path.of("/proc/" + process.pid() + "/status")).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
                .findFirst()
                .orElse(0);
    }
}
