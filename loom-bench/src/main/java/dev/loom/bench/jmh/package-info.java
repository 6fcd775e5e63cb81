/**
 * The JMH benchmarks. Each takes the disk by {@code -p dir=}, refuses one in memory unless told otherwise, discards the
 * first lap of the ring, and checks at teardown what it measured.
 */
@NullMarked
package dev.loom.bench.jmh;

import org.jspecify.annotations.NullMarked;
