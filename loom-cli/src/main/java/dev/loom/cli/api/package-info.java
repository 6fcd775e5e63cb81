/** Queries from other processes: a request's members are the command line's options, the answer is its JSON lines. */
@NullMarked
package dev.loom.cli.api;

import org.jspecify.annotations.NullMarked;
