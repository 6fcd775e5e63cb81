/** The raw ingest port: accepts records for any source, in acknowledged batches, over TCP or a Unix socket. */
@NullMarked
package dev.loom.server.ingest;

import org.jspecify.annotations.NullMarked;
