/** Writes records of a store to files, from which this or another store can import them. */
@NullMarked
package dev.loom.cli.export;

import org.jspecify.annotations.NullMarked;
