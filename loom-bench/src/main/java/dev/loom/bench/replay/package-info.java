/**
 * The paper's end-to-end workloads, replayed: records of a workload's phase as a function of their numbers, a process that offers them on
 * a schedule, processes that take them in and answer questions meanwhile, and an oracle that knows the answers. The workload is {@code
 * dev.loom.bench.Evaluation}.
 */
@NullMarked
package dev.loom.bench.replay;

import org.jspecify.annotations.NullMarked;
