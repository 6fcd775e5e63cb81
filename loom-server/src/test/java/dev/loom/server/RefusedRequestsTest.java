package dev.loom.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.loom.LoomReader;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.otlp.tls.ClientTls;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import dev.loom.server.protocol.FrameDescriptor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A table of what each port must refuse. Of requests that a token, host or origin forbids the headers are sent alone, and a body of a million
 * bytes is announced: an answer cannot have waited for any of it. Those of others are read first, so that their clients are not reset while
 * they send them.
 */
final class RefusedRequestsTest {
    private static final String TOKEN = "s3cret";
    private static final String RIGHT = "Bearer " + TOKEN;
    private static final String GRPC = "otlp-grpc";
    private static final String HTTP = "otlp-http";
    private static final String API = "http";
    private static final String RAW = "ingest";
    private static final String CALL = "/opentelemetry.proto.collector.logs.v1.LogsService/Export";
    private static final String UNREAD = "Content-Length: 1000000\r\n\r\n";
    private static final String WHOLE = "Content-Length: 2\r\n\r\n{}";

    static final List<String> TOKENS = List.of(
            "",
            "Bearer",
            "Bearer ",
            "Bearer s3cre",
            "Bearer s3crett",
            "Bearer S3CRET",
            "Basic s3cret",
            "s3cret",
            "Bearer s3cret s3cret",
            "Bearer \"s3cret\"",
            "Bearer " + "x".repeat(4000));
    static final List<String> HOSTS = List.of(
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "telemetry.example.",
            "xtelemetry.example",
            "1.2.3",
            "0x7f000001",
            "localhost.",
            "evil.example:4318");
    static final List<String> ORIGINS = List.of(
            "https://evil.example",
            "http://app.example",
            "https://app.example.evil.example",
            "https://app.example:444",
            "https://xapp.example",
            "null",
            "file://",
            "http://localhost:3000");
    static final List<String> TYPES = List.of(
            "text/plain",
            "text/plain;application/json",
            "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=x",
            "application/octet-stream",
            "application/jsonx",
            "application/protobuf-x",
            "application",
            "*/*");
    private static final List<String> PATHS = List.of(
            "/v",
            "/v1",
            "/v1/",
            "/v1/logs/",
            "/V1/LOGS",
            "/v1/logs2",
            "/v2/logs",
            "/v1/scan/",
            "/etc/passwd",
            CALL + "x");
    /** Refused as malformed, before anything else is looked at. */
    private static final List<String> MALFORMED_PATHS =
            List.of("//v1/logs", "/v1//logs", "/v1/%2e%2e/logs", "/v1%2Flogs");

    private static final List<String> METHODS = List.of("GET", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE");
    private static final List<String> ENCODINGS = List.of("br", "deflate", "gzip, gzip", "zstd2", "compress");

    @TempDir
    private static Path folder;

    private static TestIdentity own;
    private static TestIdentity stranger;
    private static LoomServer plain;
    private static LoomServer encrypted;
    private static int refused;

    @BeforeAll
    static void start() throws Exception {
        own = TestIdentity.create(folder, "own");
        stranger = TestIdentity.create(folder, "stranger");
        Path token = Files.writeString(folder.resolve("token"), TOKEN);
        Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-------"));
        String protection = "auth: {token_file: " + token
                + "}, allowed_hosts: [telemetry.example], cors: {allowed_origins: [\"https://app.example\"]}";
        plain = open("plain", protection);
        encrypted = open(
                "encrypted",
                "tls: {cert_file: " + own.cert() + ", key_file: " + own.key() + ", client_ca_file: " + own.cert()
                        + "}");
    }

    private static LoomServer open(String name, String server) throws IOException {
        return LoomServer.open(TestServers.settings(
                        Files.createDirectory(folder.resolve(name)),
                        "server: {" + server + "}",
                        "receivers.otlp.protocols.grpc.endpoint",
                        TestServers.OTLP_HTTP,
                        TestServers.API,
                        TestServers.INGEST)
                .build());
    }

    @AfterAll
    static void requireNothingStored() throws IOException {
        plain.close();
        encrypted.close();
        for (String name : List.of("plain", "encrypted")) {
            try (LoomReader reader = LoomReader.attach(folder.resolve(name).resolve("store"));
                    Snapshot snapshot = reader.snapshot()) {
                for (Source source : snapshot.sources()) {
                    try (QueryCursor record = RawScan.of(snapshot, source).open()) {
                        assertFalse(record.next(), source.name());
                    }
                }
            }
        }
        System.out.println("row=R32 faults=" + refused + " checked=" + refused + " seed=0");
        assertTrue(refused >= 200, "cases=" + refused);
    }

    private static Socket connect(LoomServer server, String port) throws IOException {
        String address = String.valueOf(server.addresses().get(port));
        Socket socket = new Socket(
                InetAddress.getLoopbackAddress(), Integer.parseInt(address.substring(address.lastIndexOf(':') + 1)));
        socket.setTcpNoDelay(true);
        return socket;
    }

    /** What a server answers to these bytes in HTTP/1; 0 if it ends the connection instead. */
    private static int status(String port, String request) throws IOException {
        try (Socket socket = connect(plain, port)) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            byte[] line = socket.getInputStream().readNBytes("HTTP/1.1 200".length());
            return line.length == 0 ? 0 : Integer.parseInt(new String(line, StandardCharsets.ISO_8859_1).substring(9));
        }
    }

