package dev.loom.otlp.server;

import java.io.IOException;
import java.util.Objects;
import java.util.function.Consumer;
import javax.net.ssl.SSLEngine;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.jspecify.annotations.Nullable;

/**
 * Encrypts the connections of a server that does not speak HTTP, by the same settings. Files that changed are read again
 * for the next connection, at most once per reload interval. Thread-safe.
 */
public final class ServerTls {
    private final TlsConfig config;
    private final SslContextFactory.Server context;
    private final ReloadedFiles files;
    private final Consumer<Throwable> failures;
    private long lookedNs = System.nanoTime();

    private ServerTls(TlsConfig config, ReloadedFiles files, Consumer<Throwable> failures) throws IOException {
        this.config = config;
        this.files = files;
        this.failures = failures;
        this.context = TlsContext.create(config);
    }

    /**
     * Reads certificate and key.
     *
     * @param failures takes files that can't be read later; the former ones then stay in use
     * @return null if the protection has no TLS
     * @throws IOException if a file can't be read or used
     */
    public static @Nullable ServerTls of(ServerProtection protection, Consumer<Throwable> failures) throws IOException {
        if (protection.tls() == null) {
            return null;
        }
        ReloadedFiles files = Objects.requireNonNull(ReloadedFiles.of(protection));
        ServerTls tls = new ServerTls(protection.tls(), files, failures);
        try {
            tls.context.start();
        } catch (IOException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException(
                    "certificate or key can't be used: cert_file=" + tls.config.certFile() + ", key_file="
                            + tls.config.keyFile() + ", reason=" + e.getMessage(),
                    e);
        }
        return tls;
    }

    /** The engine of a new connection. */
    public synchronized SSLEngine engine() {
        long now = System.nanoTime();
        if (now - lookedNs >= files.intervalNs()) {
            lookedNs = now;
            reload();
        }
        SSLEngine engine = context.newSSLEngine();
        engine.setUseClientMode(false);
        return engine;
    }

    private void reload() {
        try {
            files.reloadIfChanged(() -> TlsContext.reload(context, config));
        } catch (Exception e) {
            failures.accept(e);
        }
    }
}
