/**
 * A log-structured merge tree for point lookups alone, to measure what hash sharing gains in one ("Reducing Bloom filter CPU
 * overhead in LSM-trees on modern storage devices"). {@link dev.loom.bench.lsm.BulkLoad} writes sorted files,
 * {@link dev.loom.bench.lsm.TreeFilters} builds their filters, {@link dev.loom.bench.lsm.Lookup} asks them, and
 * {@link dev.loom.bench.lsm.TimeSplit} says where the time goes. Classes are for one thread.
 */
@NullMarked
package dev.loom.bench.lsm;

import org.jspecify.annotations.NullMarked;
