/**
 * Makes OTLP requests again of records that came by OTLP, as protobuf and as JSON, and reads the answers. For the command alone.
 */
@NullMarked
package dev.loom.otlp.export;

import org.jspecify.annotations.NullMarked;
