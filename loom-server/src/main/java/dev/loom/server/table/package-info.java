/** Answers in columns that are known before the rows: CSV, and what other forms of tables share. */
@NullMarked
package dev.loom.server.table;

import org.jspecify.annotations.NullMarked;
