/** Times on the command line and in records: texts, epochs, clocks, ranges. */
@NullMarked
package dev.loom.cli.time;

import org.jspecify.annotations.NullMarked;
