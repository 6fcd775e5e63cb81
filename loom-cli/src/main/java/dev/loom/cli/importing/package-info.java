/**
 * Turns rows, lines and packets into payloads and pushes them.
 *
 * <p>All of it runs on one thread; unless a sidecar has the store open, that is the store's writer thread. It pushes what it has
 * read before it waits for more input, so that rows from a pipe are visible as they arrive.
 */
@NullMarked
package dev.loom.cli.importing;

import org.jspecify.annotations.NullMarked;
