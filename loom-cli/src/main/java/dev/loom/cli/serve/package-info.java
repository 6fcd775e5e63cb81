/** The sidecar: what takes telemetry in, answers queries and tells of itself, around one store. */
@NullMarked
package dev.loom.cli.serve;

import org.jspecify.annotations.NullMarked;
