/**
 * Groups of records by the values of fields and by steps of time: their totals, percentiles and distinct values. What they hold for
 * each group lies outside the heap, in memory that is reserved first. For one thread.
 */
@NullMarked
package dev.loom.query.group;

import org.jspecify.annotations.NullMarked;
