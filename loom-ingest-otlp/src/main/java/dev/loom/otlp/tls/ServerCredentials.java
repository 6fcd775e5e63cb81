package dev.loom.otlp.tls;

import dev.loom.otlp.TlsConfig;
import dev.loom.otlp.file.FileFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import javax.net.ssl.SSLEngine;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.jspecify.annotations.Nullable;

/**
 * The certificate, key and token of a server, which are read again when their files change. While one can't be read, what was
 * read before stays in use. A disk that hangs holds up the one thread that reads, and nobody who needs what was read.
 *
 * <p>Thread-safe.
 */
public final class ServerCredentials {
    private static final Duration TOKEN_INTERVAL = Duration.ofMinutes(1);

    private final @Nullable TlsConfig config;
    private final @Nullable Path tokenFile;
    private final Consumer<Throwable> failures;
    private final List<Path> files = new ArrayList<>();
    private final long intervalNs;
    private final SslContextFactory.@Nullable Server tls;
    private final AtomicBoolean begun = new AtomicBoolean();
    private final ReentrantLock reading = new ReentrantLock();
    private volatile @Nullable BearerToken token;
    private volatile long lookedNs = System.nanoTime();
    /** Guarded by {@link #reading}. */
    private List<Object> seen;

    private ServerCredentials(@Nullable TlsConfig config, @Nullable Path tokenFile, Consumer<Throwable> failures)
            throws IOException {
        this.config = config;
        this.tokenFile = tokenFile;
        this.failures = failures;
        if (config != null && isReloaded(config)) {
            files.add(config.certFile());
            files.add(config.keyFile());
            if (config.clientCaFile() != null) {
                files.add(config.clientCaFile());
            }
        }
        intervalNs = (files.isEmpty() || config == null ? TOKEN_INTERVAL : config.reloadInterval()).toNanos();
        if (tokenFile != null) {
            files.add(tokenFile);
        }
        seen = stamps(); // before the files are read, so that no change is missed
        readToken();
        tls = config == null ? null : TlsContext.create(config);
    }

    /**
     * Reads the files.
     *
     * @param config names those of certificate and key; null for none
     * @param tokenFile holds the token; null for none
     * @param failures takes files that can't be read later; called by the thread that reads
     * @throws IOException if a file can't be read or used
     */
    public static ServerCredentials read(
            @Nullable TlsConfig config, @Nullable Path tokenFile, Consumer<Throwable> failures) throws IOException {
        return new ServerCredentials(config, tokenFile, failures);
    }

    private static boolean isReloaded(TlsConfig config) {
        return !config.reloadInterval().isZero();
    }

    /** Whether there are files to be read again when they change. */
    public boolean areReloaded() {
        return !files.isEmpty();
    }

    /** The interval between two looks at the files, in ns. */
    public long intervalNs() {
        return intervalNs;
    }

    /** The context of connections; null without TLS. */
    public SslContextFactory.@Nullable Server tls() {
        return tls;
    }

    /** The engine of a new connection; null without TLS. */
    public @Nullable SSLEngine engine() {
        if (tls == null) {
            return null;
        }
        SSLEngine engine = tls.newSSLEngine();
        engine.setUseClientMode(false);
        return engine;
    }

    /** Whether connections are encrypted. */
    public boolean hasTls() {
        return tls != null;
    }

    /** Whether this text is the token; any is if none is required. */
    public boolean admit(String offered) {
        BearerToken required = token;
        return required == null || required.is(offered);
    }

    /** Whether this {@code Authorization} header carries the token; any does if none is required. */
    public boolean admitHeader(@Nullable String authorization) {
        BearerToken required = token;
        return required == null || required.isIn(authorization);
    }

    /**
     * Looks at the files, if the last look was an interval ago, and reads them if they changed, in the calling thread. Another thread's
     * reading is not waited for.
     */
    public void look() {
        long now = System.nanoTime();
        if (areReloaded() && now - lookedNs >= intervalNs) {
            lookedNs = now;
            look(Runnable::run);
        }
    }

    /** As {@link #look()}, now, in a thread of the executor. */
    public void look(Executor executor) {
        if (!begun.compareAndSet(false, true)) {
            failures.accept(new IOException("files that may have changed are still being read: files=" + files));
            return;
        }
        boolean taken = false;
        try {
            executor.execute(this::reload);
            taken = true;
        } finally {
            if (!taken) {
                begun.set(false);
            }
        }
    }

    /** An executor may run later what it has refused, so two may meet here. */
    private void reload() {
        if (!reading.tryLock()) {
            return;
        }
        try {
            List<Object> now = stamps();
            if (!now.equals(seen)) {
                readAll();
                seen = now; // not after a failure, which the next look repeats
            }
        } catch (Exception e) {
            failures.accept(e);
        } finally {
            reading.unlock();
            begun.set(false);
        }
    }

    private void readAll() throws Exception {
        try {
            readToken();
        } finally {
            if (tls != null && config != null && isReloaded(config)) {
                TlsContext.reload(tls, config);
            }
        }
    }

    private void readToken() throws IOException {
        if (tokenFile != null) {
            token = BearerToken.read(tokenFile);
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
