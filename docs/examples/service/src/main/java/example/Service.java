package example;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.loom.Loom;
import dev.loom.Recorder;
import dev.loom.api.Source;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A small HTTP service that records each of its requests, and answers questions about them itself.
 *
 * <pre>
 *   GET /hello/...                the service
 *   GET /telemetry/slowest?n=5    the slowest requests so far
 *   GET /telemetry/latency?p=99   count and a percentile of the latency
 * </pre>
 */
public final class Service implements AutoCloseable {
    private final ExecutorService threads = Executors.newFixedThreadPool(4);
    private final Recorder recorder;
    private final RequestLog requests;
    private final RequestQueries queries;
    private final HttpServer server;

    Service(Path directory, int port) throws IOException {
        recorder = Recorder.on(Loom.open(directory)).start();
        requests = new RequestLog(recorder);
        queries = new RequestQueries(recorder, requests.source());
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        server.createContext("/hello/", exchange -> serve(exchange, () -> "hello\n"));
        server.createContext(
                "/telemetry/slowest", exchange -> serve(exchange, () -> queries.slowest(number(exchange, "n", 5))));
        server.createContext(
                "/telemetry/latency", exchange -> serve(exchange, () -> queries.latency(number(exchange, "p", 99))));
        server.setExecutor(threads);
        server.start();
    }

    int port() {
        return server.getAddress().getPort();
    }

    /** What a request is answered with. */
    private interface Answer {
        String text();
    }

    /** Answers, and records how long that took; whatever becomes of the record, the request is served. */
    private void serve(HttpExchange exchange, Answer answer) throws IOException {
        long startNs = System.nanoTime();
        int status = 500;
        try (exchange) {
            byte[] body;
            try {
                body = answer.text().getBytes(StandardCharsets.UTF_8);
                status = 200;
            } catch (IllegalArgumentException e) {
                body = (e.getMessage() + "\n").getBytes(StandardCharsets.UTF_8);
                status = 400;
            }
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
        } finally {
            requests.record(
                    System.nanoTime() - startNs,
                    status,
                    exchange.getRequestMethod(),
                    exchange.getRequestURI().getPath());
        }
    }

    private static int number(HttpExchange exchange, String name, int otherwise) {
        String query = exchange.getRequestURI().getQuery();
        if (query == null) {
            return otherwise;
        }
        if (!query.matches(name + "=\\d{1,4}")) {
            throw new IllegalArgumentException("expected " + name + "=NUMBER: query=" + query);
        }
        return Integer.parseInt(query.substring(name.length() + 1));
    }

    Source source() {
        return requests.source();
    }

    Recorder recorder() {
        return recorder;
    }

    /** First who records, then the recorder, which closes the store. */
    @Override
    public void close() {
        server.stop(1);
        threads.shutdownNow();
        recorder.close();
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        // else each answer of the JDK's server takes 40 ms on JDK 17
        System.setProperty("sun.net.httpserver.nodelay", "true");
        if (args.length != 2) {
            System.err.println("usage: service DIRECTORY PORT|check");
            System.exit(2);
        }
        Path directory = Path.of(args[0]);
        if (args[1].equals("check")) {
            ServiceCheck.run(directory);
            return;
        }
        Service service = new Service(directory, Integer.parseInt(args[1]));
        System.out.println("http://127.0.0.1:" + service.port() + "/hello/you, and /telemetry/slowest; end it by Enter");
        System.in.read();
        service.close();
    }
}
