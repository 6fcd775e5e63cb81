/** Operators over snapshots: single-threaded, constant-memory, cancellable, with budgets and statistics. */
@NullMarked
package dev.loom.query;

import org.jspecify.annotations.NullMarked;
