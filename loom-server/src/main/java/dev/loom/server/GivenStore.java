package dev.loom.server;

import dev.loom.LoomConfig;
import dev.loom.SharedWriter;
import dev.loom.api.Source;
import dev.loom.api.Store;
import dev.loom.format.PayloadFormat;
import dev.loom.server.request.RefusedException;
import dev.loom.server.schema.IndexEntry;
import dev.loom.server.schema.SchemaAccess;
import dev.loom.server.schema.StoreSchema;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A store that the application has open, and closes itself after the server; or one that another process may write. */
final class GivenStore implements ServedStore {
    private final Store store;
    private final @Nullable SharedWriter writer;
    private final SchemaAccess schema;
    private final Runnable closing;

    private GivenStore(Store store, @Nullable SharedWriter writer, SchemaAccess schema, Runnable closing) {
        this.store = new BorrowedStore(store);
        this.writer = writer;
        this.schema = schema;
        this.closing = closing;
    }

    /** A store that the application alone writes, if anybody does. */
    static GivenStore toRead(Store store) {
        return new GivenStore(store, null, new SeenSchema(store), () -> {});
    }

    /** A store that another process may write. */
    static GivenStore followed(Path directory) {
        FollowedStore store = new FollowedStore(
                directory, Thread.currentThread().getContextClassLoader(), LoomConfig.TEXT_INDEX_CACHE_BYTES);
        return new GivenStore(store, null, new SeenSchema(store), store::close);
    }

    /** A store that the server's receivers write, too. */
    static GivenStore toWrite(SharedWriter writer) {
        return new GivenStore(writer.loom(), writer, new StoreSchema(writer.loom(), writer::rebuildIndexes), () -> {});
    }

    @Override
    public Path directory() {
        return store.info().directory();
    }

    @Override
    public Store store() {
        return store;
    }

    @Override
    public Optional<SharedWriter> writer() {
        return Optional.ofNullable(writer);
    }

    @Override
    public SchemaAccess schema() {
        return schema;
    }

    @Override
    public void close() {
        closing.run();
    }

    /** The schema of a store that the application alone writes. */
    private record SeenSchema(Store store) implements SchemaAccess {
        @Override
        public Optional<Source> openSource(String name) {
            return store.source(name).filter(source -> !source.closed());
        }

        @Override
        public Source defineSource(String name, PayloadFormat format, Map<String, String> attributes) {
            throw refusal("define-source " + name);
        }

        @Override
        public Source setAttributes(String name, Map<String, String> attributes) {
            throw refusal("set-attributes " + name);
        }

        @Override
        public Source closeSource(String name) {
            throw refusal("close-source " + name);
        }

        @Override
        public IndexEntry defineIndex(String source, String field, String bins, List<String> by, boolean backfill) {
            throw refusal("define-index " + source + '.' + field);
        }

        @Override
        public IndexEntry closeIndex(String source, String name) {
            throw refusal("close-index " + source + '.' + name);
        }

        private static RefusedException refusal(String operation) {
            return RefusedException.forbidden(
                    "store is served to readers alone, and its schema is not changed here: operation=" + operation);
        }
    }
}
