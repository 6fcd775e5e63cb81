/**
 * Workloads: whole runs with a report, where a JMH benchmark's short iterations do not fit. The benchmarks themselves are
 * in {@code dev.loom.bench.jmh}.
 */
@NullMarked
package dev.loom.bench;

import org.jspecify.annotations.NullMarked;
