/**
 * Payload formats: their fields by name, and the values of those fields.
 *
 * <p>Formats and field readers are immutable and usable from any thread; a {@link dev.loom.format.FieldValue} belongs
 * to one reading thread. Reading a field allocates nothing.
 */
@NullMarked
package dev.loom.format;

import org.jspecify.annotations.NullMarked;
