/**
 * The types that a store takes and returns: sources, indexes, snapshots, claims, push results, and configuration
 * choices.
 */
@NullMarked
package dev.loom.api;

import org.jspecify.annotations.NullMarked;
