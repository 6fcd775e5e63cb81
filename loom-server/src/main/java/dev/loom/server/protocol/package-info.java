/**
 * What both ends of the raw ingest port share: frames, and requests about the schema. {@code docs/ingest-protocol.md} describes the
 * protocol; {@link dev.loom.server.protocol.FrameDescriptor} has its layout.
 */
@NullMarked
package dev.loom.server.protocol;

import org.jspecify.annotations.NullMarked;
