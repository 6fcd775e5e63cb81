/** Parquet as a form of {@code loom export}; for the command alone. */
@NullMarked
package dev.loom.parquet.command;

import org.jspecify.annotations.NullMarked;
