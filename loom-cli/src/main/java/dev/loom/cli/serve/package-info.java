/** The sidecar: receives telemetry, answers queries and serves metrics for one store. */
@NullMarked
package dev.loom.cli.serve;

import org.jspecify.annotations.NullMarked;
