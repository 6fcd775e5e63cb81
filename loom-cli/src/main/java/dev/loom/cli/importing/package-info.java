/**
 * Rows, lines and packets made into payloads and pushed.
 *
 * <p>All runs on the store's writer thread. What has been read is pushed before that thread waits for more input, so that
 * a pipe's rows are visible as they arrive.
 */
@NullMarked
package dev.loom.cli.importing;

import org.jspecify.annotations.NullMarked;
