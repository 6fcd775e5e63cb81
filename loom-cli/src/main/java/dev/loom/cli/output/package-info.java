/**
 * Records and listings as JSON lines, CSV, tables and raw bytes. No control character of the data reaches a terminal, and
 * printing a record as JSON or CSV allocates nothing but what floating-point numbers need.
 */
@NullMarked
package dev.loom.cli.output;

import org.jspecify.annotations.NullMarked;
