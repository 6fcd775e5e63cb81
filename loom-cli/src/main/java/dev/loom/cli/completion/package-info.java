/** What shells and {@code man} are told of loom's commands. */
@NullMarked
package dev.loom.cli.completion;

import org.jspecify.annotations.NullMarked;
