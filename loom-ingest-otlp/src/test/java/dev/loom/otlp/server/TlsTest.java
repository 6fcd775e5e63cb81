package dev.loom.otlp.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.otlp.TlsConfig;
import dev.loom.otlp.tls.ServerCredentials;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPrivateKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** TLS, clients' certificates, and their renewal while serving. */
class TlsTest {
    @TempDir
    private static Path folder;

    private static Identity first;
    private static Identity second;

    private final Exported exported = new Exported();
    private HttpClient client;

    /** A self-signed certificate, which is its own authority. */
    private record Identity(KeyStore store, Path cert, Path key) {}

    @BeforeAll
    static void createIdentities() throws Exception {
        first = identity("first", "RSA");
        second = identity("second", "EC");
    }

    @BeforeEach
    void createClient() throws Exception {
        client = HttpClient.newBuilder().sslContext(context(first, null)).build();
    }

    @Test
    void shouldServeBothVersionsOfHttp() throws Exception {
        try (TestServer server = start(new TlsConfig(first.cert, first.key))) {
            for (HttpClient.Version version : HttpClient.Version.values()) {
                HttpResponse<byte[]> answer = post(server, context(first, null), version, null);
                assertEquals(200, answer.statusCode());
                assertEquals(version, answer.version());
            }
        }
        assertEquals(2, exported.logs.size());
    }

    @Test
    void shouldRefuseOldProtocolsAndStrangers() throws Exception {
        try (TestServer server = start(new TlsConfig(first.cert, first.key, null, "1.3", Duration.ofMinutes(1)))) {
            SSLParameters old = new SSLParameters();
            old.setProtocols(new String[] {"TLSv1.2"});
            assertThrows(IOException.class, () -> post(server, context(first, null), HttpClient.Version.HTTP_1_1, old));
            assertThrows(
                    IOException.class, () -> post(server, context(second, null), HttpClient.Version.HTTP_1_1, null));
            assertEquals(
                    200,
                    post(server, context(first, null), HttpClient.Version.HTTP_1_1, null)
                            .statusCode());
            try (RawHttp1 plain = new RawHttp1(server.httpPort())) {
                plain.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
                plain.awaitEnd();
            }
        }
    }

    @Test
    void shouldDemandCertificatesOfClients() throws Exception {
        TlsConfig config = new TlsConfig(first.cert, first.key).withClientCaFile(second.cert);
        try (TestServer server = start(config)) {
            HttpClient.Version version = HttpClient.Version.HTTP_1_1;
            assertThrows(IOException.class, () -> post(server, context(first, null), version, null));
            assertThrows(IOException.class, () -> post(server, context(first, first), version, null));
            assertEquals(
                    200, post(server, context(first, second), version, null).statusCode());
        }
        assertEquals(1, exported.logs.size());
    }

    @Test
    void shouldTakeInARenewedCertificate() throws Exception {
        Path cert = folder.resolve("live.crt");
        Path key = folder.resolve("live.key");
        Files.copy(first.cert, cert, StandardCopyOption.REPLACE_EXISTING);
        Files.copy(first.key, key, StandardCopyOption.REPLACE_EXISTING);
        try (TestServer server = start(new TlsConfig(cert, key).withReloadInterval(Duration.ofMillis(50)))) {
            X509Certificate before = certificateOf(server);
            Files.writeString(cert, "rubbish");
            while (server.failures.isEmpty()) {
                Thread.onSpinWait();
            }
            assertTrue(
                    String.valueOf(server.failures.get(0).getMessage()).contains("live.crt"),
                    server.failures::toString);
            assertEquals(before, certificateOf(server));
            Files.copy(second.key, key, StandardCopyOption.REPLACE_EXISTING);
            Files.copy(second.cert, cert, StandardCopyOption.REPLACE_EXISTING);
            while (certificateOf(server).equals(before)) {
                Thread.onSpinWait();
            }
            assertNotEquals(before, certificateOf(server));
            assertEquals(
                    200,
                    post(server, context(second, null), HttpClient.Version.HTTP_2, null)
                            .statusCode());
        }
    }

