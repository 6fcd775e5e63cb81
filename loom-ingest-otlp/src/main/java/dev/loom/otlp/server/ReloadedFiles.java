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

/** Detects changes to certificate, key and token files. */
final class ReloadedFiles {
    private static final Duration TOKEN_INTERVAL = Duration.ofMinutes(1);

    private final List<Path> files;
    private final long intervalNs;
    private List<Object> seen;

    private ReloadedFiles(List<Path> files, Duration interval) throws IOException {
        this.files = files;
        intervalNs = interval.toNanos();
        seen = stamps();
    }

    static @Nullable ReloadedFiles of(ServerProtection protection) throws IOException {
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

    /** Whether a file changed since the last call. */
    synchronized boolean takeChanged() throws IOException {
        List<Object> now = stamps();
        boolean changed = !now.equals(seen);
        seen = now;
        return changed;
    }

    private List<Object> stamps() throws IOException {
        List<Object> stamps = new ArrayList<>();
        for (Path file : files) {
            try {
                stamps.add(Files.getLastModifiedTime(file));
                stamps.add(Files.size(file));
                stamps.add(String.valueOf(Files.getAttribute(file, "unix:ino")));
            } catch (IOException e) {
                throw FileFailure.of("can't watch a certificate, key or token", file, e);
            }
        }
        return stamps;
    }
}
