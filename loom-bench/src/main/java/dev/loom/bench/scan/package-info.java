/** A store to be scanned, kept in memory, in the page cache or on the disk alone, and the proof of where it was read. */
@NullMarked
package dev.loom.bench.scan;

import org.jspecify.annotations.NullMarked;
