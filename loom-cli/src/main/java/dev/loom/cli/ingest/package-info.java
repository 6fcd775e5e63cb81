/**
 * The raw ingest port: records for any source, in acknowledged batches, over TCP or a Unix socket. {@code
 * docs/ingest-protocol.md} describes the protocol; {@link dev.loom.cli.ingest.FrameDescriptor} has its layout.
 */
@NullMarked
package dev.loom.cli.ingest;

import org.jspecify.annotations.NullMarked;
