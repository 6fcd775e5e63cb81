/**
 * Protobuf's wire format, and the field numbers of OTLP.
 *
 * <p>Read in place and without objects: {@link dev.loom.otlp.wire.WireReader} moves over the fields of a message that lies in
 * a buffer. What it takes is what protobuf-java takes, which tests compare. Nothing here knows of stores or servers.
 */
@NullMarked
package dev.loom.otlp.wire;

import org.jspecify.annotations.NullMarked;
