/** A command's surroundings: its streams, its environment, Ctrl-C, and how it ends. */
@NullMarked
package dev.loom.cli.console;

import org.jspecify.annotations.NullMarked;
