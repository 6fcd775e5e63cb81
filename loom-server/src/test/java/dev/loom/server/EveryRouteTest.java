package dev.loom.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.server.ApiRoutes.Asked;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What every route of the API port refuses: strangers, pages of other sites, methods and bodies that it has no use for. */
final class EveryRouteTest {
    private static final String TOKEN = "s3cret";
    private static final String RIGHT = "Authorization: Bearer " + TOKEN + "\r\n";
    private static final String HOST = "Host: localhost\r\n";
    private static final String UNREAD = "Content-Length: 1000000\r\n\r\n";

    @TempDir
    private static Path folder;

    private static LoomServer server;
    private static String address;
    private static int refused;

    @BeforeAll
    static void start() throws Exception {
        TestServers.store(folder, "lines", "error: timeout of order 7", 300);
        try (LoomServer open = LoomServer.open(TestServers.settings(folder, "", TestServers.API, TestServers.OTLP_HTTP)
                .build())) {
            ApiRoutes.fill(open);
        }
        Path token = Files.writeString(folder.resolve("token"), TOKEN);
        Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-------"));
        server = LoomServer.open(TestServers.settings(
                        folder,
                        "server: {auth: {token_file: " + token
                                + "}, cors: {allowed_origins: [\"https://app.example\"]}}",
                        TestServers.API)
                .build());
        address = String.valueOf(server.addresses().get("http"));
    }

    @AfterAll
    static void close() throws IOException {
        server.close();
        System.out.println("row=R32 faults=" + refused + " checked=" + refused + " seed=0");
    }

    private static Stream<Asked> routes() {
        return ApiRoutes.all().stream();
    }

