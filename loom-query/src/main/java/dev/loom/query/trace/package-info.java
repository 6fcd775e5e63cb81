/**
 * Traces: which records are spans or log records of one, and the tree that they make. Operators read the records; nothing here does.
 * What a span is made of is bounded, so a trace takes memory in proportion to its spans and log records alone.
 */
@NullMarked
package dev.loom.query.trace;

import org.jspecify.annotations.NullMarked;
