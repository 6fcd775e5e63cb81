package dev.loom.cli.serve;

import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.Console;
import dev.loom.cli.console.ExitCode;
import dev.loom.cli.time.StoreTime;
import dev.loom.otlp.server.FileFailure;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
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
            description = "File with the token that clients must send; only its owner may read it.")
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

    @Option(names = "--insecure", description = "Admits other machines without TLS and a token.")
    private boolean insecure;

    public ServeCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws InterruptedException {
        console.interruption().grace(GRACE);
        ServeSettings settings = ServeSettings.of(
                new ServeSettings.Options(
                        directory,
                        otlpGrpc,
                        otlpHttp,
                        api,
                        ingest,
                        tokenFile,
                        certFile,
                        keyFile,
                        clientCaFile,
                        insecure),
                config == null ? ConfigFile.empty() : ConfigFile.read(config, console.environment()));
        try (Sidecar sidecar = Sidecar.start(settings, this::tell, console::say)) {
            sidecar.addresses().forEach((name, address) -> console.say("listening: " + name + " " + address));
            console.say("serving " + settings.directory());
            boolean told = false;
            do {
                long aheadNs = sidecar.clockAheadNs();
                if (aheadNs > 0 && !told) {
                    console.say(StoreTime.tell(aheadNs));
                }
                told = aheadNs > 0;
            } while (!console.interruption().await(LOOK_EVERY));
            console.say("closing");
        } catch (IOException e) {
            throw new CommandFailure(ExitCode.STORE, FileFailure.describe(e), e);
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage(String.valueOf(e.getMessage()));
        }
        return ExitCode.OK;
    }

    private void tell(Throwable failure) {
        console.say("failure: " + (failure instanceof IOException e ? FileFailure.describe(e) : failure));
    }
}
