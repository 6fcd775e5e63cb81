/** A store to scan, in memory, in the page cache or only on the disk, and the proof of where a scan read it from. */
@NullMarked
package dev.loom.bench.scan;

import org.jspecify.annotations.NullMarked;
