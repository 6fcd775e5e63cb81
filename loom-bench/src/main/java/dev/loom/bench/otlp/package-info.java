/** Generated requests of OpenTelemetry clients, and the store that takes them. */
@NullMarked
package dev.loom.bench.otlp;

import org.jspecify.annotations.NullMarked;
