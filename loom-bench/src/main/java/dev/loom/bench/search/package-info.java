/**
 * Text search beside other engines: a log of any size made of real lines, questions with known answers, and a side for each engine.
 * The workload is {@code dev.loom.bench.SearchVersusPeers}. For one thread.
 */
@NullMarked
package dev.loom.bench.search;

import org.jspecify.annotations.NullMarked;
