/**
 * The store: {@link dev.loom.Loom} writes it, {@link dev.loom.LoomReader} attaches to it. Both take {@link
 * dev.loom.api.Snapshot}s, which the operators of {@code loom-query} read.
 *
 * <p>One thread writes; any thread of any process reads without affecting the writer.
 */
@NullMarked
package dev.loom;

import org.jspecify.annotations.NullMarked;
