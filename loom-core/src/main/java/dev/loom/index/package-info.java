/**
 * Sparse indexes (paper, section 4.2): bins over values, the active chunk's summaries, and how summaries are written and
 * read. Internal.
 *
 * <p>All comparing is done on keys, signed longs in the order of the values ({@link dev.loom.api.ValueType}). Adding a
 * record to a summary and reading a written one allocate nothing.
 */
@NullMarked
package dev.loom.index;

import org.jspecify.annotations.NullMarked;
