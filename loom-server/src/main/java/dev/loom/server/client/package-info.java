/** A client of the raw ingest port: pushes records into a sidecar's store, and looks up and changes its schema. */
@NullMarked
package dev.loom.server.client;

import org.jspecify.annotations.NullMarked;
