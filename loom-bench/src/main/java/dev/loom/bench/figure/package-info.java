/**
 * Raw results of the evaluation, a JSON file for each figure of the paper, and their pictures. A file says itself how it is drawn, so
 * a workload that measures a new figure needs nothing here. For one thread.
 */
@NullMarked
package dev.loom.bench.figure;

import org.jspecify.annotations.NullMarked;
