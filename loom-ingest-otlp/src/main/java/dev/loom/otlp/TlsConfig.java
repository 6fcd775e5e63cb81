package dev.loom.otlp;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How connections are encrypted. The names are those of the Collector's {@code tls} settings.
 *
 * @param certFile {@code cert_file}: the server's certificate, then those up to its authority; PEM
 * @param keyFile {@code key_file}: its private key, not encrypted; PEM in PKCS #8, PKCS #1 or SEC 1
 * @param clientCaFile {@code client_ca_file}: authorities of clients' certificates, PEM; null if clients need none
 * @param minVersion {@code min_version}: {@code 1.2} or {@code 1.3}
 * @param reloadInterval {@code reload_interval}: how often to check the files for changes, at least 1 ms; zero for never
 */
public record TlsConfig(
        Path certFile, Path keyFile, @Nullable Path clientCaFile, String minVersion, Duration reloadInterval) {
    private static final Duration RELOAD_INTERVAL_MIN = Duration.ofMillis(1);

    /** Checks the version and the interval. */
    public TlsConfig {
        if (!minVersion.equals("1.2") && !minVersion.equals("1.3")) {
            throw new IllegalArgumentException("min_version is not 1.2 or 1.3: min_version=" + minVersion);
        }
        if (!reloadInterval.isZero() && reloadInterval.compareTo(RELOAD_INTERVAL_MIN) < 0) {
            throw new IllegalArgumentException(
                    "reload_interval is below 1ms, and not 0s, which is never: reload_interval=" + reloadInterval);
        }
    }

    /** TLS 1.2 or newer, no client certificates, files checked every minute. */
    public TlsConfig(Path certFile, Path keyFile) {
        this(certFile, keyFile, null, "1.2", Duration.ofMinutes(1));
    }

    /** The same with client certificates required. */
    public TlsConfig withClientCaFile(Path file) {
        return new TlsConfig(certFile, keyFile, file, minVersion, reloadInterval);
    }

    /** The same with another reload interval. */
    public TlsConfig withReloadInterval(Duration interval) {
        return new TlsConfig(certFile, keyFile, clientCaFile, minVersion, interval);
    }
}
