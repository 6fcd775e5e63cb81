/** Scripts that complete {@code loom} commands in a shell. */
@NullMarked
package dev.loom.cli.completion;

import org.jspecify.annotations.NullMarked;