    private static String head(String method, String path, String... headers) {
        StringBuilder head = new StringBuilder(method + " " + path + " HTTP/1.1\r\n");
        for (int i = 0; i < headers.length; i += 2) {
            head.append(headers[i]).append(": ").append(headers[i + 1]).append("\r\n");
        }
        return head.toString();
    }

    private static String right(String port) {
        return port.equals(API) ? "/v1/scan" : "/v1/logs";
    }

    private static Stream<Arguments> requests() {
        List<Arguments> cases = new ArrayList<>();
        for (String port : List.of(HTTP, API)) {
            String path = right(port);
            String type = "application/json";
            TOKENS.forEach(token -> cases.add(arguments(
                    port,
                    head("POST", path, "Host", "localhost", "Authorization", token, "Content-Type", type) + UNREAD,
                    401)));
            METHODS.forEach(
                    method -> cases.add(arguments(port, head(method, path, "Host", "localhost") + UNREAD, 401)));
            PATHS.forEach(other -> cases.add(arguments(port, head("POST", other, "Host", "localhost") + UNREAD, 401)));
            MALFORMED_PATHS.forEach(
                    other -> cases.add(arguments(port, head("POST", other, "Host", "localhost") + UNREAD, 400)));
            HOSTS.forEach(host -> cases.add(arguments(
                    port,
                    head("POST", path, "Host", host, "Authorization", RIGHT, "Content-Type", type) + UNREAD,
                    403)));
            ORIGINS.forEach(origin -> cases.add(arguments(
                    port,
                    head("POST", path, "Host", "localhost", "Origin", origin, "Authorization", RIGHT) + UNREAD,
                    403)));
            ORIGINS.forEach(origin -> cases.add(arguments(
                    port,
                    head(
                                    "OPTIONS",
                                    path,
                                    "Host",
                                    "localhost",
                                    "Origin",
                                    origin,
                                    "Access-Control-Request-Method",
                                    "POST")
                            + UNREAD,
                    403)));
            String[] admitted = {"Host", "localhost", "Authorization", RIGHT, "Content-Type", type};
            PATHS.forEach(other -> cases.add(arguments(port, head("POST", other, admitted) + WHOLE, 404)));
            METHODS.forEach(method -> cases.add(arguments(port, head(method, path, admitted) + WHOLE, 405)));
            TYPES.forEach(other -> cases.add(arguments(
                    port,
                    head("POST", path, "Host", "localhost", "Authorization", RIGHT, "Content-Type", other) + WHOLE,
                    415)));
            ENCODINGS.forEach(encoding -> cases.add(arguments(
                    port,
                    head("POST", path, admitted) + "Content-Encoding: " + encoding + "\r\n" + WHOLE,
                    port.equals(API) ? 415 : 400)));
        }
        return cases.stream();
    }

    @ParameterizedTest
    @MethodSource("requests")
    void shouldRefuseRequests(String port, String request, int status) throws IOException {
        assertEquals(status, status(port, request));
        refused++;
    }

