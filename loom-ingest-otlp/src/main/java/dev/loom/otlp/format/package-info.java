/**
 * The payload formats of records received by OTLP: {@code otlp-log}, {@code otlp-span}, {@code otlp-metric} and {@code
 * otlp-context}, and their fields by name.
 *
 * <p>Fields are read in place from the protobuf bytes. What records share is in their context, a record of its own, which
 * {@link dev.loom.format.RecordLookup} finds. A payload may be any bytes: a field that can't be read has no value.
 */
@NullMarked
package dev.loom.otlp.format;

import org.jspecify.annotations.NullMarked;
