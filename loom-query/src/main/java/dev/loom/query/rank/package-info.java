/** Totals, percentiles and the largest values, from what indexes hold of chunks and from records. */
@NullMarked
package dev.loom.query.rank;

import org.jspecify.annotations.NullMarked;
