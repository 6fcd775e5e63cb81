/** Queries over a simulated capture: its records, the stores that hold them, and the peer that answers the same questions. */
@NullMarked
package dev.loom.bench.query;

import org.jspecify.annotations.NullMarked;
