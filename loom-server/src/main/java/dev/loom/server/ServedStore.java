package dev.loom.server;

import dev.loom.SharedWriter;
import dev.loom.api.Store;
import dev.loom.server.schema.SchemaAccess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** The store that a server serves. Usable from any thread. */
interface ServedStore extends AutoCloseable {
    Path directory();

    /** The store to read from; its users don't close it. */
    Store store();

    /** Takes what is received; empty while the store can't be written, and if the application writes it alone. */
    Optional<SharedWriter> writer();

    /**
     * The schema, for changes.
     *
     * @throws dev.loom.error.StoreIoException while the store can't be written
     */
    SchemaAccess schema();

    /** Whether the store is open for reading until it can be opened for writing. */
    default boolean readOnly() {
        return false;
    }

    /** Why it is {@link #readOnly()}; empty if it is not. */
    default String reason() {
        return "";
    }

    /** How long to rest between calls of {@link #tryToWrite()} while it is {@link #readOnly()}. */
    default Duration openInterval() {
        return Duration.ZERO;
    }

    /** Tries to reopen a read-only store for writing; returns whether it is now open for writing. */
    default boolean tryToWrite() {
        return true;
    }

    @Override
    void close();
}
