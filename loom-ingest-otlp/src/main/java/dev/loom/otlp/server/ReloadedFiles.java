package dev.loom.otlp.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reloads certificate, key and token files that changed. Thread-safe. */
final class ReloadedFiles {
    private static final Duration TOKEN_INTERVAL = Duration.ofMinutes(1);

    private final List<Path> files;
    private final long intervalNs;
    private List<Object> seen;

    /** What is done with changed files. */
    interface Reload {
        void run() throws Exception;
    }

    private ReloadedFiles(List<Path> files, Duration interval) {
        this.files = files;
        intervalNs = interval.toNanos();
        seen = stamps();
    }

    /** To be called before the files are read, so that no change is missed; null if the protection has none. */
    static @Nullable ReloadedFiles of(ServerProtection protection) {
        TlsConfig tls = protection.tls();
        Stream<@Nullable Path> tlsFiles =
                tls == null ? Stream.empty() : Stream.of(tls.certFile(), tls.keyFile(), tls.clientCaFile());
        List<Path> files = Stream.concat(tlsFiles, Stream.of(protection.tokenFile()))
                .filter(Objects::nonNull)
                .toList();
        return files.isEmpty() ? null : new ReloadedFiles(files, tls == null ? TOKEN_INTERVAL : tls.reloadInterval());
    }

    /** The interval between checks, in ns. */
    long intervalNs() {
        return intervalNs;
    }

    /** Reloads if a file changed since the last reload that succeeded: one that failed is repeated by the next call. */
    synchronized void reloadIfChanged(Reload reload) throws Exception {
        List<Object> now = stamps();
        if (!now.equals(seen)) {
            reload.run();
            seen = now;
        }
    }

    private List<Object> stamps() {
        List<Object> stamps = new ArrayList<>();
        for (Path file : files) {
            try {
                stamps.add(Files.getLastModifiedTime(file));
                stamps.add(Files.size(file));
                stamps.add(String.valueOf(Files.getAttribute(file, "unix:ino")));
            } catch (IOException e) {
                stamps.add(FileFailure.reason(e)); // who reads the file will say so
            }
        }
        return stamps;
    }
}
