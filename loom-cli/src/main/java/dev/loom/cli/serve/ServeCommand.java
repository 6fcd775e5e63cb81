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
        description = "Takes telemetry from other processes into a store, and answers queries on it, until Ctrl-C.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "An address is HOST:PORT, [IPV6]:PORT, unix:PATH or none. Without any of them,",
            "OTLP is taken at localhost:4317 and 4318, and queries at localhost:4319."
        })
public final class ServeCommand implements Callable<Integer> {
    private static final Duration GRACE = Duration.ofSeconds(10);
    private static final Duration LOOK_EVERY = Duration.ofSeconds(30);

    private final Console console;

    @Option(names = "--dir", paramLabel = "DIR", description = "Directory of the store; by default that of LOOM_DIR.")
    private @Nullable Path directory;

    @Option(names = "--otlp-grpc", paramLabel = "ADDRESS", description = "Takes OTLP/gRPC there.")
    private @Nullable String otlpGrpc;

    @Option(names = "--otlp-http", paramLabel = "ADDRESS", description = "Takes OTLP/HTTP there.")
    private @Nullable String otlpHttp;

    @Option(names = "--http", paramLabel = "ADDRESS", description = "Answers queries, health and metrics there.")
    private @Nullable String api;

    @Option(names = "--ingest", paramLabel = "ADDRESS", description = "Takes raw records there.")
    private @Nullable String ingest;

    @Option(names = "--config", paramLabel = "FILE", description = "Settings in YAML; options go over them.")
    private @Nullable Path config;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "Holds the token that clients must send, and its owner alone may read it.")
    private @Nullable Path tokenFile;

    @Option(names = "--tls-cert", paramLabel = "FILE", description = "The server's certificate chain, PEM.")
    private @Nullable Path certFile;

    @Option(names = "--tls-key", paramLabel = "FILE", description = "Its private key, PEM.")
    private @Nullable Path keyFile;

    @Option(
            names = "--tls-client-ca",
            paramLabel = "FILE",
            description = "Authorities of the certificates that clients must have, PEM.")
    private @Nullable Path clientCaFile;

    @Option(names = "--insecure", description = "Lets other machines in without TLS and token.")
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
