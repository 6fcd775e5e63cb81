/** Completion scripts and the manual page of {@code loom}. */
@NullMarked
package dev.loom.cli.completion;

import org.jspecify.annotations.NullMarked;
