package dev.loom.server.schema;

import dev.loom.api.Index;

/**
 * An index in a schema.
 *
 * @param existed whether it had been defined before
 */
public record IndexEntry(int id, String name, String function, String bins, boolean existed) {
    static IndexEntry of(Index index, boolean existed) {
        return new IndexEntry(
                index.id(), index.name(), index.function().text(), index.bins().text(), existed);
    }
}
