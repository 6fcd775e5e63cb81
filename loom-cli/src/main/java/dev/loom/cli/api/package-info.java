/** Queries of other processes: requests whose members are the command line's options, answers that are its JSON lines. */
@NullMarked
package dev.loom.cli.api;

import org.jspecify.annotations.NullMarked;
