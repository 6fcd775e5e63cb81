/** Requests of OpenTelemetry clients, made up, and the store that they go to. */
@NullMarked
package dev.loom.bench.otlp;

import org.jspecify.annotations.NullMarked;
