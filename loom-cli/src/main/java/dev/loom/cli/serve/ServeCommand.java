package dev.loom.cli.serve;

import dev.loom.api.ProgressHandler;
import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.Console;
import dev.loom.cli.console.ExitCode;
import dev.loom.cli.console.ProcessWrites;
import dev.loom.cli.console.StoreProgress;
import dev.loom.otlp.file.FileFailure;
import dev.loom.server.LoomServer;
import dev.loom.server.ServerSettings;
import dev.loom.server.time.StoreTime;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code loom serve}: the sidecar. */
@Command(
        name = "serve",
        description = "Receives telemetry from other processes into a store and answers queries on it until Ctrl-C.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "An ADDRESS is HOST:PORT, [IPV6]:PORT, unix:PATH or none. If none is given, OTLP",
            "is received at localhost:4317 and 4318, and queries are served at localhost:4319."
        })
public final class ServeCommand implements Callable<Integer> {
    private static final Duration GRACE = Duration.ofSeconds(10);
    private static final Duration LOOK_EVERY = Duration.ofSeconds(30);

    private final Console console;

    @Option(names = "--dir", paramLabel = "DIR", description = "Directory of the store; by default LOOM_DIR.")
    private @Nullable Path directory;

    @Option(names = "--otlp-grpc", paramLabel = "ADDRESS", description = "Receives OTLP/gRPC at this address.")
    private @Nullable String otlpGrpc;

    @Option(names = "--otlp-http", paramLabel = "ADDRESS", description = "Receives OTLP/HTTP at this address.")
    private @Nullable String otlpHttp;

    @Option(
            names = "--http",
            paramLabel = "ADDRESS",
            description = "Serves queries, health and metrics at this address.")
    private @Nullable String api;

    @Option(names = "--ingest", paramLabel = "ADDRESS", description = "Receives raw records at this address.")
    private @Nullable String ingest;

    @Option(names = "--config", paramLabel = "FILE", description = "Settings in YAML; options override them.")
    private @Nullable Path config;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "File with the token that clients must send; others must not be able to read it.")
    private @Nullable Path tokenFile;

    @Option(names = "--tls-cert", paramLabel = "FILE", description = "The server's certificate chain, PEM.")
    private @Nullable Path certFile;

    @Option(names = "--tls-key", paramLabel = "FILE", description = "The certificate's private key, PEM.")
    private @Nullable Path keyFile;

    @Option(
            names = "--tls-client-ca",
            paramLabel = "FILE",
            description = "CA certificates that must have signed a client's certificate, PEM.")
    private @Nullable Path clientCaFile;

    @Option(
            names = "--insecure",
            fallbackValue = "true",
            description = "Admits other machines without TLS and a token.")
    private @Nullable Boolean insecure;

    public ServeCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws InterruptedException {
        // a slow disk takes longer for what is in the rings, which may not outlive this process's container
        console.interruption().grace(GRACE);
        console.interruption().graceWhile(ProcessWrites::bytes);
        try (LoomServer server = open()) {
            server.addresses().forEach((name, address) -> console.say("listening: " + name + " " + address));
            console.say("serving " + server.directory());
            boolean reported = false;
            do {
                Duration ahead = server.clockAhead();
                if (!ahead.isZero() && !reported) {
                    console.say(StoreTime.tell(ahead.toNanos()));
                }
                reported = !ahead.isZero();
            } while (!console.interruption().await(LOOK_EVERY));
            console.say("closing");
        } catch (IOException e) {
            throw new CommandFailure(ExitCode.STORE, FileFailure.describe(e), e);
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage(String.valueOf(e.getMessage()));
        }
        return ExitCode.OK;
    }

    private LoomServer open() throws IOException {
        try (StoreProgress progress = new StoreProgress(console)) {
            return LoomServer.open(settings(progress));
        }
    }

    /** The settings of the file, with the options over them. */
    private ServerSettings settings(ProgressHandler progress) {
        Map<String, String> options = new HashMap<>();
        put(options, "store.directory", directory);
        put(options, "receivers.otlp.protocols.grpc.endpoint", otlpGrpc);
        put(options, "receivers.otlp.protocols.http.endpoint", otlpHttp);
        put(options, "api.endpoint", api);
        put(options, "receivers.loom.endpoint", ingest);
        putProtective(options, "server.auth.token_file", tokenFile, "LOOM_TOKEN_FILE");
        putProtective(options, "server.tls.cert_file", certFile, "LOOM_TLS_CERT");
        putProtective(options, "server.tls.key_file", keyFile, "LOOM_TLS_KEY");
        putProtective(options, "server.tls.client_ca_file", clientCaFile, "LOOM_TLS_CLIENT_CA");
        put(options, "server.insecure", insecure);
        requireNotEmpty(config, "LOOM_CONFIG", "");
        return ServerSettings.read(config, console.environment(), options, progress)
                .onFailure(this::tell)
                .onNotice(console::say)
                .build();
    }

    private static void put(Map<String, String> options, String setting, @Nullable Object value) {
        if (value != null) {
            options.put(setting, value.toString());
        }
    }

    /** Puts a file by which the server protects itself: an empty variable must not make it start without. */
    private void putProtective(Map<String, String> options, String setting, @Nullable Path file, String variable) {
        requireNotEmpty(file, variable, ", setting=" + setting);
        put(options, setting, file);
    }

    private void requireNotEmpty(@Nullable Path file, String variable, String setting) {
        if (file == null && console.environment().containsKey(variable)) {
            throw CommandFailure.usage("environment variable is empty: name=" + variable + setting);
        }
    }

    private void tell(Throwable failure) {
        console.say("failure: " + (failure instanceof IOException e ? FileFailure.describe(e) : failure));
    }
}