    @Test
    void shouldShakeHandsWhileACertificateIsBeingRead() throws Exception {
        Path cert = Files.copy(first.cert, folder.resolve("slow.crt"));
        Path key = Files.copy(first.key, folder.resolve("slow.key"));
        try (TestServer server = start(renewed(cert, key))) {
            X509Certificate before = certificateOf(server);
            try (HangingFile hanging = HangingFile.inPlaceOf(cert)) {
                hanging.awaitReader();
                assertEquals(before, assertTimeoutPreemptively(Duration.ofMinutes(1), () -> certificateOf(server)));
                awaitFailure(server, "files that may have changed are still being read: files=[" + cert + ", " + key);
                Files.copy(second.key, key, StandardCopyOption.REPLACE_EXISTING);
                hanging.replaceBy(second.cert);
            }
            while (certificateOf(server).equals(before)) {
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void shouldReadFilesOnceWhenTheReloadIntervalIsZero() throws Exception {
        TlsConfig never = new TlsConfig(first.cert, first.key).withReloadInterval(Duration.ZERO);
        assertFalse(ServerCredentials.read(never, null, failure -> {}).areReloaded());
        ServerCredentials withToken = ServerCredentials.read(never, token("secret"), failure -> {});
        assertTrue(withToken.areReloaded());
        assertEquals(Duration.ofMinutes(1).toNanos(), withToken.intervalNs());
    }

    @Test
    void shouldRefuseReloadIntervalsBelowAMillisecond() {
        TlsConfig config = new TlsConfig(first.cert, first.key);
        for (Duration interval : List.of(Duration.ofNanos(1), Duration.ofNanos(999_999), Duration.ofMillis(-1))) {
            IllegalArgumentException failure =
                    assertThrows(IllegalArgumentException.class, () -> config.withReloadInterval(interval));
            assertTrue(failure.getMessage().startsWith("reload_interval is below 1ms"), failure.getMessage());
        }
    }

    /** As Kubernetes replaces a secret: the file is a link into a folder that is a link, which changes. */
    @Test
    void shouldTakeInATokenBehindLinks() throws Exception {
        Path token = folder.resolve("linked");
        Path data = folder.resolve("..data");
        for (String each : List.of("old", "new")) {
            Path version = Files.createDirectory(folder.resolve(".." + each));
            Files.move(token(each), version.resolve("linked"));
        }
        Files.createSymbolicLink(data, Path.of("..old"));
        Files.createSymbolicLink(token, Path.of("..data/linked"));
        try (TestServer server = start(renewed(first.cert, first.key), token)) {
            assertEquals(200, status(server, "old"));
            Path next = Files.createSymbolicLink(folder.resolve("..data_tmp"), Path.of("..new"));
            Files.move(next, data, StandardCopyOption.ATOMIC_MOVE);
            awaitToken(server, "new");
            assertEquals(401, status(server, "old"));
        }
    }

    /** First the file can be read by others, then its mode is set right, which changes neither its contents nor its time. */
    @Test
    void shouldTakeInATokenThatCouldNotBeReadAtFirst() throws Exception {
        Path token = token("old");
        try (TestServer server = start(renewed(first.cert, first.key), token)) {
            assertEquals(200, status(server, "old"));
            Path next = token("new");
            Files.setPosixFilePermissions(next, PosixFilePermissions.fromString("rw-r--r--"));
            Files.move(next, token, StandardCopyOption.REPLACE_EXISTING);
            awaitFailure(server, "that its owner alone can read");
            assertEquals(200, status(server, "old"));
            Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-------"));
            awaitToken(server, "new");
            assertEquals(401, status(server, "old"));
        }
    }

    @Test
    void shouldTakeInATokenWhileACertificateCannotBeRead() throws Exception {
        Path cert = Files.copy(first.cert, folder.resolve("gone.crt"));
        Path token = token("old");
        try (TestServer server = start(renewed(cert, first.key), token)) {
            Files.delete(cert);
            awaitFailure(server, "gone.crt");
            Files.move(token("new"), token, StandardCopyOption.REPLACE_EXISTING);
            awaitToken(server, "new");
            assertEquals(401, status(server, "old"));
        }
    }

    private static TlsConfig renewed(Path cert, Path key) {
        return new TlsConfig(cert, key).withReloadInterval(Duration.ofMillis(50));
    }

    private TestServer start(TlsConfig tls, Path token) throws IOException {
        return new TestServer(
                exported,
                TestServer.config(),
                ServerProtection.builder().tls(tls).tokenFile(token).build());
    }

    private static Path token(String text) throws IOException {
        Path file = Files.createTempFile(folder, "token", "");
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        return file;
    }

    private static void awaitFailure(TestServer server, String part) {
        assertTimeoutPreemptively(Duration.ofMinutes(1), () -> {
            while (server.failures.stream()
                    .noneMatch(failure -> String.valueOf(failure.getMessage()).contains(part))) {
                Thread.onSpinWait();
            }
        });
    }

    private void awaitToken(TestServer server, String token) {
        assertTimeoutPreemptively(Duration.ofMinutes(1), () -> {
            while (status(server, token) != 200) {
                Thread.onSpinWait();
            }
        });
    }

    private int status(TestServer server, String token) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("https://localhost:" + server.httpPort() + "/v1/logs"))
                .header("Content-Type", "application/x-protobuf")
                .header("Authorization", "Bearer " + token)
                .POST(BodyPublishers.noBody())
                .build();
        return client.send(request, BodyHandlers.discarding()).statusCode();
    }

    @Test
    void shouldNotTakeAKeyThatIsNotTheCertificates() throws Exception {
        String reason = "private key is not that of the certificate: cert_file=";
        refused(first.cert, second.key, reason);
        refused(second.cert, first.key, reason);
        refused(first.cert, identity("third", "RSA").key, reason);
        refused(second.cert, identity("longer", "EC", "-groupname", "secp521r1").key, reason);
        Identity edwards = identity("edwards", "Ed25519");
        refused(first.cert, edwards.key, reason);
        start(new TlsConfig(edwards.cert, edwards.key)).close();
    }

    @Test
    void shouldKeepTheOldPairUntilBothFilesOfTheNewOneAreThere() throws Exception {
        Path cert = Files.copy(first.cert, folder.resolve("pair.crt"));
        Path key = Files.copy(first.key, folder.resolve("pair.key"));
        try (TestServer server = start(renewed(cert, key))) {
            X509Certificate before = certificateOf(server);
            Files.copy(second.cert, cert, StandardCopyOption.REPLACE_EXISTING);
            awaitFailure(server, "private key is not that of the certificate");
            assertEquals(before, certificateOf(server));
            Files.copy(second.key, key, StandardCopyOption.REPLACE_EXISTING);
            while (certificateOf(server).equals(before)) {
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void shouldReadKeysOfPkcs1() throws Exception {
        String pkcs8 = Files.readString(first.key);
        byte[] der = Base64.getMimeDecoder().decode(pkcs8.replaceAll("-----.*-----", ""));
        // SEQUENCE (4), version (3), algorithm (15), OCTET STRING (4), then the key of PKCS #1
        byte[] inner = Arrays.copyOfRange(der, 26, der.length);
        Path key = folder.resolve("pkcs1.key");
        writePem(key, "RSA PRIVATE KEY", inner);
        start(new TlsConfig(first.cert, key)).close();
        Path none =
                Files.writeString(folder.resolve("none.key"), "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END");
        IOException failure = assertThrows(IOException.class, () -> start(new TlsConfig(first.cert, none)));
        assertTrue(failure.getMessage().contains("none.key"), failure.getMessage());
    }

    /** As {@code openssl ecparam -genkey} writes them, with and without what is optional, and with the curve before. */
    @Test
    void shouldReadKeysOfSec1() throws Exception {
        for (Identity identity : List.of(second, identity("long", "EC", "-groupname", "secp521r1"))) {
            ECPrivateKey secret = (ECPrivateKey) identity.store.getKey("server", "changeit".toCharArray());
            int length = (secret.getParams().getOrder().bitLength() + 7) / 8;
            byte[] spki = identity.store.getCertificate("server").getPublicKey().getEncoded();
            // SEQUENCE, algorithm: SEQUENCE, id (9), curve; then the point as BIT STRING
            int algorithm = spki[1] < 0 ? 3 : 2;
            int curve = algorithm + 2 + 9;
            byte[] parameters = der(0xA0, Arrays.copyOfRange(spki, curve, algorithm + 2 + spki[algorithm + 1]));
            byte[] point = der(0xA1, Arrays.copyOfRange(spki, algorithm + 2 + spki[algorithm + 1], spki.length));
            byte[] number = new byte[length];
            byte[] s = secret.getS().toByteArray();
            int from = Math.max(0, s.length - length);
            System.arraycopy(s, from, number, length - (s.length - from), s.length - from);
            byte[] start = join(new byte[] {2, 1, 1}, der(4, number));
            for (byte[] key : List.of(der(0x30, start), der(0x30, join(start, join(parameters, point))))) {
                Path file = folder.resolve("sec1.key");
                writePem(file, "EC PRIVATE KEY", key);
                Files.writeString(
                        file,
                        "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n"
                                + Files.readString(file));
                try (TestServer server = start(new TlsConfig(identity.cert, file))) {
                    assertEquals(
                            200,
                            post(server, context(identity, null), HttpClient.Version.HTTP_1_1, null)
                                    .statusCode());
                }
                writePem(file, "EC PRIVATE KEY", Arrays.copyOf(key, length));
                refused(identity.cert, file, "file=" + file + ", reason=it is not in SEC 1");
            }
        }
        writePem(folder.resolve("other.key"), "EC PRIVATE KEY", new byte[40]);
        refused(first.cert, folder.resolve("other.key"), "it is for EC, the certificate for RSA");
    }

    @Test
    void shouldSayWhichFileCannotBeUsed() throws Exception {
        Path none = folder.resolve("nope.pem");
        Path rubbish = Files.writeString(folder.resolve("rubbish.pem"), "rubbish");
        refused(none, first.key, "can't read the certificate: file=" + none + ", reason=no such file");
        refused(folder, first.key, "can't read the certificate: file=" + folder + ", reason=Is a directory");
        refused(first.cert, none, "can't read the private key: file=" + none + ", reason=no such file");
        refused(rubbish, first.key, "file holds no certificate: file=" + rubbish);
        refused(first.cert, rubbish, "file holds no private key");
        writePem(rubbish, "PRIVATE KEY", new byte[40]);
        refused(
                first.cert,
                rubbish,
                "private key can't be used: file=" + rubbish + ", reason=its algorithm is not one of");
        IOException failure = assertThrows(
                IOException.class, () -> start(new TlsConfig(first.cert, first.key).withClientCaFile(none)));
        assertTrue(failure.getMessage().contains("file=" + none + ", reason=no such file"), failure.getMessage());
    }

    private void refused(Path cert, Path key, String reason) {
        IOException failure = assertThrows(IOException.class, () -> start(new TlsConfig(cert, key)));
        assertTrue(failure.getMessage().contains(reason), failure.getMessage());
    }

    private static byte[] der(int tag, byte[] content) {
        byte[] start = content.length < 0x80
                ? new byte[] {(byte) tag, (byte) content.length}
                : new byte[] {(byte) tag, (byte) 0x81, (byte) content.length};
        return join(start, content);
    }

    private static byte[] join(byte[] first, byte[] second) {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }

    private TestServer start(TlsConfig tls) throws IOException {
        return new TestServer(
                exported,
                TestServer.config(),
                ServerProtection.builder().tls(tls).build());
    }

    private static HttpResponse<byte[]> post(
            TestServer server, SSLContext context, HttpClient.Version version, SSLParameters parameters)
            throws Exception {
        HttpClient.Builder client = HttpClient.newBuilder().sslContext(context).version(version);
        if (parameters != null) {
            client.sslParameters(parameters);
        }
        HttpRequest request = HttpRequest.newBuilder(URI.create("https://localhost:" + server.httpPort() + "/v1/logs"))
                .header("Content-Type", "application/x-protobuf")
                .POST(BodyPublishers.ofByteArray(TestRequests.logs("secret", 1).toByteArray()))
                .build();
        return client.build().send(request, BodyHandlers.ofByteArray());
    }

    private static X509Certificate certificateOf(TestServer server) throws Exception {
        KeyStore both = KeyStore.getInstance("PKCS12");
        both.load(null, null);
        both.setCertificateEntry("first", first.store.getCertificate("server"));
        both.setCertificateEntry("second", second.store.getCertificate("server"));
        SSLContext context = context(both, null);
        try (SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket("localhost", server.httpPort())) {
            return (X509Certificate) socket.getSession().getPeerCertificates()[0];
        }
    }

    private static SSLContext context(Identity trusted, Identity own) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setCertificateEntry("trusted", trusted.store.getCertificate("server"));
        return context(store, own);
    }

    private static SSLContext context(KeyStore trusted, Identity own) throws Exception {
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(own == null ? null : own.store, "changeit".toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        return context;
    }

    private static Identity identity(String name, String algorithm, String... options) throws Exception {
        Path file = folder.resolve(name + ".p12");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "server",
                "-keyalg",
                algorithm,
                "-dname",
                "CN=" + name,
                "-ext",
                "san=dns:localhost",
                "-validity",
                "2",
                "-keystore",
                file.toString(),
                "-storepass",
                "changeit",
                "-storetype",
                "PKCS12"));
        command.addAll(List.of(options));
        Process keytool = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertEquals(0, keytool.waitFor());
        KeyStore store = KeyStore.getInstance(file.toFile(), "changeit".toCharArray());
        Path cert = folder.resolve(name + ".crt");
        Path key = folder.resolve(name + ".key");
        writePem(cert, "CERTIFICATE", store.getCertificate("server").getEncoded());
        writePem(
                key,
                "PRIVATE KEY",
                store.getKey("server", "changeit".toCharArray()).getEncoded());
        return new Identity(store, cert, key);
    }

    private static void writePem(Path file, String label, byte[] der) throws IOException {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
        Files.writeString(file, "-----BEGIN " + label + "-----\n" + text + "\n-----END " + label + "-----\n");
    }
}
