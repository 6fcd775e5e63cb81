/** Runs of chunks summed up: what directories and bins hold of many chunks, in one place, so that a query over many costs little. */
@NullMarked
package dev.loom.rollup;

import org.jspecify.annotations.NullMarked;
