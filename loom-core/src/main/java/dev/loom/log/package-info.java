/**
 * The hybrid log: an append-only log of pages, the newest in a memory-mapped ring, the older ones in segment files.
 * Addresses only grow. One thread writes, one evicts, any number read without a lock. Internal.
 */
@NullMarked
package dev.loom.log;

import org.jspecify.annotations.NullMarked;
