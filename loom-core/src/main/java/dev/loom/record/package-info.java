/**
 * The record log and its timestamp index: records of all sources interleaved, each source's linked backward, and per
 * chunk a directory of the sources in it. Internal; {@code loom-query} reads through it.
 */
@NullMarked
package dev.loom.record;

import org.jspecify.annotations.NullMarked;
