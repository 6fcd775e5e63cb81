/**
 * How records that came by OTLP read: the payload formats {@code otlp-log}, {@code otlp-span}, {@code otlp-metric} and {@code
 * otlp-context}, and their fields by name.
 *
 * <p>Fields are read from the protobuf bytes in place. What records share is in their context, a record of its own, which is
 * found by {@link dev.loom.format.RecordLookup}. A payload may be any bytes: a field that can't be read has no value.
 */
@NullMarked
package dev.loom.otlp.format;

import org.jspecify.annotations.NullMarked;
