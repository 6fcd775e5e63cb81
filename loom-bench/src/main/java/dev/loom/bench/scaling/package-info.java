/**
 * Ingest of small to large records by one thread and by several (paper, Figure 15), each run in a JVM of its own, and an application
 * beside it whose slow-down is measured.
 */
@NullMarked
package dev.loom.bench.scaling;

import org.jspecify.annotations.NullMarked;
