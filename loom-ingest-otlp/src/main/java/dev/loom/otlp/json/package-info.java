/**
 * Converts the JSON form of OTLP requests to protobuf.
 *
 * <p>Reads with Jackson's streaming parser, driven by the messages of {@code dev.loom.otlp.schema}, and builds no tree.
 */
@NullMarked
package dev.loom.otlp.json;

import org.jspecify.annotations.NullMarked;
