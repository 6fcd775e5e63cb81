/**
 * A store served to other processes: {@link dev.loom.server.LoomServer} receives telemetry, answers queries, and serves health and
 * metrics, in an application or as the sidecar that {@code loom serve} is.
 */
@NullMarked
package dev.loom.server;

import org.jspecify.annotations.NullMarked;
