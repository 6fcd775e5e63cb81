package dev.loom.server;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;

/** Asks servers under test over HTTP. Usable from any thread. */
public final class TestClient {
    /** The names of endpoints. */
    public static final String API = "http";

    public static final String RECEIVER = "otlp-http";

    public static final String JSON = "application/json";
    public static final String FORM = "application/x-www-form-urlencoded";

    private final HttpClient http;

    /** Asks to upgrade connections to HTTP/2, as Java's client does by itself. */
    public TestClient() {
        this(HttpClient.newHttpClient());
    }

    TestClient(HttpClient http) {
        this.http = http;
    }

    /** The address of a path of an endpoint, with parameters. */
    public static URI uri(LoomServer server, String endpoint, String path) {
        return URI.create("http://" + server.addresses().get(endpoint)
                + path.replace("[", "%5B").replace("]", "%5D"));
    }

    /**
     * A request to the API.
     *
     * @param headers names and values in turn
     */
    public static HttpRequest.Builder request(LoomServer server, String path, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri(server, API, path));
        return headers.length == 0 ? request : request.headers(headers);
    }

    /** As {@link #request}, with a body of a type. */
    public static HttpRequest.Builder request(
            LoomServer server, String path, String type, byte[] body, String... headers) {
        return request(server, path, headers).header("Content-Type", type).POST(BodyPublishers.ofByteArray(body));
    }

    public <T> HttpResponse<T> send(HttpRequest.Builder request, BodyHandler<T> reading)
            throws IOException, InterruptedException {
        return http.send(request.build(), reading);
    }

    public HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return send(request, BodyHandlers.ofString());
    }

    /** Asks the API by GET. */
    public HttpResponse<String> get(LoomServer server, String path, String... headers)
            throws IOException, InterruptedException {
        return send(request(server, path, headers));
    }

    /** Sends JSON to the API. */
    public HttpResponse<String> post(LoomServer server, String path, String json)
            throws IOException, InterruptedException {
        return post(server, API, path, JSON, json);
    }

    /** Sends JSON to the receiver of OTLP. */
    public HttpResponse<String> postOtlp(LoomServer server, String path, String json)
            throws IOException, InterruptedException {
        return post(server, RECEIVER, path, JSON, json);
    }

    /** Sends a body to an endpoint. */
    public HttpResponse<String> post(LoomServer server, String endpoint, String path, String type, String body)
            throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(uri(server, endpoint, path))
                .header("Content-Type", type)
                .POST(BodyPublishers.ofString(body)));
    }
}