    private static Stream<Arguments> otherApis() {
        List<Arguments> cases = new ArrayList<>();
        String type = "application/json";
        for (String path : List.of("/jaeger/api/services", "/tempo/api/search", "/tempo/api/echo", "/mcp")) {
            String right = path.equals("/mcp") ? "POST" : "GET";
            String[] admitted = {"Host", "localhost", "Authorization", RIGHT, "Content-Type", type};
            TOKENS.forEach(token -> cases.add(arguments(
                    head(right, path, "Host", "localhost", "Authorization", token, "Content-Type", type) + UNREAD,
                    401)));
            HOSTS.forEach(host -> cases.add(arguments(
                    head(right, path, "Host", host, "Authorization", RIGHT, "Content-Type", type) + UNREAD, 403)));
            ORIGINS.forEach(origin -> cases.add(arguments(
                    head(right, path, "Host", "localhost", "Origin", origin, "Authorization", RIGHT) + UNREAD, 403)));
            List.of("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD").stream()
                    .filter(method -> !method.equals(right))
                    .forEach(method -> cases.add(arguments(head(method, path, admitted) + WHOLE, 405)));
        }
        TYPES.forEach(other -> cases.add(arguments(
                head("POST", "/mcp", "Host", "localhost", "Authorization", RIGHT, "Content-Type", other) + WHOLE,
                415)));
        for (String path : List.of(
                "/jaeger/api/services/a%2Fb/operations",
                "/jaeger/api/services/%2e%2e/operations",
                "/tempo/api/search/tag/%c0%af/values",
                "/tempo/api/search?q=%zz",
                "/tempo/api/search?q=%ff")) {
            cases.add(arguments(head("GET", path, "Host", "localhost", "Authorization", RIGHT) + "\r\n", 400));
        }
        return cases.stream();
    }

    @ParameterizedTest
    @MethodSource("otherApis")
    void shouldRefuseRequestsToOtherApis(String request, int status) throws IOException {
        assertEquals(status, status(API, request));
        refused++;
    }

    private static Stream<Arguments> calls() {
        List<Arguments> cases = new ArrayList<>();
        String type = "application/grpc";
        TOKENS.forEach(token -> cases.add(
                arguments("POST", CALL, "localhost", type, token, "", "", token.endsWith(" ") ? "malformed" : "16")));
        MALFORMED_PATHS.forEach(
                path -> cases.add(arguments("POST", path, "localhost", type, RIGHT, "", "", "malformed")));
        PATHS.forEach(path -> cases.add(arguments("POST", path, "localhost", type, "", "", "", "16")));
        HOSTS.forEach(host -> cases.add(arguments("POST", CALL, host, type, RIGHT, "", "", "7")));
        ORIGINS.forEach(origin -> cases.add(arguments("POST", CALL, "localhost", type, RIGHT, "origin", origin, "7")));
        PATHS.forEach(path -> cases.add(arguments("POST", path, "localhost", type, RIGHT, "", "", "12")));
        List.of("GET", "PUT", "DELETE", "PATCH")
                .forEach(method -> cases.add(arguments(method, CALL, "localhost", type, RIGHT, "", "", "12")));
        ENCODINGS.forEach(encoding ->
                cases.add(arguments("POST", CALL, "localhost", type, RIGHT, "grpc-encoding", encoding, "12")));
        List.of("application/grpc+json", "application/grpc-web", "application/grpc-web+proto", "application/grpc+x")
                .forEach(other -> cases.add(arguments("POST", CALL, "localhost", other, RIGHT, "", "", "3")));
        return cases.stream();
    }

    @ParameterizedTest
    @MethodSource("calls")
    void shouldRefuseCalls(
            String method,
            String path,
            String host,
            String type,
            String token,
            String name,
            String value,
            String status)
            throws IOException {
        assertEquals(status, Http2Call.status(connect(plain, GRPC), method, path, host, type, token, name, value));
        refused++;
    }

