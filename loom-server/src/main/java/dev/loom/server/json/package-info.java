/**
 * Answers as JSON lines: records, rows of results, reports. Printing a record allocates only what floating-point numbers need. It
 * needs neither a command line nor a terminal.
 */
@NullMarked
package dev.loom.server.json;

import org.jspecify.annotations.NullMarked;
