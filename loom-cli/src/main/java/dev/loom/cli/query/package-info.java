/** Queries for the command line: finding the source, filtering, ordering, printing, and reporting what is missing. */
@NullMarked
package dev.loom.cli.query;

import org.jspecify.annotations.NullMarked;
