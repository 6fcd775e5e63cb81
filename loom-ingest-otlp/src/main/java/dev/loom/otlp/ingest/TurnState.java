package dev.loom.otlp.ingest;

import dev.loom.otlp.Signal;
import java.util.Map;

/** What requests share while they are written. For whoever has the writer's turn. */
record TurnState(RecordAppender appender, ContextLog contexts, Map<Signal, SourceRoutes> routes) {
    /**
     * Takes what is open under the names of the sources, and defines those anew that were closed.
     *
     * @throws IllegalArgumentException when the store has their names for something else, or no room
     */
    void reopenSources() {
        contexts.reopen();
        routes.values().forEach(SourceRoutes::reopen);
    }
}
