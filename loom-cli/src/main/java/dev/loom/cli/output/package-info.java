/**
 * Records and listings as JSON lines, CSV, tables and raw bytes. No control character in the data reaches a terminal. Printing a
 * record as JSON or CSV allocates only what floating-point numbers need.
 */
@NullMarked
package dev.loom.cli.output;

import org.jspecify.annotations.NullMarked;
