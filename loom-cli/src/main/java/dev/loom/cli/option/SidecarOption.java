package dev.loom.cli.option;

import dev.loom.cli.console.CommandFailure;
import dev.loom.otlp.server.Endpoint;
import dev.loom.otlp.server.FileFailure;
import dev.loom.server.client.IngestClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

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

    public boolean given() {
        return address != null;
    }

    /** Connects to the sidecar. */
    public IngestClient connect() {
        if (address == null) {
            throw CommandFailure.usage("no sidecar given; use --to-sidecar");
        }
        try {
            return IngestClient.connect(Endpoint.parse(address), token());
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage(String.valueOf(e.getMessage()));
        }
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
