package dev.loom.otlp.tls;

import dev.loom.otlp.TlsConfig;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.jspecify.annotations.Nullable;

/** Turns a {@link TlsConfig} into the server's TLS context. */
final class TlsContext {
    /** Each resumable session takes one entry in the server's cache. */
    private static final int SESSIONS_MAX = 1024;

    private TlsContext() {}

    /**
     * What the files hold.
     *
     * @param own certificate and key
     * @param trusted authorities of clients' certificates; null if clients need none
     */
    record Stores(KeyStore own, @Nullable KeyStore trusted) {
        /** Reads the files, which may take as long as their disk likes. */
        static Stores read(TlsConfig config) throws IOException {
            try {
                return new Stores(
                        PemFiles.keyStore(config.certFile(), config.keyFile()),
                        config.clientCaFile() == null ? null : PemFiles.trustStore(config.clientCaFile()));
            } catch (GeneralSecurityException e) {
                throw unusable(config, e);
            }
        }

        private void putInto(SslContextFactory context) {
            context.setKeyStore(own);
            context.setKeyStorePassword(PemFiles.PASSWORD);
            if (trusted != null) {
                context.setTrustStore(trusted);
            }
        }
    }

    /** A started context. */
    static SslContextFactory.Server create(TlsConfig config) throws IOException {
        SslContextFactory.Server context = new SslContextFactory.Server();
        context.setIncludeProtocols(
                config.minVersion().equals("1.3") ? new String[] {"TLSv1.3"} : new String[] {"TLSv1.2", "TLSv1.3"});
        context.setRenegotiationAllowed(false);
        context.setSslSessionCacheSize(SESSIONS_MAX);
        context.setSniRequired(false);
        context.setNeedClientAuth(config.clientCaFile() != null);
        Stores.read(config).putInto(context);
        try {
            context.start();
        } catch (Exception e) {
            throw unusable(config, e);
        }
        return context;
    }

    /** Reads the files again; open connections are unaffected. */
    static void reload(SslContextFactory.Server context, TlsConfig config) throws Exception {
        Stores stores = Stores.read(config); // before the context's lock, for which each handshake waits
        context.reload(stores::putInto);
    }

    private static IOException unusable(TlsConfig config, Exception cause) {
        return new IOException(
                "certificate or key can't be used: cert_file=" + config.certFile() + ", key_file=" + config.keyFile()
                        + ", client_ca_file=" + config.clientCaFile() + ", reason=" + cause.getMessage(),
                cause);
    }
}
