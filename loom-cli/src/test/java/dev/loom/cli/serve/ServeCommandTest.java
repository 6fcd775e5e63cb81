package dev.loom.cli.serve;

import dev.loom.cli.Cli;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code loom serve} says when it can't begin. */
final class ServeCommandTest {
    @TempDir
    Path temp;

    private Cli.Result serve(String... more) {
        String[] arguments = new String[more.length + 2];
        arguments[0] = "serve";
        arguments[1] = "--http=127.0.0.1:0";
        System.arraycopy(more, 0, arguments, 2, more.length);
        return Cli.on(temp.resolve("store")).run(arguments);
    }

    @Test
    void shouldSayWhichFileCannotBeRead() throws IOException {
        Path none = temp.resolve("nope.pem");
        serve("--tls-cert=" + none, "--tls-key=" + none)
                .exit(3)
                .says("can't read the certificate: file=" + none + ", reason=no such file");
        serve("--token-file=" + none).exit(3).says("can't read the token: file=" + none + ", reason=no such file");
        serve("--config=" + none).exit(2).says("can't read the configuration: file=" + none + ", reason=no such file");
        serve("--ingest=unix:" + temp.resolve("folder/socket"))
                .exit(3)
                .says("can't listen: address=unix:" + temp.resolve("folder/socket")
                        + ", reason=can't create a folder next to it: no such file");
        Cli.on(temp)
                .run("import", "--to-sidecar=127.0.0.1:1", "--token-file=" + none, "--source=a", "--format=lines", "-")
                .exit(2)
                .says("can't read the token: file=" + none + ", reason=no such file");
    }

    @Test
    void shouldTakeVariablesInItsConfiguration() throws IOException {
        Path config = Files.writeString(temp.resolve("loom.yaml"), "server: {auth: {token_file: '${env:TOKENS}/t'}}\n");
        Cli.on(temp.resolve("store"))
                .environment("TOKENS", temp.toString())
                .run("serve", "--config=" + config, "--http=127.0.0.1:0")
                .exit(3)
                .says("can't read the token: file=" + temp.resolve("t") + ", reason=no such file");
        serve("--config=" + config)
                .exit(2)
                .says("environment variable is not set: name=TOKENS, setting=server.auth.token_file, file=" + config);
    }

    /** Without them the sidecar would start unprotected. */
    @Test
    void shouldNotStartWithAnEmptyVariableOfAFileThatProtectsIt() {
        Map<String, String> settings = Map.of(
                "LOOM_TOKEN_FILE", "server.auth.token_file",
                "LOOM_TLS_CERT", "server.tls.cert_file",
                "LOOM_TLS_KEY", "server.tls.key_file",
                "LOOM_TLS_CLIENT_CA", "server.tls.client_ca_file");
        settings.forEach((variable, setting) -> Cli.on(temp.resolve("store"))
                .environment(variable, "")
                .run("serve", "--config=" + temp.resolve("none"))
                .exit(2)
                .says("environment variable is empty: name=" + variable + ", setting=" + setting));
        Cli.on(temp.resolve("store")) // the file may name them
                .environment("LOOM_CONFIG", "")
                .run("serve", "--http=127.0.0.1:0")
                .exit(2)
                .says("environment variable is empty: name=LOOM_CONFIG");
        Path none = temp.resolve("none");
        Cli.on(temp.resolve("store"))
                .environment("LOOM_TOKEN_FILE", "")
                .run("serve", "--http=127.0.0.1:0", "--token-file=" + none)
                .exit(3)
                .says("can't read the token: file=" + none + ", reason=no such file");
    }
}
