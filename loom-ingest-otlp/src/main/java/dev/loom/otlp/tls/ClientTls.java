package dev.loom.otlp.tls;

import dev.loom.otlp.TlsConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * How a client encrypts its connection.
 *
 * @param caFile the authorities that must have signed the server's certificate, PEM; null for the JDK's
 * @param certFile the client's certificate, then those up to its authority, PEM; null for none
 * @param keyFile its private key, as {@link TlsConfig#keyFile}; null for none
 */
public record ClientTls(
        @Nullable Path caFile,
        @Nullable Path certFile,
        @Nullable Path keyFile) {
    /** Checks that a certificate has its key. */
    public ClientTls {
        if ((certFile == null) != (keyFile == null)) {
            throw new IllegalArgumentException(
                    "a certificate needs its key: cert_file=" + certFile + ", key_file=" + keyFile);
        }
    }

    /**
     * The engine of a connection, which verifies the server's name.
     *
     * @throws IOException if a file can't be read or used
     */
    public SSLEngine engine(String host, int port) throws IOException {
        SSLEngine engine = context().createSSLEngine(host, port);
        engine.setUseClientMode(true);
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setProtocols(new String[] {"TLSv1.2", "TLSv1.3"});
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        engine.setSSLParameters(parameters);
        return engine;
    }

    /**
     * The keys and authorities of connections.
     *
     * @throws IOException if a file can't be read or used
     */
    public SSLContext context() throws IOException {
        try {
            KeyManager @Nullable [] keys = null;
            if (certFile != null && keyFile != null) {
                KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
                own.init(PemFiles.keyStore(certFile, keyFile), PemFiles.PASSWORD.toCharArray());
                keys = own.getKeyManagers();
            }
            TrustManager @Nullable [] authorities = null;
            if (caFile != null) {
                TrustManagerFactory given = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
                given.init(PemFiles.trustStore(caFile));
                authorities = given.getTrustManagers();
            }
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys, authorities, new SecureRandom());
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException(
                    "certificate or key can't be used: ca_file=" + caFile + ", cert_file=" + certFile + ", key_file="
                            + keyFile + ", reason=" + e.getMessage(),
                    e);
        }
    }
}
