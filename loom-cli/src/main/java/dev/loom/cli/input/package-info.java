/**
 * Inputs, split into CSV rows and lines as they arrive.
 *
 * <p>One thread reads ahead; everything else belongs to the consumer's thread. That thread learns when it would have to wait, and
 * first does what must not wait, such as pushing the records it has.
 */
@NullMarked
package dev.loom.cli.input;

import org.jspecify.annotations.NullMarked;
