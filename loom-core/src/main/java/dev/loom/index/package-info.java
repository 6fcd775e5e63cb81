/**
 * Sparse indexes (paper, section 4.2): the active chunk's summaries, and their encoding. Internal.
 *
 * <p>All comparisons use keys, signed longs that sort as the values do ({@link dev.loom.api.ValueType}). Adding a
 * record to a summary and reading a written one allocate nothing.
 */
@NullMarked
package dev.loom.index;

import org.jspecify.annotations.NullMarked;
