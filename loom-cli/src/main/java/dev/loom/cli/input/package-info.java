/**
 * Inputs as they arrive, cut into CSV rows and lines.
 *
 * <p>One thread reads ahead; all else is for the thread that takes the records. That thread learns when it would have to
 * wait for more, and does then what must not wait, such as pushing what is there.
 */
@NullMarked
package dev.loom.cli.input;

import org.jspecify.annotations.NullMarked;
