package dev.loom.otlp.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.otlp.Signal;
import dev.loom.otlp.server.Refusal.Reason;
import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tokens, hosts, origins, deadlines, endpoints. */
class ProtectionTest {
    private static int tests;

    private static final String LOGS_CALL = "/opentelemetry.proto.collector.logs.v1.LogsService/Export";
    private static final String POST = "POST /v1/logs HTTP/1.1\r\nContent-Type: application/x-protobuf\r\n";

    @TempDir
    private Path folder;

    private final Exported exported = new Exported();

    @AfterEach
    void count() {
        tests++;
    }

    @AfterAll
    static void tell() {
        System.out.println("row=R31 faults=" + tests + " checked=" + tests + " seed=0");
    }

    @Test
    void shouldRefuseWithoutTokenBeforeTheBodyIsRead() throws Exception {
        try (TestServer server = start(protection().tokenFile(token("s3cret\n")).build())) {
            for (String header : List.of(
                    "",
                    "Authorization: \r\n",
                    "Authorization: Bearer\r\n",
                    "Authorization: Bearer \r\n",
                    "Authorization: Bearer s3cre\r\n",
                    "Authorization: Bearer s3crett\r\n",
                    "Authorization: Bearer S3CRET\r\n",
                    "Authorization: Basic s3cret\r\n",
                    "Authorization: s3cret\r\n",
                    "authorization: Bearer " + "x".repeat(4000) + "\r\n")) {
                try (RawHttp1 client = new RawHttp1(server.httpPort())) {
                    // No byte of the body is sent: the answer can't have waited for any.
                    client.send(POST + "Host: localhost\r\n" + header + "Content-Length: 1000000\r\n\r\n");
                    String answer = client.answer();
                    assertTrue(answer.startsWith("HTTP/1.1 401 "), header + answer);
                    assertTrue(answer.contains("WWW-Authenticate: Bearer\r\n"), answer);
                    assertFalse(answer.contains("s3cret"), answer);
                }
            }
            try (RawHttp1 client = new RawHttp1(server.httpPort())) {
                client.send(POST + "Host: localhost\r\nAuthorization: bearer s3cret\r\nContent-Length: 0\r\n\r\n");
                assertEquals(200, client.status());
            }
            try (RawHttp2 client = new RawHttp2(server.grpcPort())) {
                int stream = client.open(LOGS_CALL, false, "content-type", "application/grpc");
                assertEquals("16", client.answer(stream).grpcStatus());
                byte[] empty = RawHttp2.framed(new byte[0], false);
                assertEquals(
                        "0",
                        client.call(
                                        LOGS_CALL,
                                        empty,
                                        "content-type",
                                        "application/grpc",
                                        "authorization",
                                        "Bearer s3cret")
                                .grpcStatus());
            }
            assertEquals(2, exported.logs.size());
            assertEquals(11, server.servers.refusedRequests());
        }
    }

    @Test
    void shouldNotStartWithATokenThatOthersCanRead() throws Exception {
        Path open = token("s3cret");
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rw----r--"));
        assertThrows(IOException.class, () -> start(protection().tokenFile(open).build()));
        Path link = Files.createSymbolicLink(folder.resolve("link"), open);
        assertThrows(IOException.class, () -> start(protection().tokenFile(link).build()));
        assertThrows(
                IOException.class, () -> start(protection().tokenFile(folder).build()));
        Path empty = token(" \n");
        assertThrows(
                IOException.class, () -> start(protection().tokenFile(empty).build()));
        Path lines = token("a\nb\n");
        assertThrows(
                IOException.class, () -> start(protection().tokenFile(lines).build()));
        Path none = folder.resolve("none");
        IOException failure = assertThrows(
                IOException.class, () -> start(protection().tokenFile(none).build()));
        assertEquals("can't read the token: file=" + none + ", reason=no such file", failure.getMessage());
    }

