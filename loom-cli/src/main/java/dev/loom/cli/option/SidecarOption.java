package dev.loom.cli.option;

import dev.loom.cli.console.CommandFailure;
import dev.loom.otlp.file.FileFailure;
import dev.loom.otlp.server.Endpoint;
import dev.loom.otlp.tls.ClientTls;
import dev.loom.server.client.IngestClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The sidecar that has the store open, for commands that write. */
public final class SidecarOption {
    @Option(
            names = "--to-sidecar",
            paramLabel = "ADDRESS",
            description =
                    "Writes through the sidecar at this ingest address, HOST:PORT or unix:PATH, instead of --dir.")
    private @Nullable String address;

    @Option(names = "--token-file", paramLabel = "FILE", description = "File with the token that the sidecar requires.")
    private @Nullable Path tokenFile;

    @Option(
            names = "--tls",
            fallbackValue = "true",
            description = "Encrypts the connection to the sidecar; implied by the other --tls options.")
    private boolean encrypted;

    @Option(
            names = "--tls-ca",
            paramLabel = "FILE",
            description = "CA certificates that must have signed the sidecar's, PEM; by default the JDK's.")
    private @Nullable Path caFile;

    @Option(
            names = "--tls-cert",
            paramLabel = "FILE",
            description = "The client's certificate chain, PEM, if the sidecar requires one.")
    private @Nullable Path certFile;

    @Option(names = "--tls-key", paramLabel = "FILE", description = "That certificate's private key, PEM.")
    private @Nullable Path keyFile;

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec command;

    /**
     * Whether the sidecar is meant, not a directory: a typed --dir beats the variable of the sidecar.
     *
     * @throws CommandFailure if both are typed
     */
    public boolean given() {
        boolean directory = TypedOptions.contains(command, "--dir");
        if (directory && TypedOptions.contains(command, "--to-sidecar")) {
            throw CommandFailure.usage("--dir and --to-sidecar can't be combined; the sidecar has its own directory");
        }
        return address != null && !directory;
    }

    /** Connects to the sidecar. */
    public IngestClient connect() {
        if (address == null) {
            throw CommandFailure.usage("no sidecar given; use --to-sidecar");
        }
        try {
            return IngestClient.connect(Endpoint.parse(address), token(), tls());
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage(String.valueOf(e.getMessage()));
        }
    }

    private @Nullable ClientTls tls() {
        boolean any = encrypted || caFile != null || certFile != null || keyFile != null;
        if (!any) {
            return null;
        }
        ClientTls tls = new ClientTls(caFile, certFile, keyFile);
        try {
            tls.context(); // a file that can't be used is no fault of the sidecar's
        } catch (IOException e) {
            throw CommandFailure.usage(FileFailure.describe(e));
        }
        return tls;
    }

    private String token() {
        if (tokenFile == null) {
            return "";
        }
        try {
            return Files.readString(tokenFile).strip();
        } catch (IOException e) {
            throw CommandFailure.usage(FileFailure.message("can't read the token", tokenFile, e));
        }
    }
}
