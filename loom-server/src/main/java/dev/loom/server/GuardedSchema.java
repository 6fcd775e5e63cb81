package dev.loom.server;

import dev.loom.api.Source;
import dev.loom.format.PayloadFormat;
import dev.loom.server.request.RefusedException;
import dev.loom.server.schema.IndexEntry;
import dev.loom.server.schema.SchemaAccess;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntPredicate;
import java.util.function.Supplier;

/**
 * A store's schema as one port lets its clients change it: not at all, or except for the sources that a receiver feeds, which
 * stay open.
 *
 * @param store throws while the store can't be written
 * @param fed whether a receiver feeds the source with an id
 */
record GuardedSchema(Supplier<SchemaAccess> store, IntPredicate fed, Changes changes) implements SchemaAccess {
    /**
     * Whether a port's clients may change the schema.
     *
     * @param setting the setting's name, for messages
     */
    record Changes(String setting, boolean allowed) {}

    @Override
    public Optional<Source> openSource(String name) {
        return store.get().openSource(name);
    }

    /** Clients define their sources each time they connect, so defining an existing one is no change. */
    @Override
    public Source defineSource(String name, PayloadFormat format, Map<String, String> attributes) {
        if (store.get().openSource(name).isEmpty()) {
            requireAllowed("define-source " + name);
        }
        return store.get().defineSource(name, format, attributes);
    }

    @Override
    public Source setAttributes(String name, Map<String, String> attributes) {
        requireAllowed("set-attributes " + name);
        return store.get().setAttributes(name, attributes);
    }

    @Override
    public Source closeSource(String name) {
        requireAllowed("close-source " + name);
        if (store.get().openSource(name).map(Source::id).filter(fed::test).isPresent()) {
            throw RefusedException.forbidden(
                    "source is fed by the OTLP receiver and can't be closed while it runs: source=" + name
                            + "; receivers.otlp sets what it receives");
        }
        return store.get().closeSource(name);
    }

    @Override
    public IndexEntry defineIndex(String source, String field, String bins, boolean backfill) {
        requireAllowed("define-index " + source + '.' + field);
        return store.get().defineIndex(source, field, bins, backfill);
    }

    @Override
    public IndexEntry closeIndex(String source, String name) {
        requireAllowed("close-index " + source + '.' + name);
        return store.get().closeIndex(source, name);
    }

    private void requireAllowed(String operation) {
        if (!changes.allowed()) {
            throw RefusedException.forbidden(
                    "schema changes are disabled: operation=" + operation + ", setting=" + changes.setting());
        }
    }
}
