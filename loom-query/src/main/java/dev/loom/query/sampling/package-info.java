/** Estimates of counts from samples of chunks, in rounds that end with the exact count (ESTELLE, section 4.4). */
@NullMarked
package dev.loom.query.sampling;

import org.jspecify.annotations.NullMarked;
