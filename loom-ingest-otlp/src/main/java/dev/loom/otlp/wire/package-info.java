/**
 * Protobuf's wire format, and the field numbers of OTLP.
 *
 * <p>Messages are read in place, without objects: {@link dev.loom.otlp.wire.WireReader} moves over the fields of a message
 * in a buffer. It accepts what protobuf-java accepts, and tests compare the two. Nothing here knows of stores or servers.
 */
@NullMarked
package dev.loom.otlp.wire;

import org.jspecify.annotations.NullMarked;
