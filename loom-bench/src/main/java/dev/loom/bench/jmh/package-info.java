/**
 * The JMH benchmarks. Each takes its disk from {@code -p dir=}, refuses one in memory unless allowed, discards the first lap of
 * the ring, and verifies at teardown what it measured.
 */
@NullMarked
package dev.loom.bench.jmh;

import org.jspecify.annotations.NullMarked;
