package dev.loom.bench.page;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A Chromium without a screen, told what to do by its DevTools protocol. For one thread. */
public final class Chromium implements AutoCloseable {
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long STEP_NS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final JsonMapper JSON = new JsonMapper();

    private final Process process;
    private final WebSocket socket;
    private final Messages messages;
    private int requests;

    private Chromium(Process process, WebSocket socket, Messages messages) {
        this.process = process;
        this.socket = socket;
        this.messages = messages;
    }

    /**
     * Starts one with an empty page.
     *
     * @param binary such as {@code /usr/bin/chromium}
     * @param directory for its profile and what it prints
     */
    public static Chromium start(Path binary, Path directory) throws IOException, InterruptedException {
        final Path profile = directory.resolve("profile");
        final Path output = directory.resolve("chromium.log");
        final Process process = new ProcessBuilder(
                        binary.toString(),
                        "--headless=new",
                        "--no-sandbox", // Chromium refuses to run as root otherwise
                        "--disable-gpu",
                        "--disable-dev-shm-usage",
                        "--window-size=1280,1000",
                        "--user-data-dir=" + profile,
                        "--remote-debugging-port=0",
                        "about:blank")
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            final HttpClient client = HttpClient.newHttpClient();
            final URI page = page(client, port(process, profile.resolve("DevToolsActivePort"), output));
            final Messages messages = new Messages();
            return new Chromium(
                    process,
                    client.newWebSocketBuilder().buildAsync(page, messages).join(),
                    messages);
        } catch (IOException | InterruptedException | RuntimeException e) {
            end(process);
            throw e;
        }
    }

    private static String port(Process process, Path file, Path output) throws IOException {
        final long beganNs = System.nanoTime();
        while (process.isAlive() && System.nanoTime() - beganNs < TIMEOUT_NS) {
            final List<String> lines = Files.exists(file) ? Files.readAllLines(file) : List.of();
            if (lines.size() > 1) {
                return lines.get(0);
            }
            LockSupport.parkNanos(STEP_NS);
        }
        throw new IllegalStateException("Chromium did not start: " + Files.readString(output));
    }

    /** Where its page is told what to do. */
    private static URI page(HttpClient client, String port) throws IOException, InterruptedException {
        final HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/json/list"))
                .build();
        for (JsonNode target :
                JSON.readTree(client.send(request, BodyHandlers.ofString()).body())) {
            if (target.path("type").textValue().equals("page")) {
                return URI.create(target.path("webSocketDebuggerUrl").textValue());
            }
        }
        throw new IllegalStateException("Chromium has no page");
    }

    /** Goes to an address; returns once its document has begun. */
    public void open(String address) throws IOException, InterruptedException {
        call("Page.navigate", Map.of("url", address));
    }

    /** The value of an expression, or of its promise. */
    public JsonNode evaluate(String expression) throws IOException, InterruptedException {
        final JsonNode result =
                call("Runtime.evaluate", Map.of("expression", expression, "awaitPromise", true, "returnByValue", true));
        if (result.has("exceptionDetails")) {
            throw new IllegalStateException("expression failed: " + result);
        }
        return result.path("result").path("value");
    }

    private JsonNode call(String method, Map<String, Object> parameters) throws IOException, InterruptedException {
        final int id = ++requests;
        socket.sendText(JSON.writeValueAsString(Map.of("id", id, "method", method, "params", parameters)), true)
                .join();
        while (true) {
            final String message = messages.whole.poll(TIMEOUT_NS, TimeUnit.NANOSECONDS);
            if (message == null) {
                throw new IllegalStateException("Chromium does not answer: method=" + method);
            }
            final JsonNode answer = JSON.readTree(message);
            if (answer.has("error")) {
                throw new IllegalStateException(method + " failed: " + message);
            } else if (answer.path("id").intValue() == id) {
                return answer.path("result");
            }
        }
    }

    @Override
    public void close() {
        socket.abort();
        end(process);
    }

    private static void end(Process process) {
        process.descendants().forEach(ProcessHandle::destroy);
        process.destroy();
        try {
            if (!process.waitFor(TIMEOUT_NS, TimeUnit.NANOSECONDS)) {
                process.destroyForcibly();
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Joins the parts of messages. */
    private static final class Messages implements WebSocket.Listener {
        private final BlockingQueue<String> whole = new ArrayBlockingQueue<>(1024);
        private final StringBuilder part = new StringBuilder();

        @Override
        public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence text, boolean last) {
            part.append(text);
            if (last) {
                whole.add(part.toString());
                part.setLength(0);
            }
            from.request(1);
            return null;
        }
    }
}
