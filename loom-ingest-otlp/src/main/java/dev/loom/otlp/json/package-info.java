/**
 * The JSON form of OTLP requests, turned into protobuf.
 *
 * <p>Reads with Jackson's streaming parser, by the messages of {@code dev.loom.otlp.schema}, and builds no tree.
 */
@NullMarked
package dev.loom.otlp.json;

import org.jspecify.annotations.NullMarked;
