/**
 * The raw ingest port: records of any source, in batches that are acknowledged, over TCP or a Unix socket. The protocol is in
 * {@code docs/ingest-protocol.md}; {@link dev.loom.cli.ingest.FrameDescriptor} has its layout.
 */
@NullMarked
package dev.loom.cli.ingest;

import org.jspecify.annotations.NullMarked;