    /** What the server answers; empty if it ends the connection instead. */
    private static String answer(String request, int length) throws IOException {
        int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setTcpNoDelay(true);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
            InputStream in = socket.getInputStream();
            return new String(length < 0 ? in.readAllBytes() : in.readNBytes(length), StandardCharsets.UTF_8);
        }
    }

    private static void requireStatus(int status, String request) throws IOException {
        String found = answer(request, "HTTP/1.1 200".length());
        assertEquals("HTTP/1.1 " + status, found, request);
        refused += status >= 400 ? 1 : 0;
    }

    private static String line(String method, Asked asked) {
        return method + " " + asked.target() + " HTTP/1.1\r\n";
    }

    private static String type(Asked asked) {
        return asked.hasBody() ? "Content-Type: " + ApiRoutes.JSON + "\r\n" : "";
    }

    /** @param more headers */
    private static String right(Asked asked, String more) {
        byte[] body = asked.body().getBytes(StandardCharsets.UTF_8);
        String length = asked.hasBody() ? "Content-Length: " + body.length + "\r\n" : "";
        String upgrade = asked.name().equals("loki_tail")
                ? String.join(
                        "\r\n",
                        "Connection: Upgrade",
                        "Upgrade: websocket",
                        "Sec-WebSocket-Version: 13",
                        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
                        "")
                : "";
        return line(asked.method(), asked) + HOST + RIGHT + type(asked) + upgrade + length + more + "\r\n"
                + asked.body();
    }

    private static boolean isPage(Asked asked) {
        return asked.name().equals("page");
    }

    private static String metrics() throws IOException {
        return answer("GET /metrics HTTP/1.1\r\nConnection: close\r\n" + HOST + RIGHT + "\r\n", -1);
    }

    private static long count(String name) throws IOException {
        Matcher count = Pattern.compile(
                        "loom_query_duration_seconds_count\\{query=\"" + Pattern.quote(name) + "\"} (\\d+)")
                .matcher(metrics());
        assertTrue(count.find(), name);
        return Long.parseLong(count.group(1));
    }

    /** A new route fails here until it is in the table of all other tests of this class. */
    @Test
    void shouldKnowAllRoutesThatTheServerHas() throws IOException {
        Set<String> served = new TreeSet<>();
        Matcher name = Pattern.compile("loom_query_failures_total\\{query=\"([^\"]+)\"}")
                .matcher(metrics());
        while (name.find()) {
            served.add(name.group(1));
        }
        assertEquals(served, new TreeSet<>(routes().map(Asked::name).collect(Collectors.toSet())));
    }

    @ParameterizedTest
    @MethodSource("routes")
    void shouldAnswerWhatIsRight(Asked asked) throws IOException {
        boolean tails = asked.name().equals("loki_tail");
        long before = count(asked.name());
        requireStatus(tails ? 101 : 200, right(asked, ""));
        requireStatus(tails ? 101 : 200, right(asked, "Origin: https://app.example\r\n"));
        requireStatus(tails ? 101 : 200, right(asked, "Origin: http://localhost\r\n")); // its own page
        while (!tails && count(asked.name()) < before + 3) {
            // counted once they are complete
        }
    }

    @ParameterizedTest
    @MethodSource("routes")
    void shouldRefuseWhoHasNotTheToken(Asked asked) throws IOException {
        for (String token : RefusedRequestsTest.TOKENS) {
            String request = line(asked.method(), asked) + HOST + "Authorization: " + token + "\r\n" + type(asked);
            requireStatus(isPage(asked) ? 200 : 401, request + (isPage(asked) ? "\r\n" : UNREAD));
        }
        String secret = asked.target() + (asked.target().contains("?") ? "&" : "?") + "token=" + TOKEN
                + "&access_token=" + TOKEN + "&Authorization=Bearer+" + TOKEN;
        String elsewhere = asked.method() + " " + secret + " HTTP/1.1\r\n" + HOST + type(asked) + "Cookie: token="
                + TOKEN + "\r\nX-Api-Key: " + TOKEN + "\r\nProxy-Authorization: Bearer " + TOKEN + "\r\n";
        requireStatus(isPage(asked) ? 200 : 401, elsewhere + (isPage(asked) ? "\r\n" : UNREAD));
    }

    @ParameterizedTest
    @MethodSource("routes")
    void shouldRefuseOtherNamesOfTheMachine(Asked asked) throws IOException {
        for (String host : RefusedRequestsTest.HOSTS) {
            requireStatus(403, line(asked.method(), asked) + "Host: " + host + "\r\n" + RIGHT + type(asked) + UNREAD);
        }
    }

    @ParameterizedTest
    @MethodSource("routes")
    void shouldRefusePagesOfOtherSites(Asked asked) throws IOException {
        String request = line(asked.method(), asked) + HOST + RIGHT + type(asked);
        for (String origin : RefusedRequestsTest.ORIGINS) {
            requireStatus(403, request + "Origin: " + origin + "\r\n" + UNREAD);
            requireStatus(
                    403,
                    line("OPTIONS", asked) + HOST + "Origin: " + origin + "\r\nAccess-Control-Request-Method: POST\r\n"
                            + UNREAD);
        }
        // as for an image, a script, a style, a frame, which have no origin
        for (String site : List.of("cross-site", "same-site")) {
            for (String destination : List.of("image", "script", "style", "empty", "iframe")) {
                String mode = destination.equals("iframe") ? "navigate" : "no-cors";
                requireStatus(
                        403,
                        request + "Sec-Fetch-Site: " + site + "\r\nSec-Fetch-Mode: " + mode + "\r\nSec-Fetch-Dest: "
                                + destination + "\r\n" + UNREAD);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("routes")
    void shouldRefuseOtherMethods(Asked asked) throws IOException {
        List<String> methods = new ArrayList<>(List.of("PUT", "DELETE", "PATCH", "TRACE", "PROPFIND", "get"));
        if (asked.hasBody()) {
            methods.add("GET");
        }
        for (String method : methods) {
            requireStatus(
                    405,
                    line(method, asked) + HOST + RIGHT + "Content-Type: " + ApiRoutes.JSON
                            + "\r\nContent-Length: 2\r\n\r\n{}");
        }
    }

    /** Other types are those that a form of another site could send. */
    @ParameterizedTest
    @MethodSource("routes")
    void shouldRefuseOtherBodies(Asked asked) throws IOException {
        if (asked.hasBody()) {
            for (String type : RefusedRequestsTest.TYPES) {
                requireStatus(
                        415,
                        line("POST", asked) + HOST + RIGHT + "Content-Type: " + type
                                + "\r\nContent-Length: 2\r\n\r\n{}");
            }
        }
        String posted = line(asked.hasBody() || asked.takesForms() ? "POST" : "GET", asked) + HOST + RIGHT
                + "Content-Type: " + (asked.hasBody() ? ApiRoutes.JSON : ApiRoutes.FORM) + "\r\n";
        requireStatus(415, posted + "Content-Encoding: br\r\nContent-Length: 2\r\n\r\n{}");
        requireStatus(413, posted + "Content-Length: 65537\r\n\r\n" + "x".repeat(65_537));
        requireStatus(
                413,
                posted + "Transfer-Encoding: chunked\r\n\r\n"
                        + "8000\r\n".concat("x".repeat(0x8000) + "\r\n").repeat(3) + "0\r\n\r\n");
    }

    @ParameterizedTest
    @MethodSource("routes")
    void shouldRefuseAddressesThatAreMalformedOrTooLong(Asked asked) throws IOException {
        String path = asked.path().replace("*", "x");
        for (String query : List.of("a=%", "a=%zz", "a=%f", "a=%ff", "a=%c0%af", "a=%ed%a0%80", "%ff=1")) {
            requireStatus(
                    400,
                    asked.method() + " " + path + "?" + query + " HTTP/1.1\r\n" + HOST + RIGHT + type(asked)
                            + (asked.hasBody() ? "Content-Length: 2\r\n\r\n{}" : "\r\n"));
        }
        String lengthy =
                asked.method() + " " + path + "?a=" + "x".repeat(1 << 20) + " HTTP/1.1\r\n" + HOST + RIGHT + "\r\n";
        assertTrue(List.of("HTTP/1.1 414", "HTTP/1.1 431", "").contains(answerOrReset(lengthy)), path);
    }

    /** The connection may end before all of the request is sent. */
    private static String answerOrReset(String request) {
        try {
            return answer(request, "HTTP/1.1 200".length());
        } catch (IOException e) {
            return "";
        }
    }
}
