/**
 * The times that logs write at the beginning of their lines: which form a log has, by its first lines, and each line's time. Lines are
 * read as bytes, without garbage; {@code java.time} supplies calendars and zones.
 */
@NullMarked
package dev.loom.cli.logtime;

import org.jspecify.annotations.NullMarked;
