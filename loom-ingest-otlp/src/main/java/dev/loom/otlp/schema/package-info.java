/**
 * The messages of OTLP and their fields, which drive the checks of requests and the reading of their JSON form.
 *
 * <p>Transcribed from the proto files of OTLP 1.10; tests compare them with the official descriptors. Immutable.
 */
@NullMarked
package dev.loom.otlp.schema;

import org.jspecify.annotations.NullMarked;
