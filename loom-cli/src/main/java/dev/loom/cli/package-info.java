/** The {@code loom} command. */
@NullMarked
package dev.loom.cli;

import org.jspecify.annotations.NullMarked;
