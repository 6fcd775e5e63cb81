package dev.loom.otlp.server;

import dev.loom.otlp.TlsConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Protects servers from those who can reach them: who may connect, how much they may send, and for how long.
 *
 * @param tls encryption; null for none
 * @param tokenFile holds the bearer token that every request must carry, readable only by its owner; null for none
 * @param allowedHosts names that clients may use for the server ({@code Host}, {@code :authority}) in addition to {@code
 *     localhost} and literal addresses; {@code *} for any
 * @param allowedOrigins {@code cors.allowed_origins}: origins of web pages that may send requests; {@code *} within one
 *     stands for any characters
 * @param insecure whether an endpoint that other machines can reach may lack TLS and a token
 * @param maxConnections over all endpoints; further ones are closed at once
 * @param maxConcurrentStreams {@code max_concurrent_streams}: requests at once on one HTTP/2 connection
 * @param maxHeaderLength of a request's line and headers, in bytes
 * @param readHeaderTimeout {@code read_header_timeout}: from a connection's opening to its first request
 * @param readBodyTimeout from a request's headers to the end of its body
 * @param pressedTimeout replaces {@code readBodyTimeout} and {@code writeTimeout} while the memory for requests is used up
 *     or there are too many at once, and {@code idleTimeout} while there are as many connections as allowed: slower clients
 *     give way; also for the rest of a request of HTTP/1 that was refused, and is read before it is answered
 * @param writeTimeout {@code write_timeout}: from the start of an answer to its end
 * @param idleTimeout {@code idle_timeout}: how long a connection is kept without a request
 */
public record ServerProtection(
        @Nullable TlsConfig tls,
        @Nullable Path tokenFile,
        List<String> allowedHosts,
        List<String> allowedOrigins,
        boolean insecure,
        int maxConnections,
        int maxConcurrentStreams,
        int maxHeaderLength,
        Duration readHeaderTimeout,
        Duration readBodyTimeout,
        Duration pressedTimeout,
        Duration writeTimeout,
        Duration idleTimeout) {

    /** Checks ranges, and copies the lists. */
    public ServerProtection {
        allowedHosts = List.copyOf(allowedHosts);
        allowedOrigins = List.copyOf(allowedOrigins);
        positive("max_connections", maxConnections);
        positive("max_concurrent_streams", maxConcurrentStreams);
        positive("max_header_length", maxHeaderLength);
        positive("read_header_timeout", readHeaderTimeout.toMillis());
        positive("read_body_timeout", readBodyTimeout.toMillis());
        positive("pressed_timeout", pressedTimeout.toMillis());
        positive("write_timeout", writeTimeout.toMillis());
        positive("idle_timeout", idleTimeout.toMillis());
    }

    /**
     * Checks that it protects an endpoint.
     *
     * @throws IllegalArgumentException if other machines can reach it without TLS and a token, and that is not intended
     */
    public void check(Endpoint endpoint) {
        if ((tls == null || tokenFile == null) && !insecure && !endpoint.isLocal()) {
            throw new IllegalArgumentException(
                    "endpoint is reachable from other machines and needs TLS and a token: endpoint=" + endpoint);
        }
    }

    /** The defaults, for endpoints on this machine, without TLS and a token. */
    public static ServerProtection defaults() {
        return builder().build();
    }

    /** Starts from the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    private static void positive(String setting, long value) {
        if (value <= 0) {
            throw new IllegalArgumentException("setting is not positive: setting=" + setting + ", value=" + value);
        }
    }

    /** Collects settings; {@link ServerProtection} describes them. */
    public static final class Builder {
        private @Nullable TlsConfig tls;
        private @Nullable Path tokenFile;
        private List<String> allowedHosts = List.of();
        private List<String> allowedOrigins = List.of();
        private boolean insecure;
        private int maxConnections = 256;
        private int maxConcurrentStreams = 16;
        private int maxHeaderLength = 8192;
        private Duration readHeaderTimeout = Duration.ofSeconds(10);
        private Duration readBodyTimeout = Duration.ofSeconds(30);
        private Duration pressedTimeout = Duration.ofSeconds(1);
        private Duration writeTimeout = Duration.ofSeconds(30);
        private Duration idleTimeout = Duration.ofMinutes(2);

        private Builder() {}

        /** Encryption; default none. */
        public Builder tls(@Nullable TlsConfig value) {
            tls = value;
            return this;
        }

        /** The file with the bearer token; default none. */
        public Builder tokenFile(@Nullable Path value) {
            tokenFile = value;
            return this;
        }

        /** Further names of the server; default none. */
        public Builder allowedHosts(List<String> value) {
            allowedHosts = value;
            return this;
        }

        /** Origins of web pages that may send requests; default none. */
        public Builder allowedOrigins(List<String> value) {
            allowedOrigins = value;
            return this;
        }

        /** Whether to serve other machines without TLS and a token; default false. */
        public Builder insecure(boolean value) {
            insecure = value;
            return this;
        }

        /** Default 256. */
        public Builder maxConnections(int value) {
            maxConnections = value;
            return this;
        }

        /** Default 16. */
        public Builder maxConcurrentStreams(int value) {
            maxConcurrentStreams = value;
            return this;
        }

        /** Default 8,192 bytes. */
        public Builder maxHeaderLength(int value) {
            maxHeaderLength = value;
            return this;
        }

        /** Default 10 s. */
        public Builder readHeaderTimeout(Duration value) {
            readHeaderTimeout = value;
            return this;
        }

        /** Default 30 s. */
        public Builder readBodyTimeout(Duration value) {
            readBodyTimeout = value;
            return this;
        }

        /** Default 1 s. */
        public Builder pressedTimeout(Duration value) {
            pressedTimeout = value;
            return this;
        }

        /** Default 30 s. */
        public Builder writeTimeout(Duration value) {
            writeTimeout = value;
            return this;
        }

        /** Default 2 min, as metrics are typically exported every minute. */
        public Builder idleTimeout(Duration value) {
            idleTimeout = value;
            return this;
        }

        /** Builds the settings and checks them. */
        public ServerProtection build() {
            return new ServerProtection(
                    tls,
                    tokenFile,
                    allowedHosts,
                    allowedOrigins,
                    insecure,
                    maxConnections,
                    maxConcurrentStreams,
                    maxHeaderLength,
                    readHeaderTimeout,
                    readBodyTimeout,
                    pressedTimeout,
                    writeTimeout,
                    idleTimeout);
        }
    }
}
