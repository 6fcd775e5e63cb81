package dev.loom.otlp.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.otlp.Signal;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.ConnectionMetaData;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;

/** What becomes of the server when its threads are interrupted, or nothing more can be allocated. */
class SurvivalTest {
    private static final String REQUEST =
            "POST /v1/logs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-protobuf\r\nContent-Length: 0\r\n\r\n";

    private final Exported exported = new Exported();

    private static int status(HttpServers servers) throws IOException {
        try (RawHttp1 client = new RawHttp1(servers.port(0))) {
            client.send(REQUEST);
            return client.status();
        }
    }

    @Test
    void shouldServeOnWhenFailuresCannotEvenBeTold() throws Exception {
        OtlpReceiver receiver = new OtlpReceiver(
                TestServer.config(), ServerProtection.defaults(), exported, TestServer::transcode, failure -> {
                    throw new OutOfMemoryError("to tell of " + failure);
                });
        HttpServers.Listener listener =
                new HttpServers.Listener(Endpoint.parse("localhost:0"), receiver, receiver.refusals());
        try (HttpServers servers = HttpServers.start(ServerProtection.defaults(), List.of(listener), failure -> {})) {
            exported.answer = outcome -> {
                throw new StackOverflowError("of the handler");
            };
            // more often than there are workers
            for (int i = 0; i <= TestServer.config().exportThreads(); i++) {
                assertEquals(500, status(servers));
            }
            exported.answer = outcome -> {};
            assertEquals(200, status(servers));
        }
    }

    /** A worker that no thread can be had for is one for the next request. */
    @Test
    void shouldKeepWorkersThatNoThreadCanBeHadFor() throws Exception {
        Throwable[] failures = {new RejectedExecutionException("full"), new OutOfMemoryError("no native thread")};
        int[] tasks = {0};
        ExportWorkers workers = new ExportWorkers(
                1,
                () -> new ExportWorker(null, new DecodeLimits(1, 1), exported, TestServer::transcode),
                task -> {
                    if (tasks[0] < failures.length) {
                        Throwable failure = failures[tasks[0]++];
                        if (failure instanceof Error error) {
                            throw error;
                        }
                        throw (RuntimeException) failure;
                    }
                    tasks[0]++;
                },
                failure -> {});
        for (int i = 0; i < failures.length; i++) {
            RefusalException refused = null;
            try {
                workers.submit(null, 0);
            } catch (RefusalException e) {
                refused = e;
            }
            assertTrue(refused != null && refused.refusal().reason() == Refusal.Reason.UNAVAILABLE);
        }
        workers.submit(null, 0);
        assertEquals(failures.length + 1, tasks[0]);
    }

    /** As Jetty's pool does. */
    @Test
    void shouldNotShareAWorkerWhoseTaskWasKeptThoughThereWasNoThread() throws Exception {
        List<Runnable> tasks = new ArrayList<>();
        List<Throwable> failed = new ArrayList<>();
        ExportWorkers workers = new ExportWorkers(
                1,
                () -> new ExportWorker(null, new DecodeLimits(1, 1), exported, TestServer::transcode),
                task -> {
                    tasks.add(task);
                    if (tasks.size() == 1) {
                        throw new OutOfMemoryError("no native thread");
                    }
                },
                failed::add);
        try (TestServer server = new TestServer(exported)) {
            Exchange exchange = new HttpExchange(
                    server.receiver, Signal.LOGS, ContentEncoding.IDENTITY, false, request(), null, Callback.NOOP);
            assertThrows(RefusalException.class, () -> workers.submit(exchange, 0));
            tasks.get(0).run();
            workers.submit(exchange, 0); // takes the only worker
            workers.submit(exchange, 0); // waits for it
            assertEquals(2, tasks.size());
        }
        assertEquals(List.of(), failed);
    }

    /** A request that began to wait while another one still looked for a thread. */
    @Test
    void shouldRefuseWhatWaitsForAWorkerThatGetsNoThread() throws Exception {
        Semaphore busy = new Semaphore(0);
        Semaphore proceed = new Semaphore(0);
        exported.answer = outcome -> {
            busy.release();
            proceed.acquireUninterruptibly();
        };
        List<Integer> statuses = new ArrayList<>();
        List<Throwable> failed = new ArrayList<>();
        try (TestServer server = new TestServer(
                        exported, TestServer.config().withExportThreads(1), ServerProtection.defaults());
                RawHttp1 client = new RawHttp1(server.httpPort())) {
            client.send(REQUEST);
            busy.acquire();
            Exchange exchange = new HttpExchange(
                    server.receiver,
                    Signal.LOGS,
                    ContentEncoding.IDENTITY,
                    false,
                    request(),
                    response(statuses),
                    Callback.NOOP);
            exchange.start(); // waits, as the server's only worker is busy
            assertEquals(1, server.receiver.workers().waiting());
            ExportWorkers[] workers = new ExportWorkers[1];
            workers[0] = new ExportWorkers(
                    1,
                    () -> new ExportWorker(null, new DecodeLimits(1, 1), exported, TestServer::transcode),
                    task -> {
                        try {
                            workers[0].submit(exchange, 0);
                        } catch (RefusalException e) {
                            failed.add(e);
                        }
                        throw new RejectedExecutionException("full");
                    },
                    failed::add);
            assertThrows(RefusalException.class, () -> workers[0].submit(null, 0));
            assertEquals(0, workers[0].waiting());
            assertEquals(List.of(503), statuses);
            proceed.release();
            assertEquals(200, client.status());
        }
        assertEquals(List.of(503), statuses);
        assertEquals(List.of(), failed);
    }

    /** A request without a body. */
    private static Request request() {
        ConnectionMetaData connection = proxy(
                ConnectionMetaData.class,
                (proxy, method, arguments) -> method.getName().equals("getHttpVersion") ? HttpVersion.HTTP_2 : null);
        return proxy(Request.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "read" -> Content.Chunk.EOF;
            case "getConnectionMetaData" -> connection;
            case "getHeaders" -> HttpFields.EMPTY;
            default -> method.getReturnType() == long.class ? 0L : null;
        });
    }

    /** An answer of which the status is kept. */
    private static Response response(List<Integer> statuses) {
        HttpFields.Mutable headers = HttpFields.build();
        return proxy(Response.class, (proxy, method, arguments) -> {
            if (method.getName().equals("setStatus")) {
                statuses.add((Integer) arguments[0]);
            }
            return method.getName().equals("getHeaders") ? headers : null;
        });
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    @Test
    void shouldSayThatAnEndpointNoLongerListens() throws Exception {
        try (TestServer server = new TestServer(exported)) {
            assertEquals(Optional.empty(), server.servers.problem());
            while (server.servers.problem().isEmpty()) {
                // again and again, for it may not yet have begun to accept, nor have its name
                Thread.getAllStackTraces().keySet().stream()
                        .filter(thread -> thread.getName().contains("acceptor")
                                && thread.getName().contains(":" + server.httpPort() + "}"))
                        .forEach(Thread::interrupt);
                Thread.onSpinWait();
            }
            assertEquals(
                    "endpoint no longer listens: endpoint=localhost:0",
                    server.servers.problem().orElseThrow());
        }
    }
}
