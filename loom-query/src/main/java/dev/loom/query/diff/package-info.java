/**
 * What differs between two sets of records: the frequent values of each field, ranges of its numbers, and combinations of both, counted
 * in both sets. For one thread.
 */
@NullMarked
package dev.loom.query.diff;

import org.jspecify.annotations.NullMarked;
