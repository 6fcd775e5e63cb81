package dev.loom.otlp.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Point 45: how serving ends. */
class CloseTest {
    private static final String LOGS_CALL = "/opentelemetry.proto.collector.logs.v1.LogsService/Export";
    private static final String POST =
            "POST /v1/logs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-protobuf\r\n";
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    /** How long this thread spins, by its own processor time. */
    private static final long SPIN_NS = TimeUnit.MILLISECONDS.toNanos(500);
    /** What the threads that accept may use meanwhile, all together. */
    private static final long ACCEPTORS_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final Executor THREAD = task -> {
        Thread thread = new Thread(task, "close-test");
        thread.setDaemon(true);
        thread.start();
    };

    @TempDir
    private Path folder;

    private final Exported exported = new Exported();

    @Test
    void point45ShouldFinishWhatIsInFlightAndRefuseTheRest() throws Exception {
        Semaphore arrived = new Semaphore(0);
        Semaphore proceed = new Semaphore(0);
        exported.answer = outcome -> {
            arrived.release();
            proceed.acquireUninterruptibly();
        };
        TestServer server = new TestServer(exported);
        byte[] logs = RawHttp2.framed(TestRequests.logs("hello", 1).toByteArray(), false);
        try (RawHttp2 grpc = new RawHttp2(server.grpcPort());
                RawHttp1 http = new RawHttp1(server.httpPort())) {
            int inFlight = grpc.open(LOGS_CALL, false, "content-type", "application/grpc");
            grpc.data(inFlight, true, logs);
            http.send(POST + "Content-Length: 0\r\n\r\n");
            arrived.acquire(2);
            int port = server.httpPort();
            CompletableFuture<Void> closed =
                    CompletableFuture.runAsync(() -> close(server, Duration.ofSeconds(30)), THREAD);
            // No connection is taken from here on; those that there are get an answer that asks for the request again.
            while (accepts(port)) {
                Thread.onSpinWait();
            }
            int late = grpc.open(LOGS_CALL, false, "content-type", "application/grpc");
            assertEquals("14", grpc.answer(late).grpcStatus());
            proceed.release(2);
            assertEquals("0", grpc.answer(inFlight).grpcStatus());
            assertEquals(200, http.status());
            closed.get();
            http.awaitEnd();
        }
        assertEquals(2, exported.logs.size());
        assertEquals(0, server.receiver.bytesInFlight());
    }

    @Test
    void point45ShouldNotWaitLongerThanTold() throws Exception {
        TestServer server = new TestServer(exported);
        int port = server.httpPort();
        try (RawHttp1 http = new RawHttp1(port)) {
            http.send(POST + "Content-Length: 10\r\n\r\n");
            http.send("1");
            while (server.receiver.bytesInFlight() == 0) {
                Thread.onSpinWait();
            }
            close(server, Duration.ofMillis(10));
            http.awaitEnd();
        }
        server.close();
        assertFalse(accepts(port));
    }

    /** Requests in flight may take seconds, for which nothing can be accepted. */
    @Test
    void shouldNotTryToAcceptOnceEndpointsAreClosed() throws Exception {
        try (TestServer server = new TestServer(
                exported,
                TestServer.config(),
                ServerProtection.defaults(),
                Endpoint.parse("localhost:0"),
                Endpoint.parse("unix:" + folder.resolve("otlp.sock")))) {
            server.servers.drain();
            long acceptedNs = acceptorsCpuNs();
            long spunNs = THREADS.getCurrentThreadCpuTime();
            while (THREADS.getCurrentThreadCpuTime() - spunNs < SPIN_NS) {
                Thread.onSpinWait();
            }
            long usedNs = acceptorsCpuNs() - acceptedNs;
            assertTrue(usedNs < ACCEPTORS_NS, () -> "ns=" + usedNs);
        }
    }

    private static long acceptorsCpuNs() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().contains("-acceptor-"))
                .mapToLong(thread -> THREADS.getThreadCpuTime(thread.getId()))
                .filter(ns -> ns >= 0)
                .sum();
    }

    private static boolean accepts(int port) {
        try {
            new RawHttp1(port).close();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static void close(TestServer server, Duration timeout) {
        try {
            server.servers.close(timeout);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
