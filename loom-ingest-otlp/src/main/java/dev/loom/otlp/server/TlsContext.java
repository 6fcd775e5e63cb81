package dev.loom.otlp.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.GeneralSecurityException;
import org.eclipse.jetty.util.ssl.SslContextFactory;

/** Turns a {@link TlsConfig} into the server's TLS context. */
final class TlsContext {
    /** Each resumable session takes one entry in the server's cache. */
    private static final int SESSIONS_MAX = 1024;

    private TlsContext() {}

    static SslContextFactory.Server create(TlsConfig config) throws IOException {
        SslContextFactory.Server context = new SslContextFactory.Server();
        context.setIncludeProtocols(
                config.minVersion().equals("1.3") ? new String[] {"TLSv1.3"} : new String[] {"TLSv1.2", "TLSv1.3"});
        context.setRenegotiationAllowed(false);
        context.setSslSessionCacheSize(SESSIONS_MAX);
        context.setSniRequired(false);
        context.setNeedClientAuth(config.clientCaFile() != null);
        load(context, config);
        return context;
    }

    /** Reads the files again; open connections are unaffected. */
    static void reload(SslContextFactory.Server context, TlsConfig config) throws Exception {
        try {
            context.reload(factory -> {
                try {
                    load((SslContextFactory.Server) factory, config);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private static void load(SslContextFactory.Server context, TlsConfig config) throws IOException {
        try {
            context.setKeyStore(PemFiles.keyStore(config.certFile(), config.keyFile()));
            context.setKeyStorePassword(PemFiles.PASSWORD);
            if (config.clientCaFile() != null) {
                context.setTrustStore(PemFiles.trustStore(config.clientCaFile()));
            }
        } catch (GeneralSecurityException e) {
            throw new IOException(
                    "certificate or key can't be used: cert_file=" + config.certFile() + ", key_file="
                            + config.keyFile() + ", client_ca_file=" + config.clientCaFile() + ", reason="
                            + e.getMessage(),
                    e);
        }
    }
}