    private static byte[] frame(int type, int length, String body) {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(FrameDescriptor.HEADER_LENGTH + bytes.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(length)
                .putInt(type)
                .put(bytes)
                .array();
    }

    private static Stream<Arguments> frames() {
        List<Arguments> cases = new ArrayList<>();
        for (int type : new int[] {0, 2, 3, 4, 17, 18, 19, 20, -1, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            cases.add(arguments(type, 1_000_000, ""));
        }
        for (int length : new int[] {FrameDescriptor.TEXT_LENGTH_MAX + 1, 1 << 24, Integer.MAX_VALUE, -1}) {
            cases.add(arguments(FrameDescriptor.HELLO, length, ""));
        }
        List<String> hellos = new ArrayList<>(List.of(
                "{}",
                "[]",
                "",
                "{",
                "{\"protocol\":0}",
                "{\"protocol\":2}",
                "{\"protocol\":\"x\"}",
                "{\"protocol\":1}"));
        for (String token :
                List.of("\"\"", "\"s3cre\"", "\"s3crett\"", "\"S3CRET\"", "null", "7", "{}", "\"Bearer s3cret\"")) {
            hellos.add("{\"protocol\":1,\"token\":" + token + "}");
        }
        hellos.forEach(hello -> cases.add(arguments(FrameDescriptor.HELLO, hello.length(), hello)));
        return cases.stream();
    }

    @ParameterizedTest
    @MethodSource("frames")
    void shouldRefuseFrames(int type, int length, String body) throws IOException {
        assertEquals(FrameDescriptor.REFUSED, answer(frame(type, length, body)));
        refused++;
    }

    private static int answer(byte[] frame) throws IOException {
        try (Socket socket = connect(plain, RAW)) {
            socket.getOutputStream().write(frame);
            byte[] header = socket.getInputStream().readNBytes(FrameDescriptor.HEADER_LENGTH);
            return ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN).getInt(FrameDescriptor.TYPE_OFFSET);
        }
    }

    private static Stream<Arguments> certificates() {
        return Stream.of(GRPC, HTTP, API, RAW)
                .flatMap(port -> Stream.of(arguments(port, false), arguments(port, true)));
    }

    @ParameterizedTest
    @MethodSource("certificates")
    void shouldRefuseCertificates(String port, boolean any) throws IOException {
        TestIdentity identity = any ? stranger : null;
        ClientTls tls = new ClientTls(
                own.cert(), identity == null ? null : identity.cert(), identity == null ? null : identity.key());
        try (Socket beneath = connect(encrypted, port);
                Socket socket = tls.context().getSocketFactory().createSocket(beneath, "localhost", 0, true)) {
            socket.getOutputStream()
                    .write(head("POST", right(port), "Host", "localhost").getBytes(StandardCharsets.UTF_8));
            assertEquals(-1, socket.getInputStream().read());
        } catch (IOException e) {
            // ended during the handshake, or by an alert
        }
        refused++;
    }

    @ParameterizedTest
    @ValueSource(strings = {HTTP, API, RAW})
    void shouldTakeTheRightCertificate(String port) throws IOException {
        ClientTls tls = new ClientTls(own.cert(), own.cert(), own.key());
        byte[] request = port.equals(RAW)
                ? frame(FrameDescriptor.HELLO, 14, "{\"protocol\":1}")
                : head("POST", right(port), "Host", "localhost").concat("\r\n").getBytes(StandardCharsets.UTF_8);
        try (Socket beneath = connect(encrypted, port);
                Socket socket = tls.context().getSocketFactory().createSocket(beneath, "localhost", 0, true)) {
            socket.getOutputStream().write(request);
            assertNotEquals(-1, socket.getInputStream().read(), "an answer");
        }
    }

    @Test
    void shouldServeWhatIsRight() throws IOException {
        String[] admitted = {"Host", "telemetry.example", "Origin", "https://app.example", "Authorization", RIGHT};
        assertEquals(
                200, status(HTTP, head("POST", "/v1/logs", admitted) + "Content-Type: application/json\r\n" + WHOLE));
        String query = "{\"source\":\"loom.losses\"}";
        int status = status(
                API,
                head("POST", "/v1/scan", admitted) + "Content-Type: application/json\r\nContent-Length: "
                        + query.length() + "\r\n\r\n" + query);
        assertTrue(status == 200 || status == 404, "status=" + status);
        assertEquals(
                "0",
                Http2Call.status(
                        connect(plain, GRPC),
                        "POST",
                        CALL,
                        "telemetry.example",
                        "application/grpc",
                        RIGHT,
                        "end",
                        "now"));
        String hello = "{\"protocol\":1,\"token\":\"" + TOKEN + "\"}";
        assertEquals(FrameDescriptor.DONE, answer(frame(FrameDescriptor.HELLO, hello.length(), hello)));
    }
}
