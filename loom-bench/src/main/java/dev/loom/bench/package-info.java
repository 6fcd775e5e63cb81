/**
 * Workloads: complete runs with a report, for what a JMH benchmark's short iterations can't measure. The benchmarks themselves
 * are in {@code dev.loom.bench.jmh}.
 */
@NullMarked
package dev.loom.bench;

import org.jspecify.annotations.NullMarked;