    @Test
    void shouldRefuseHostsOfOthers() throws Exception {
        try (TestServer server =
                start(protection().allowedHosts(List.of("loom.internal")).build())) {
            for (String host : List.of(
                    "localhost", "LOCALHOST:1", "127.0.0.1:4318", "10.0.0.7", "[::1]:4318", "Loom.internal:4318")) {
                assertEquals(200, statusForHost(server, "Host: " + host + "\r\n"), host);
            }
            for (String host : List.of(
                    "evil.example",
                    "localhost.evil.example",
                    "127.0.0.1.evil.example",
                    "loom.internal.",
                    "1.2.3",
                    "")) {
                int status = statusForHost(server, "Host: " + host + "\r\n");
                assertTrue(status == 403 || status == 400, host + ": " + status);
            }
            assertEquals(400, statusForHost(server, ""));
            assertEquals(400, statusForHost(server, "Host: localhost\r\nHost: evil.example\r\n"));
            assertEquals(6, exported.logs.size());
            try (RawHttp1 client = new RawHttp1(server.httpPort())) {
                client.send(
                        "POST http://evil.example/v1/logs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
                int status = client.status();
                assertTrue(status == 403 || status == 400, "status=" + status);
            }
            try (RawHttp1 client = new RawHttp1(server.httpPort())) {
                client.send("POST /v1/logs HTTP/1.0\r\nContent-Length: 0\r\n\r\n");
                assertEquals(403, client.status());
            }
            byte[] empty = RawHttp2.framed(new byte[0], false);
            try (RawHttp2 client = new RawHttp2(server.grpcPort()).authority("evil.example:4317")) {
                assertEquals(
                        "7",
                        client.call(LOGS_CALL, empty, "content-type", "application/grpc")
                                .grpcStatus());
            }
            try (RawHttp2 client = new RawHttp2(server.grpcPort()).authority("loom.internal:4317")) {
                assertEquals(
                        "0",
                        client.call(LOGS_CALL, empty, "content-type", "application/grpc")
                                .grpcStatus());
            }
        }
    }

    @Test
    void shouldServeWebPagesOfAllowedOriginsAlone() throws Exception {
        ServerProtection protection = protection()
                .allowedOrigins(List.of("https://app.example", "http://*.dev.example:3000"))
                .tokenFile(token("s3cret"))
                .build();
        try (TestServer server = start(protection)) {
            for (String origin : List.of("https://app.example", "http://a.b.dev.example:3000")) {
                String preflight = answerTo(
                        server,
                        "OPTIONS /v1/logs HTTP/1.1\r\nHost: localhost\r\nOrigin: " + origin
                                + "\r\nAccess-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: content-type\r\n\r\n");
                assertTrue(preflight.startsWith("HTTP/1.1 204 "), preflight);
                assertTrue(preflight.contains("Access-Control-Allow-Origin: " + origin + "\r\n"), preflight);
                assertTrue(preflight.contains("Vary: Origin\r\n"), preflight);
                assertTrue(preflight.contains("Access-Control-Allow-Credentials: true\r\n"), preflight);
                assertTrue(preflight.contains(", MCP-Protocol-Version, Mcp-Method, Mcp-Name\r\n"), preflight);
                String post = answerTo(
                        server,
                        POST + "Host: localhost\r\nOrigin: " + origin
                                + "\r\nAuthorization: Bearer s3cret\r\nContent-Length: 0\r\n\r\n");
                assertTrue(post.startsWith("HTTP/1.1 200 "), post);
                assertTrue(post.contains("Access-Control-Allow-Origin: " + origin + "\r\n"), post);
                assertTrue(post.contains("Access-Control-Allow-Credentials: true\r\n"), post);
                String refused = answerTo(
                        server, POST + "Host: localhost\r\nOrigin: " + origin + "\r\nContent-Length: 0\r\n\r\n");
                assertTrue(refused.startsWith("HTTP/1.1 401 "), refused);
                assertTrue(refused.contains("Access-Control-Allow-Origin: " + origin + "\r\n"), refused);
            }
            for (String origin :
                    List.of("https://evil.example", "https://app.example.evil.example", "http://app.example", "null")) {
                String post = answerTo(
                        server,
                        POST + "Host: localhost\r\nOrigin: " + origin
                                + "\r\nAuthorization: Bearer s3cret\r\nContent-Length: 0\r\n\r\n");
                assertTrue(post.startsWith("HTTP/1.1 403 "), post);
                assertFalse(post.contains("Access-Control"), post);
            }
            assertEquals(2, exported.logs.size());
        }
    }

    @Test
    void shouldTakeCredentialsFromPagesOfListedOriginsAlone() throws Exception {
        ServerProtection protection =
                protection().allowedOrigins(List.of("*", "https://app.example")).build();
        try (TestServer server = start(protection)) {
            for (String origin : List.of("https://app.example", "https://any.example", "http://localhost", "null")) {
                boolean listed = origin.equals("https://app.example");
                String preflight = answerTo(
                        server,
                        "OPTIONS /v1/logs HTTP/1.1\r\nHost: localhost\r\nOrigin: " + origin
                                + "\r\nAccess-Control-Request-Method: POST\r\n\r\n");
                assertTrue(preflight.startsWith("HTTP/1.1 204 "), preflight);
                assertTrue(preflight.contains("Access-Control-Allow-Origin: " + origin + "\r\n"), preflight);
                assertEquals(listed, preflight.contains("Allow-Credentials"), preflight);
                String post = answerTo(
                        server, POST + "Host: localhost\r\nOrigin: " + origin + "\r\nContent-Length: 0\r\n\r\n");
                assertTrue(post.startsWith("HTTP/1.1 200 "), post);
                assertEquals(listed, post.contains("Allow-Credentials"), post);
            }
        }
    }

    @Test
    void shouldServeItsOwnWebPagesAndNoneThatOnlyLooksAlike() throws Exception {
        try (TestServer server = start(protection().build())) {
            String own = POST + "Host: localhost:4319\r\nContent-Length: 0\r\nOrigin: ";
            for (String origin : List.of("http://localhost:4319", "https://LOCALHOST:4319")) {
                assertTrue(answerTo(server, own + origin + "\r\n\r\n").startsWith("HTTP/1.1 200 "), origin);
            }
            for (String origin : List.of(
                    "http://localhost:4320",
                    "http://localhost",
                    "http://127.0.0.1:4319",
                    "file://localhost:4319",
                    "http://evil@localhost:4319",
                    "localhost:4319",
                    "null",
                    "")) {
                assertTrue(answerTo(server, own + origin + "\r\n\r\n").startsWith("HTTP/1.1 403 "), origin);
            }
            String rebound = POST + "Host: evil.example\r\nContent-Length: 0\r\nOrigin: http://evil.example\r\n\r\n";
            assertTrue(answerTo(server, rebound).startsWith("HTTP/1.1 403 "));
        }
    }

    @Test
    void shouldNotListenForOtherMachinesUnprotected() throws Exception {
        Endpoint everywhere = Endpoint.parse("0.0.0.0:0");
        assertThrows(IllegalArgumentException.class, () -> start(protection().build(), everywhere));
        assertThrows(
                IllegalArgumentException.class,
                () -> start(protection().tokenFile(token("s3cret")).build(), everywhere));
        start(protection().insecure(true).build(), everywhere).close();
    }

    @Test
    void shouldTellWhenAPortIsInUse() throws Exception {
        try (TestServer server = start(protection().build())) {
            Endpoint taken = new Endpoint("localhost", server.httpPort(), null);
            IOException failure =
                    assertThrows(IOException.class, () -> start(protection().build(), taken));
            assertTrue(failure.getMessage().contains(String.valueOf(server.httpPort())), failure.getMessage());
        }
    }

    /** Clients name a socket file by what they like: {@code localhost}, or its path. */
    @Test
    void shouldTakeCallsOnASocketFile() throws Exception {
        Path file = folder.resolve("otlp.sock");
        byte[] empty = RawHttp2.framed(new byte[0], false);
        try (TestServer server = start(protection().build(), Endpoint.parse("unix:" + file))) {
            for (String authority :
                    List.of("localhost", "any.example", file.toString().replace("/", "%2F"))) {
                try (RawHttp2 client = new RawHttp2(SocketChannel.open(UnixDomainSocketAddress.of(file)))) {
                    RawHttp2.Answer answer =
                            client.authority(authority).call(LOGS_CALL, empty, "content-type", "application/grpc");
                    assertEquals("0", answer.grpcStatus(), authority);
                }
            }
            assertEquals(3, exported.logs.size());
            assertEquals(List.of(), server.failures);
        }
    }

    @Test
    void shouldListenOnASocketFile() throws Exception {
        Path file = folder.resolve("otlp.sock");
        Endpoint endpoint = Endpoint.parse("unix:" + file);
        assertEquals("unix:" + file, endpoint.toString());
        try (TestServer server = start(protection().build(), endpoint)) {
            assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
            assertEquals(-1, server.grpcPort());
            for (int i = 0; i < 2; i++) {
                assertTrue(overSocketFile(file).startsWith("HTTP/1.1 200 "));
            }
            assertThrows(IOException.class, () -> start(protection().build(), endpoint));
        }
        assertEquals(2, exported.logs.size());
        assertFalse(Files.exists(file));
        // What a killed server leaves is replaced; anything else is not touched.
        java.nio.channels.ServerSocketChannel killed =
                java.nio.channels.ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        killed.bind(UnixDomainSocketAddress.of(file));
        killed.close();
        start(protection().build(), endpoint).close();
        Files.writeString(file, "data");
        assertThrows(IOException.class, () -> start(protection().build(), endpoint));
        assertEquals("data", Files.readString(file));
    }

    @Test
    void shouldEndConnectionsThatTrickleHeaders() throws Exception {
        ServerProtection protection = protection()
                .readHeaderTimeout(Duration.ofMillis(300))
                .idleTimeout(Duration.ofMinutes(30))
                .build();
        try (TestServer server = start(protection);
                RawHttp1 silent = new RawHttp1(server.httpPort());
                RawHttp1 trickling = new RawHttp1(server.httpPort());
                Socket socket = new Socket("localhost", server.grpcPort());
                RawHttp2 pinging = new RawHttp2(socket)) {
            assertThrows(IOException.class, () -> {
                while (true) {
                    trickling.send("P");
                    pinging.frame(RawHttp2.PING, 0, 0, new byte[8]);
                    trickling.requireOpenFor(20);
                }
            });
            silent.awaitEnd();
        }
    }

    @Test
    void shouldEndRequestsWhoseBodyTrickles() throws Exception {
        ServerProtection protection =
                protection().readBodyTimeout(Duration.ofMillis(300)).build();
        try (TestServer server = start(protection);
                RawHttp1 http = new RawHttp1(server.httpPort());
                RawHttp2 grpc = new RawHttp2(server.grpcPort())) {
            http.send(POST + "Host: localhost\r\nContent-Length: 1000000\r\n\r\n123");
            int stream = grpc.open(LOGS_CALL, false, "content-type", "application/grpc");
            grpc.data(stream, false, new byte[] {0, 0, 0, 1, 0, 1, 2, 3});
            assertEquals(504, http.status());
            assertEquals("4", grpc.answer(stream).grpcStatus());
            http.awaitEnd();
            assertEquals(0, server.receiver.bytesInFlight());
            assertEquals(1, server.receiver.counters().refused(Signal.LOGS, Transport.HTTP, Reason.TIMED_OUT));
        }
    }

    @Test
    void shouldLetSlowRequestsGiveWayWhenMemoryIsUsedUp() throws Exception {
        ServerProtection protection =
                protection().pressedTimeout(Duration.ofMillis(200)).build();
        OtlpConfig config = TestServer.config().withBudget(TestServer.MIB, folder);
        try (TestServer server = new TestServer(exported, config, protection);
                RawHttp1 slow = new RawHttp1(server.httpPort());
                RawHttp1 second = new RawHttp1(server.httpPort());
                RawHttp1 third = new RawHttp1(server.httpPort());
                RawHttp1 fourth = new RawHttp1(server.httpPort())) {
            int held = 0;
            for (RawHttp1 client : List.of(slow, second, third, fourth)) {
                client.send(POST + "Host: localhost\r\nContent-Length: 250000\r\n\r\n");
                client.send(new byte[240_000]);
                held += 240_000;
                while (server.receiver.bytesInFlight() < held) {
                    Thread.onSpinWait();
                }
            }
            byte[] logs = TestRequests.logs("x".repeat(200_000), 1).toByteArray();
            int status = 503;
            while (status == 503) {
                try (RawHttp1 good = new RawHttp1(server.httpPort())) {
                    good.send(POST + "Host: localhost\r\nContent-Length: " + logs.length + "\r\n\r\n");
                    good.send(logs);
                    status = good.status();
                }
            }
            assertEquals(200, status);
            assertEquals(503, slow.status());
        }
    }

    @Test
    void shouldLetSlowRequestsGiveWayWhenThereAreTooMany() throws Exception {
        ServerProtection protection =
                protection().pressedTimeout(Duration.ofMillis(200)).build();
        try (TestServer server = new TestServer(exported, TestServer.config().withMaxRequests(2), protection);
                RawHttp2 slow = new RawHttp2(server.grpcPort())) {
            int first = slow.open(LOGS_CALL, false, "content-type", "application/grpc");
            int second = slow.open(LOGS_CALL, false, "content-type", "application/grpc");
            int third = slow.open(LOGS_CALL, false, "content-type", "application/grpc");
            assertEquals("14", slow.answer(third).grpcStatus());
            assertEquals("14", slow.answer(first).grpcStatus());
            int status = 503;
            while (status == 503) {
                status = statusForHost(server, "Host: localhost\r\n");
            }
            assertEquals(200, status);
            assertTrue(second > first);
        }
    }

    /** By no window of HTTP/2. */
    @Test
    void shouldLetClientsThatDontTakeAnswersGiveWayWhenThereAreTooMany() throws Exception {
        ServerProtection protection =
                protection().pressedTimeout(Duration.ofMillis(200)).build();
        try (TestServer server = new TestServer(exported, TestServer.config().withMaxRequests(2), protection);
                RawHttp2 slow = new RawHttp2(server.grpcPort())) {
            slow.frame(RawHttp2.SETTINGS, 0, 0, new byte[] {0, 4, 0, 0, 0, 0});
            for (int i = 0; i < 2; i++) {
                int stream = slow.open(LOGS_CALL, false, "content-type", "application/grpc");
                slow.data(stream, true, new byte[5]);
            }
            while (server.receiver.counters().requests(Signal.LOGS, Transport.GRPC) < 2) {
                Thread.onSpinWait();
            }
            int status = 503;
            while (status == 503) {
                status = statusForHost(server, "Host: localhost\r\n");
            }
            assertEquals(200, status);
            assertThrows(IOException.class, () -> slow.answer(1));
        }
    }

    @Test
    void shouldKeepAConnectionThatUpdatesItsWindowsInSmallSteps() throws Exception {
        byte[] piece = new byte[100_000];
        int pieces = 300;
        Handler handler = new Handler.Abstract() {
            @Override
            public boolean handle(Request request, Response response, Callback callback) {
                writePieces(response, callback, pieces);
                return true;
            }

            private void writePieces(Response response, Callback callback, int left) {
                if (left == 0) {
                    response.write(true, ByteBuffer.allocate(0), callback);
                    return;
                }
                Runnable rest = () -> writePieces(response, callback, left - 1);
                response.write(false, ByteBuffer.wrap(piece), Callback.from(rest, callback::failed));
            }
        };
        RefusalWriter refusals = (request, response, callback, refusal) -> callback.failed(new IOException());
        HttpServers.Listener listener = new HttpServers.Listener(Endpoint.parse("localhost:0"), handler, refusals);
        try (HttpServers servers = HttpServers.start(protection().build(), List.of(listener), failure -> {});
                RawHttp2 client = new RawHttp2(servers.port(0))) {
            RawHttp2.Answer answer = client.answer(client.open("/", true));
            assertEquals(pieces * piece.length, answer.data.size());
        }
    }

    @Test
    void shouldRefuseHeadersThatAreTooLong() throws Exception {
        try (TestServer server = start(protection().build())) {
            String answer = answerTo(server, POST + "Host: localhost\r\nX: " + "x".repeat(9000) + "\r\n\r\n");
            assertTrue(answer.startsWith("HTTP/1.1 431 "), answer);
            assertFalse(answer.toLowerCase(java.util.Locale.ROOT).contains("jetty"), answer);
            for (String malformed : List.of(
                    "\r\n\r\n\0",
                    "GET\r\n\r\n",
                    "POST /v1/logs HTTP/9.9\r\n\r\n",
                    POST + "Host: localhost\r\nContent-Length: -1\r\n\r\n",
                    POST + "Host: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
                    POST + "Host: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
                    POST + "Host: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
                    POST + "Host : localhost\r\n\r\n")) {
                String refused = answerTo(server, malformed);
                assertTrue(
                        refused.isEmpty() || refused.matches("(?s)HTTP/1\\.1 (4|5)\\d\\d .*"),
                        malformed + " -> " + refused);
            }
            assertEquals(List.of(), exported.logs);
        }
    }

    private TestServer start(ServerProtection protection) throws IOException {
        return new TestServer(exported, TestServer.config(), protection);
    }

    private TestServer start(ServerProtection protection, Endpoint endpoint) throws IOException {
        return new TestServer(exported, TestServer.config(), protection, endpoint, Endpoint.parse("localhost:0"));
    }

    private static ServerProtection.Builder protection() {
        return ServerProtection.builder();
    }

    private Path token(String text) throws IOException {
        Path file = Files.createTempFile(folder, "token", "");
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        return file;
    }

    private static int statusForHost(TestServer server, String hostLine) throws IOException {
        String answer = answerTo(server, POST + hostLine + "Content-Length: 0\r\n\r\n");
        return answer.isEmpty() ? 0 : Integer.parseInt(answer.split(" ", 3)[1]);
    }

    private static String answerTo(TestServer server, String request) throws IOException {
        try (RawHttp1 client = new RawHttp1(server.httpPort())) {
            client.send(request);
            return client.answer();
        } catch (ConnectException e) {
            throw e;
        } catch (java.net.SocketException e) {
            return ""; // reset
        }
    }

    private static String overSocketFile(Path file) throws IOException {
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(file))) {
            channel.write(ByteBuffer.wrap(
                    (POST + "Host: any.example\r\nContent-Length: 0\r\n\r\n").getBytes(StandardCharsets.US_ASCII)));
            ByteBuffer answer = ByteBuffer.allocate(1000);
            channel.read(answer);
            return new String(answer.array(), 0, answer.position(), StandardCharsets.US_ASCII);
        }
    }
}
