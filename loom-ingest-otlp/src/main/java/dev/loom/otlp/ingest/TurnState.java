package dev.loom.otlp.ingest;

import dev.loom.otlp.Signal;
import java.util.Map;

/** What requests share while they are written. Owned by whoever has the writer's turn. */
record TurnState(RecordAppender appender, ContextLog contexts, Map<Signal, SourceRoutes> routes) {
    /**
     * Continues with the sources that are now open under these names, and defines those again that were closed.
     *
     * @throws IllegalArgumentException if the store uses the name of this signal's source, or of the contexts', for something else, or
     *     has no room
     */
    void reopenSources(Signal signal) {
        contexts.reopen();
        IllegalArgumentException refused = null;
        for (Map.Entry<Signal, SourceRoutes> each : routes.entrySet()) {
            try {
                each.getValue().reopen();
            } catch (IllegalArgumentException e) {
                refused = each.getKey() == signal ? e : refused; // another signal's own requests meet it too
            }
        }
        if (refused != null) {
            throw refused;
        }
    }
}
