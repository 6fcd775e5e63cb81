package dev.loom.otlp.ingest;

import dev.loom.otlp.Signal;
import java.util.Map;

/** What requests share while they are written. Owned by whoever has the writer's turn. */
record TurnState(RecordAppender appender, ContextLog contexts, Map<Signal, SourceRoutes> routes) {
    /**
     * Continues with the sources that are now open under these names, and defines those again that were closed.
     *
     * @throws IllegalArgumentException if the store uses their names for something else, or has no room
     */
    void reopenSources() {
        contexts.reopen();
        IllegalArgumentException refused = null;
        for (SourceRoutes each : routes.values()) {
            try {
                each.reopen();
            } catch (IllegalArgumentException e) {
                refused = e; // the other signals' sources are no less needed
            }
        }
        if (refused != null) {
            throw refused;
        }
    }
}
