/**
 * The values of records as indexes see them: read from payloads one by one or in batches, and sorted into bins.
 *
 * <p>All comparisons use keys, signed longs that sort as the values do ({@link dev.loom.api.ValueType}). Reading a value
 * and finding its bin allocate nothing.
 */
@NullMarked
package dev.loom.value;

import org.jspecify.annotations.NullMarked;
