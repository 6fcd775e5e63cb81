package dev.loom.server.ingest;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.SharedWriter;
import dev.loom.api.Snapshot;
import dev.loom.format.Formats;
import dev.loom.otlp.TlsConfig;
import dev.loom.otlp.server.Endpoint;
import dev.loom.otlp.server.HangingFile;
import dev.loom.otlp.server.InFlightBudget;
import dev.loom.otlp.server.ServerProtection;
import dev.loom.otlp.tls.ClientTls;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import dev.loom.query.model.Order;
import dev.loom.server.TestIdentity;
import dev.loom.server.client.IngestClient;
import dev.loom.server.client.SidecarException;
import dev.loom.server.protocol.FrameDescriptor;
import dev.loom.server.protocol.SchemaRequests;
import dev.loom.server.request.RefusedException;
import dev.loom.server.schema.StoreSchema;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The raw port with TLS. */
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class EncryptedIngestTest {
    private static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(30);
    private static final byte[] HELLO = "{\"protocol\":1}".getBytes(StandardCharsets.UTF_8);

    @TempDir
    private static Path folder;

    private static TestIdentity own;
    private static TestIdentity stranger;

    @TempDir
    Path temp;

    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    private SharedWriter writer;
    private @Nullable IngestServer server;

    @BeforeAll
    static void createIdentities() throws Exception {
        own = TestIdentity.create(folder, "own");
        stranger = TestIdentity.create(folder, "stranger");
    }

    @BeforeEach
    void open() {
        writer = IngestServerTest.writer(temp);
    }

    @AfterEach
    void close() {
        if (server != null) {
            server.close();
        }
        writer.close();
    }

    private Endpoint start(String address, @Nullable TlsConfig tls, @Nullable Path token, long deadlineNs)
            throws IOException {
        ServerProtection protection =
                ServerProtection.builder().tls(tls).tokenFile(token).build();
        IngestServer started = IngestServer.start(
                Endpoint.parse(address),
                () -> Optional.of(writer),
                new SchemaRequests(
                        () -> new StoreSchema(writer.loom()), id -> false, new SchemaRequests.Changes("", true)),
                InFlightBudget.open(temp, 1 << 20),
                protection,
                failures::add,
                deadlineNs);
        server = started;
        return started.port() < 0 ? Endpoint.parse(address) : new Endpoint("localhost", started.port(), null);
    }

    private Endpoint start(TlsConfig tls) throws IOException {
        return start("localhost:0", tls, null, DEADLINE_NS);
    }

    private Endpoint start() throws IOException {
        return start(new TlsConfig(own.cert(), own.key()));
    }

    private static ClientTls trusting(TestIdentity identity) {
        return new ClientTls(identity.cert(), null, null);
    }

    private static IngestClient connect(Endpoint endpoint) {
        return IngestClient.connect(endpoint, "", trusting(own));
    }

    private void awaitFailedHandshakes(int count) {
        IngestServer asked = server;
        while (asked != null && asked.counters().handshakesFailed.sum() < count) {
            Thread.onSpinWait();
        }
    }

    private void assertServes(Endpoint endpoint) {
        connect(endpoint).close();
    }

    @Test
    void shouldStoreWhatIsSent() throws Exception {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        System.out.println("EncryptedIngestTest: -Dloom.test.seed=" + seed);
        Random random = new Random(seed);
        byte[][] payloads = new byte[200][];
        try (IngestClient client = connect(start())) {
            int source = client.defineSource("sent", Formats.bytes(), Map.of()).id();
            for (int i = 0; i < payloads.length; i++) {
                payloads[i] = new byte[random.nextInt(i % 10 == 0 ? 200_000 : 100)];
                random.nextBytes(payloads[i]);
                int[] lengths = {payloads[i].length};
                assertEquals(1, client.push(source, new UnsafeBuffer(payloads[i]), lengths, 1, () -> false));
            }
            try (Snapshot snapshot = writer.loom().snapshot();
                    QueryCursor record = RawScan.of(snapshot, source)
                            .order(Order.OLDEST_FIRST)
                            .open()) {
                for (byte[] payload : payloads) {
                    assertTrue(record.next());
                    byte[] stored = new byte[record.length()];
                    record.buffer().getBytes(record.offset(), stored);
                    assertArrayEquals(payload, stored);
                }
            }
        }
    }

    @Test
    void shouldNotBeTrustedWithAnotherCertificateOrName() throws Exception {
        Endpoint endpoint = start();
        SidecarException failure =
                assertThrows(SidecarException.class, () -> IngestClient.connect(endpoint, "", trusting(stranger)));
        assertTrue(failure.getMessage().contains("TLS handshake failed: "), failure.getMessage());
        awaitFailedHandshakes(1);
        failure = assertThrows(
                SidecarException.class, () -> IngestClient.connect(endpoint, "", new ClientTls(null, null, null)));
        assertTrue(failure.getMessage().contains("TLS handshake failed: "), failure.getMessage());
        Endpoint address = new Endpoint("127.0.0.1", endpoint.port(), null);
        failure = assertThrows(SidecarException.class, () -> connect(address));
        assertTrue(failure.getMessage().contains("127.0.0.1"), failure.getMessage());
        assertServes(endpoint);
    }

    @Test
    void shouldAskForTheTokenToo() throws Exception {
        TlsConfig tls = new TlsConfig(own.cert(), own.key());
        Endpoint endpoint = start("localhost:0", tls, token("secret\n"), DEADLINE_NS);
        for (String wrong : List.of("", "secret2")) {
            RefusedException refused =
                    assertThrows(RefusedException.class, () -> IngestClient.connect(endpoint, wrong, trusting(own)));
            assertTrue(String.valueOf(refused.getMessage()).contains("wrong token"), refused::getMessage);
        }
        IngestClient.connect(endpoint, "secret", trusting(own)).close();
    }

    @Test
    void shouldKeepTheTokenUntilAnotherCanBeRead() throws Exception {
        Path token = token("secret");
        Endpoint endpoint = start("localhost:0", reloaded(own.cert(), own.key()), token, DEADLINE_NS);
        Files.delete(token);
        while (failures.isEmpty()) {
            IngestClient.connect(endpoint, "secret", trusting(own)).close();
        }
        assertTrue(String.valueOf(failures.poll()).contains("can't read the token: file=" + token), failures::toString);
        IngestClient.connect(endpoint, "secret", trusting(own)).close();
        token("renewed");
        while (!admits(endpoint, "renewed")) {
            Thread.onSpinWait();
        }
        assertFalse(admits(endpoint, "secret"));
    }

    private static boolean admits(Endpoint endpoint, String token) {
        try (IngestClient client = IngestClient.connect(endpoint, token, trusting(own))) {
            return client.payloadLengthMax() > 0;
        } catch (RefusedException e) {
            return false;
        }
    }

    private Path token(String text) throws IOException {
        Path token = Files.writeString(temp.resolve("next"), text);
        Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-------"));
        return Files.move(token, temp.resolve("token"));
    }

    /** Looked at again by each connection, or nearly so. */
    private static TlsConfig reloaded(Path cert, Path key) {
        return new TlsConfig(cert, key).withReloadInterval(Duration.ofMillis(1));
    }

    @Test
    void shouldDemandCertificatesOfClients() throws Exception {
        Endpoint endpoint = start(new TlsConfig(own.cert(), own.key()).withClientCaFile(stranger.cert()));
        SidecarException failure = assertThrows(SidecarException.class, () -> connect(endpoint));
        assertTrue(failure.getMessage().contains("certificate"), failure.getMessage());
        ClientTls unknown = new ClientTls(own.cert(), own.cert(), own.key());
        assertThrows(SidecarException.class, () -> IngestClient.connect(endpoint, "", unknown));
        awaitFailedHandshakes(2);
        ClientTls known = new ClientTls(own.cert(), stranger.cert(), stranger.key());
        IngestClient.connect(endpoint, "", known).close();
    }

    @Test
    void shouldTellAClientWithoutTlsThatItIsRequired() throws Exception {
        Endpoint endpoint = start();
        RefusedException refused = assertThrows(RefusedException.class, () -> IngestClient.connect(endpoint, ""));
        assertTrue(String.valueOf(refused.getMessage()).contains("port requires TLS"), refused::getMessage);
        awaitFailedHandshakes(1);
        assertServes(endpoint);
    }

    @Test
    void shouldFailAgainstAPortWithoutTls() throws Exception {
        Endpoint endpoint = start("localhost:0", null, null, DEADLINE_NS);
        SidecarException failure = assertThrows(SidecarException.class, () -> connect(endpoint));
        assertTrue(failure.getMessage().contains("TLS handshake failed: "), failure.getMessage());
        IngestClient.connect(endpoint, "").close();
    }

    @Test
    void shouldLeaveAUnixSocketAsItIs() throws Exception {
        Path socket = temp.resolve("socket");
        Endpoint endpoint = start("unix:" + socket, new TlsConfig(own.cert(), own.key()), null, DEADLINE_NS);
        IngestClient.connect(endpoint, "").close();
        assertThrows(IllegalArgumentException.class, () -> connect(endpoint));
    }

    @Test
    void shouldEndWhoNeverShakesHandsAtTheDeadline() throws Exception {
        TlsConfig tls = new TlsConfig(own.cert(), own.key());
        Endpoint endpoint = start("localhost:0", tls, null, TimeUnit.MILLISECONDS.toNanos(100));
        byte[] begun = {0x16, 3, 1, 2, 0, 1};
        for (int sent = 0; sent <= begun.length; sent++) {
            try (Socket socket = new Socket("localhost", endpoint.port())) {
                socket.getOutputStream().write(begun, 0, sent);
                assertEquals(-1, readOrReset(socket));
            }
        }
        awaitFailedHandshakes(begun.length + 1);
    }

    /** A client that is cut off before the server has read what it sent gets a reset. */
    private static int readOrReset(Socket socket) throws IOException {
        try {
            return socket.getInputStream().read();
        } catch (SocketException e) {
            return -1;
        }
    }

    @Test
    void shouldAlertWhoSendsRubbish() throws Exception {
        Endpoint endpoint = start();
        byte[] rubbish = {0x16, 3, 1, 0, 4, 0x7f, 0, 0, 0};
        try (Socket socket = new Socket("localhost", endpoint.port())) {
            socket.getOutputStream().write(rubbish);
            byte[] answer = socket.getInputStream().readAllBytes();
            assertEquals(0x15, answer[0], "not an alert");
        }
        assertServes(endpoint);
    }

    /** A connection of which each byte within TLS is the test's. */
    private static SSLSocket raw(Endpoint endpoint, String protocol) throws Exception {
        return over(new Socket(endpoint.host(), endpoint.port()), endpoint, protocol);
    }

    private static SSLSocket over(Socket beneath, Endpoint endpoint, String protocol) throws Exception {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        try (var in = Files.newInputStream(own.cert())) {
            trusted.setCertificateEntry(
                    "own", CertificateFactory.getInstance("X.509").generateCertificate(in));
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        SSLSocket socket =
                (SSLSocket) context.getSocketFactory().createSocket(beneath, endpoint.host(), endpoint.port(), true);
        socket.setEnabledProtocols(new String[] {protocol});
        socket.startHandshake();
        return socket;
    }

    private static void send(Socket socket, int type, byte[] body) throws IOException {
        socket.getOutputStream()
                .write(ByteBuffer.allocate(FrameDescriptor.HEADER_LENGTH + body.length)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putInt(body.length)
                        .putInt(type)
                        .put(body)
                        .array());
    }

    /** The type of the next answer. */
    private static int answer(Socket socket) throws IOException {
        DataInputStream in = new DataInputStream(socket.getInputStream());
        int length = Integer.reverseBytes(in.readInt());
        int type = Integer.reverseBytes(in.readInt());
        in.readFully(new byte[length]);
        return type;
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void shouldServeBothVersionsAndEndInOrder(String protocol) throws Exception {
        Endpoint endpoint = start();
        try (SSLSocket socket = raw(endpoint, protocol)) {
            send(socket, FrameDescriptor.HELLO, HELLO);
            assertEquals(FrameDescriptor.DONE, answer(socket));
            send(socket, 99, new byte[0]);
            assertEquals(FrameDescriptor.REFUSED, answer(socket));
            assertEquals(-1, socket.getInputStream().read(), "not closed as TLS closes");
        }
    }

    @Test
    void shouldAnswerAClientThatHasClosedItsSide() throws Exception {
        Endpoint endpoint = start();
        try (SSLSocket socket = raw(endpoint, "TLSv1.3")) {
            send(socket, FrameDescriptor.HELLO, HELLO);
            send(socket, FrameDescriptor.SCHEMA, "{\"op\":\"source\",\"name\":\"x\"}".getBytes(StandardCharsets.UTF_8));
            socket.shutdownOutput();
            assertEquals(FrameDescriptor.DONE, answer(socket));
            assertEquals(FrameDescriptor.DONE, answer(socket));
            assertEquals(-1, socket.getInputStream().read());
        }
        assertServes(endpoint);
    }

    /** By a FIN without TLS's close, and by a reset. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @SuppressWarnings("try") // closed early, so that it is not closed in order
    void shouldFreeTheConnectionOfAClientThatIsCutOff(boolean reset) throws Exception {
        Endpoint endpoint = start();
        try (Socket beneath = new Socket(endpoint.host(), endpoint.port());
                SSLSocket socket = over(beneath, endpoint, "TLSv1.3")) {
            send(socket, FrameDescriptor.HELLO, HELLO);
            assertEquals(FrameDescriptor.DONE, answer(socket));
            if (reset) {
                beneath.setSoLinger(true, 0);
                beneath.close();
            } else {
                beneath.shutdownOutput();
            }
            IngestServer asked = server;
            while (asked != null && asked.connections() > 0) {
                Thread.onSpinWait();
            }
        }
        assertServes(endpoint);
    }

    @Test
    void shouldExchangeKeysAgainButNotRenegotiate() throws Exception {
        Endpoint endpoint = start();
        try (SSLSocket socket = raw(endpoint, "TLSv1.3")) {
            send(socket, FrameDescriptor.HELLO, HELLO);
            assertEquals(FrameDescriptor.DONE, answer(socket));
            for (int i = 0; i < 10; i++) {
                socket.startHandshake(); // updates the keys
                send(
                        socket,
                        FrameDescriptor.SCHEMA,
                        "{\"op\":\"source\",\"name\":\"x\"}".getBytes(StandardCharsets.UTF_8));
                assertEquals(FrameDescriptor.DONE, answer(socket));
            }
        }
        try (SSLSocket socket = raw(endpoint, "TLSv1.2")) {
            send(socket, FrameDescriptor.HELLO, HELLO);
            assertEquals(FrameDescriptor.DONE, answer(socket));
            assertThrows(IOException.class, () -> {
                socket.startHandshake(); // renegotiates
                answer(socket);
            });
        }
        assertServes(endpoint);
    }

    @Test
    void shouldTakeInARenewedCertificate() throws Exception {
        Path cert = Files.copy(own.cert(), temp.resolve("live.crt"));
        Path key = Files.copy(own.key(), temp.resolve("live.key"));
        Endpoint endpoint = start(reloaded(cert, key));
        try (IngestClient before = connect(endpoint)) {
            Files.writeString(cert, "rubbish");
            while (failures.isEmpty()) {
                assertServes(endpoint);
            }
            assertTrue(String.valueOf(failures.poll()).contains("live.crt"), failures::toString);
            Files.copy(stranger.cert(), cert, StandardCopyOption.REPLACE_EXISTING);
            Files.copy(stranger.key(), key, StandardCopyOption.REPLACE_EXISTING);
            awaitStranger(endpoint);
            assertThrows(SidecarException.class, () -> connect(endpoint));
            assertEquals(Optional.empty(), before.openSource("x"), "an open connection goes on");
        }
    }

    private static void awaitStranger(Endpoint endpoint) {
        while (true) {
            try {
                IngestClient.connect(endpoint, "", trusting(stranger)).close();
                return;
            } catch (SidecarException e) {
                Thread.onSpinWait();
            }
        }
    }

    /** A pipe that nobody writes to stands for a disk that does not answer. */
    @Test
    void shouldServeWhileACertificateIsBeingRead() throws Exception {
        Path cert = Files.copy(own.cert(), temp.resolve("live.crt"));
        Path key = Files.copy(own.key(), temp.resolve("live.key"));
        Endpoint endpoint = start(reloaded(cert, key));
        try (HangingFile hanging = HangingFile.inPlaceOf(cert);
                Socket first = new Socket(endpoint.host(), endpoint.port())) {
            assertTrue(first.isConnected());
            hanging.awaitReader();
            while (failures.isEmpty()) {
                assertServes(endpoint);
            }
            assertEquals(
                    "files that may have changed are still being read: files=" + List.of(cert, key),
                    failures.remove().getMessage());
            Files.copy(stranger.key(), key, StandardCopyOption.REPLACE_EXISTING);
            hanging.replaceBy(stranger.cert());
        }
        awaitStranger(endpoint);
    }
}
