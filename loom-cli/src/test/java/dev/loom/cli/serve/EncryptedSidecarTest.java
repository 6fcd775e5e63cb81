package dev.loom.cli.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.SharedWriter;
import dev.loom.cli.Cli;
import dev.loom.otlp.ExportOutcome;
import dev.loom.otlp.Signal;
import dev.loom.otlp.ingest.IngestSettings;
import dev.loom.otlp.ingest.OtlpIngester;
import dev.loom.otlp.server.Endpoint;
import dev.loom.server.LoomServer;
import dev.loom.server.ServerSettings;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest;
import io.opentelemetry.proto.logs.v1.LogRecord;
import io.opentelemetry.proto.logs.v1.ResourceLogs;
import io.opentelemetry.proto.logs.v1.ScopeLogs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A sidecar that takes raw records from other machines. */
final class EncryptedSidecarTest {
    @TempDir
    Path temp;

    private Path token = Path.of("");

    @BeforeEach
    void createFiles() throws Exception {
        token = Files.writeString(temp.resolve("token"), "secret\n");
        Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-------"));
        keytool("-genkeypair", "-keyalg", "EC", "-dname", "CN=sidecar", "-ext", "san=dns:localhost", "-validity", "2");
        keytool("-exportcert", "-rfc", "-file", cert().toString());
        KeyStore keys = KeyStore.getInstance(temp.resolve("keys").toFile(), "changeit".toCharArray());
        String key = Base64.getMimeEncoder()
                .encodeToString(keys.getKey("own", "changeit".toCharArray()).getEncoded());
        Files.writeString(
                temp.resolve("own.key"), "-----BEGIN PRIVATE KEY-----\n" + key + "\n-----END PRIVATE KEY-----\n");
    }

    private Path cert() {
        return temp.resolve("own.crt");
    }

    private void keytool(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString()));
        command.addAll(List.of(arguments));
        command.addAll(List.of("-alias", "own", "-storepass", "changeit", "-storetype", "PKCS12"));
        command.addAll(List.of("-keystore", temp.resolve("keys").toString()));
        assertEquals(
                0,
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start()
                        .waitFor());
    }

    private LoomServer start(boolean tls, boolean authenticated) throws IOException {
        String server = (tls ? "tls: {cert_file: " + cert() + ", key_file: " + temp.resolve("own.key") + "}, " : "")
                + (authenticated ? "auth: {token_file: " + token + "}" : "insecure: false");
        Path file =
                Files.writeString(temp.resolve("loom.yaml"), "server: {" + server + "}\nstore: {record_ring_mib: 8}\n");
        return LoomServer.open(ServerSettings.read(
                        file,
                        Map.of(),
                        Map.of(
                                "receivers.loom.endpoint",
                                "0.0.0.0:0",
                                "receivers.otlp.protocols.http.endpoint",
                                "0.0.0.0:0",
                                "store.directory",
                                temp.resolve("store").toString()))
                .onFailure(Throwable::printStackTrace)
                .build());
    }

    @Test
    void shouldNotListenToOthersWithoutTlsAndToken() {
        for (int i = 0; i < 3; i++) {
            boolean tls = i == 1;
            boolean authenticated = i == 2;
            IllegalArgumentException refused =
                    assertThrows(IllegalArgumentException.class, () -> start(tls, authenticated));
            assertTrue(String.valueOf(refused.getMessage()).contains("needs TLS and a token"), refused::getMessage);
        }
    }

    @Test
    void shouldTakeImportsFromThoseWhoTrustItAndHaveTheToken() throws Exception {
        try (LoomServer sidecar = start(true, true)) {
            int port = Endpoint.parse(String.valueOf(sidecar.addresses().get("ingest")))
                    .port();
            Cli cli = Cli.on(temp.resolve("none")).environment("LOOM_TO_SIDECAR", "localhost:" + port);
            String[] trusting = {"--tls-ca", cert().toString(), "--token-file", token.toString()};
            cli.importText("lines", "lines", "a\nb\n", trusting).ok();
            String without = cli.importText("lines", "lines", "c\n", "--tls-ca", cert().toString())
                    .err();
            assertTrue(without.contains("wrong token"), without);
            String stranger = cli.importText("lines", "lines", "c\n", "--tls", "--token-file", token.toString())
                    .exit(5)
                    .err();
            assertTrue(stranger.contains("TLS handshake failed"), stranger);
            String plain = cli.importText("lines", "lines", "c\n", "--token-file", token.toString())
                    .err();
            assertTrue(plain.contains("port requires TLS"), plain);
            String half = cli.importText("lines", "lines", "c\n", "--tls-cert", cert().toString())
                    .exit(2)
                    .err();
            assertTrue(half.contains("a certificate needs its key"), half);
            cli.environment("LOOM_TO_SIDECAR", "localhost:1") // where nobody listens
                    .importText("lines", "lines", "c\n", "--tls-ca", "absent.pem")
                    .exit(2)
                    .says("can't read the certificate: file=absent.pem, reason=no such file");
        }
        assertEquals(
                2,
                Cli.on(temp.resolve("store")).run("scan", "lines").ok().lines().size());
    }

    @Test
    void shouldTakeExportsFromThoseWhoTrustItAndHaveTheToken() throws Exception {
        Path sender = temp.resolve("sender");
        try (Loom loom = Loom.open(LoomConfig.at(sender).build())) {
            byte[] request = ExportLogsServiceRequest.newBuilder()
                    .addResourceLogs(ResourceLogs.newBuilder()
                            .addScopeLogs(ScopeLogs.newBuilder().addLogRecords(LogRecord.getDefaultInstance())))
                    .build()
                    .toByteArray();
            new OtlpIngester(new SharedWriter(loom), IngestSettings.defaults())
                    .export(Signal.LOGS, new UnsafeBuffer(request), 0, request.length, new ExportOutcome());
        }
        try (LoomServer sidecar = start(true, true)) {
            int port = Endpoint.parse(String.valueOf(sidecar.addresses().get("otlp-http")))
                    .port();
            List<String> export = List.of("export", "--format", "otlp", "--endpoint", "https://localhost:" + port);
            List<String> trusting = new ArrayList<>(export);
            trusting.addAll(List.of("--tls-ca", cert().toString()));
            String without =
                    Cli.on(sender).run(trusting.toArray(String[]::new)).exit(5).err();
            assertTrue(without.contains("status=401"), without);
            Cli.on(sender)
                    .environment("LOOM_HEADER", "authorization=Bearer secret")
                    .run(trusting.toArray(String[]::new))
                    .ok();
            String stranger =
                    Cli.on(sender).run(export.toArray(String[]::new)).exit(5).err();
            assertTrue(stranger.startsWith("loom: the receiver refuses the records: url=https://"), stranger);
            assertTrue(stranger.contains("unable to find valid certification path"), stranger);
        }
        assertEquals(
                1,
                Cli.on(temp.resolve("store"))
                        .run("scan", "otlp.logs")
                        .ok()
                        .lines()
                        .size());
    }
}
