package dev.loom.otlp.ingest;

import dev.loom.otlp.Signal;
import java.util.Map;

/** What requests share while they are written. For whoever has the writer's turn. */
record TurnState(RecordAppender appender, Map<Signal, SourceRoutes> routes) {}
