/**
 * What a store gives out: sources, snapshots, claims, the answers of a push, and the choices that a configuration has.
 */
@NullMarked
package dev.loom.api;

import org.jspecify.annotations.NullMarked;
