package dev.loom.server;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.SharedWriter;
import dev.loom.api.Store;
import dev.loom.error.LoomException;
import dev.loom.error.StoreIoException;
import dev.loom.server.schema.SchemaAccess;
import dev.loom.server.schema.StoreSchema;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A store that the server opens itself: for writing or, while the disk does not allow that, for reading only. */
final class OpenedStore implements ServedStore {
    private final LoomConfig config;
    private final Duration openInterval;
    private final Consumer<SharedWriter> onWritable;
    private volatile @Nullable SharedWriter writer;
    private volatile @Nullable SchemaAccess schema;
    private volatile @Nullable FollowedStore reader;
    private volatile String reason = "";
    private volatile boolean closed;

    private OpenedStore(LoomConfig config, Duration openInterval, Consumer<SharedWriter> onWritable) {
        this.config = config;
        this.openInterval = openInterval;
        this.onWritable = onWritable;
    }

    /**
     * Opens the store for writing or, if the disk does not allow that and the store exists, for reading.
     *
     * @param openInterval how often to retry to open it for writing
     * @param onWritable prepares writing as soon as it is possible; opening throws what it throws
     * @throws LoomException if the store can't be opened at all
     */
    static OpenedStore open(LoomConfig config, Duration openInterval, Consumer<SharedWriter> onWritable) {
        OpenedStore store = new OpenedStore(config, openInterval, onWritable);
        try {
            store.openToWrite();
        } catch (StoreIoException e) {
            store.reason = String.valueOf(e.getMessage());
            store.reader = readable(config, e);
        }
        return store;
    }

    private static FollowedStore readable(LoomConfig config, StoreIoException unwritable) {
        try {
            return followed(config);
        } catch (LoomException e) {
            unwritable.addSuppressed(e);
            throw unwritable;
        }
    }

    private static FollowedStore followed(LoomConfig config) {
        return new FollowedStore(config.directory(), config.classLoader(), config.textIndexCacheBytes());
    }

    @SuppressWarnings("resource") // closed with this
    private void openToWrite() {
        SharedWriter opened = shared(Loom.open(config));
        try {
            onWritable.accept(opened);
            schema = new StoreSchema(opened.loom(), this::rebuildIndexes);
        } catch (RuntimeException | Error e) {
            closeAfter(e, opened::close);
            throw e;
        }
        writer = opened;
        reason = "";
    }

    private static SharedWriter shared(Loom loom) {
        try {
            return new SharedWriter(loom);
        } catch (RuntimeException | Error e) {
            closeAfter(e, loom::close);
            throw e;
        }
    }

    /** Releases the store's lock, without which nobody could open it again. */
    private static void closeAfter(Throwable failure, Runnable close) {
        try {
            close.run();
        } catch (LoomException suppressed) {
            failure.addSuppressed(suppressed);
        }
    }

    @Override
    public Path directory() {
        return config.directory();
    }

    @Override
    public boolean readOnly() {
        return writer == null;
    }

    @Override
    public Duration openInterval() {
        return openInterval;
    }

    @Override
    public synchronized boolean tryToWrite() {
        if (closed || writer != null) {
            return writer != null;
        }
        try {
            openToWrite();
        } catch (LoomException | IllegalArgumentException e) {
            reason = String.valueOf(e.getMessage());
            readMeanwhile();
            return false;
        }
        FollowedStore before = reader;
        reader = null;
        if (before != null) {
            before.close(); // queries that read it continue
        }
        return true;
    }

    /** An attempt to write that failed may have recovered the store all the same; then the reader leaves the killed session's rings. */
    private void readMeanwhile() {
        try {
            FollowedStore reading = reader;
            if (reading == null) {
                reader = followed(config);
            } else {
                reading.snapshot().close();
            }
        } catch (LoomException e) {
            // the disk refuses that as well; tried again with the next attempt to write
        }
    }

    /**
     * Rebuilds all indexes in the background; writers and new readers wait for a moment.
     *
     * @throws LoomException if the disk does not allow it; if the store could not be reopened, it is open for reading if possible,
     *     and {@link #tryToWrite()} opens it again
     */
    synchronized void rebuildIndexes() {
        SharedWriter writing = requireWriter();
        try {
            writing.rebuildIndexes();
        } catch (RuntimeException | Error e) {
            if (!writing.isOpen()) {
                reason = String.valueOf(e.getMessage());
                writer = null;
                readMeanwhile();
            }
            throw e;
        }
    }

    @Override
    public Optional<SharedWriter> writer() {
        return Optional.ofNullable(writer);
    }

    @Override
    public String reason() {
        return reason;
    }

    @Override
    public Store store() {
        SharedWriter writing = writer;
        FollowedStore reading = reader;
        return new BorrowedStore(writing != null || reading == null ? loom() : reading, () -> closed);
    }

    private Loom loom() {
        return requireWriter().loom();
    }

    private SharedWriter requireWriter() {
        SharedWriter writing = writer;
        if (writing == null) {
            throw new StoreIoException("store is not writable: " + reason);
        }
        return writing;
    }

    @Override
    public SchemaAccess schema() {
        requireWriter();
        return Objects.requireNonNull(schema);
    }

    @Override
    public synchronized void close() {
        closed = true;
        FollowedStore reading = reader;
        if (reading != null) {
            reading.close();
        }
        SharedWriter writing = writer;
        if (writing != null) {
            writing.close();
        }
    }
}
