package dev.loom.cli.serve;

import dev.loom.Loom;
import dev.loom.LoomReader;
import dev.loom.SharedWriter;
import dev.loom.api.Store;
import dev.loom.cli.schema.SchemaAccess;
import dev.loom.cli.schema.StoreSchema;
import dev.loom.error.LoomException;
import dev.loom.error.StoreIoException;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The sidecar's store, open for writing or, while the disk does not allow that, for reading only. Usable from any thread. */
final class ServedStore implements AutoCloseable {
    private final ServeSettings settings;
    private final Consumer<SharedWriter> onWritable;
    private volatile @Nullable SharedWriter writer;
    private volatile @Nullable SchemaAccess schema;
    private volatile @Nullable LoomReader reader;
    private volatile String reason = "";
    private boolean closed;

    private ServedStore(ServeSettings settings, Consumer<SharedWriter> onWritable) {
        this.settings = settings;
        this.onWritable = onWritable;
    }

    /**
     * Opens the store for writing or, if the disk does not allow that and the store exists, for reading.
     *
     * @param onWritable prepares writing as soon as it is possible; opening throws what it throws
     * @throws LoomException if the store can't be opened at all
     */
    static ServedStore open(ServeSettings settings, Consumer<SharedWriter> onWritable) {
        ServedStore store = new ServedStore(settings, onWritable);
        try {
            store.openToWrite();
        } catch (StoreIoException e) {
            store.reason = String.valueOf(e.getMessage());
            store.reader = readable(settings, e);
        }
        return store;
    }

    private static LoomReader readable(ServeSettings settings, StoreIoException unwritable) {
        try {
            return LoomReader.attach(settings.directory());
        } catch (LoomException e) {
            unwritable.addSuppressed(e);
            throw unwritable;
        }
    }

    @SuppressWarnings("resource") // closed with this
    private void openToWrite() {
        SharedWriter opened = new SharedWriter(Loom.open(settings.store()));
        try {
            onWritable.accept(opened);
        } catch (RuntimeException e) {
            try {
                opened.close();
            } catch (StoreIoException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
        schema = new StoreSchema(opened.loom(), this::rebuildIndexes);
        writer = opened;
        reason = "";
    }

    /** Tries to reopen a read-only store for writing; returns whether the store is now open for writing. */
    synchronized boolean tryToWrite() {
        LoomReader before = reader;
        if (before == null || closed) {
            return writer != null;
        }
        try {
            openToWrite();
        } catch (LoomException | IllegalArgumentException e) {
            reason = String.valueOf(e.getMessage());
            return false;
        }
        reader = null;
        before.close(); // queries that read it continue
        return true;
    }

    /**
     * Rebuilds all indexes in the background; writers and new readers wait for a moment.
     *
     * @throws LoomException if the disk does not allow it; if the store could not be reopened, it is open for reading
     */
    private synchronized void rebuildIndexes() {
        SharedWriter writing = requireWriter();
        try {
            writing.rebuildIndexes();
        } catch (LoomException e) {
            if (!writing.isOpen()) {
                reason = String.valueOf(e.getMessage());
                reader = LoomReader.attach(settings.directory());
                writer = null;
            }
            throw e;
        }
    }

    /** The writer; empty while there is none. */
    Optional<SharedWriter> writer() {
        return Optional.ofNullable(writer);
    }

    /** Why the store is not open for writing; empty if it is. */
    String reason() {
        return reason;
    }

    /** The store to read from; its users don't close it. */
    Store store() {
        SharedWriter writing = writer;
        LoomReader reading = reader;
        return new BorrowedStore(writing != null || reading == null ? loom() : reading);
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

    /**
     * The schema, for changes.
     *
     * @throws StoreIoException while the store can't be written
     */
    SchemaAccess schema() {
        requireWriter();
        return Objects.requireNonNull(schema);
    }

    @Override
    public synchronized void close() {
        closed = true;
        LoomReader reading = reader;
        if (reading != null) {
            reading.close();
        }
        SharedWriter writing = writer;
        if (writing != null) {
            writing.close();
        }
    }
}
