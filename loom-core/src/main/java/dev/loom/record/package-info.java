/**
 * The record log and its timestamp index: records of all sources interleaved, each source's records linked backward,
 * and for each chunk a directory of its sources. Internal; queries read through {@code dev.loom.read}.
 */
@NullMarked
package dev.loom.record;

import org.jspecify.annotations.NullMarked;
